/* Moves the program by source lines, as gdb does itself, to right after the instruction that
 * reached a goal of ui/console/step_goals.h. */
#include <string.h>

#include "core/pipe/pipe.h"
#include "loader/dwarf/entry.h"
#include "ui/console/step_goals.h"
#include "ui/remote/called.h"
#include "ui/remote/mover_priv.h"

struct line {
	struct goal g;
	commit_goal *goal;
	bool into; /* step into functions with lines */
	/* address after the prologue of the called function; 0: none */
	uint64_t target;
	/* backwards: instructions committed before the call of an expression in which the motion
	 * begins, whose beginning it does not pass; UINT64_MAX: none */
	uint64_t limit;
	/* forwards: calls of expressions in recorded history, which count as changes by hand */
	struct called_ended ahead[CALLED_ENDED_MAX];
	unsigned aheads;
	bool over; /* reached by the instruction of this seq: */
	uint64_t seq;
};

static struct event lines_commit_event(const struct machine *m, const struct uop *u)
{
	return (struct event){.cycle = u->when.end,
	                      .seq = u->seq,
	                      .pc = u->pc,
	                      .slot = (uint32_t)(u - machine_pipe(m)->pool)};
}

/* True if another thread than the stepping one is at the place: the stepping thread is parked where
 * it gave the hart away. */
static bool lines_thread_is_parked(const struct mover *v)
{
	return v->stepped && v->stepped != spot_tid(v->at);
}

/* Makes the goal of a motion from the place. */
static struct line begin_line(struct mover *v, unsigned level, commit_goal *goal)
{
	struct line l = {.goal = goal};
	struct spot_viewpoint viewpoint;
	if (lines_thread_is_parked(v))
		machine_see_thread(v->s->machine, (uint32_t)v->stepped);
	else
		spot_look(v->at, &viewpoint);
	goal_init(&l.g, v->s, level);
	l.g.firmware &= !lines_thread_is_parked(v);
	machine_look_from(v->s->machine, NULL);
	if (goal == goal_finish && goal_leave_inlined(&l.g))
		l.goal = goal_next;
	return l;
}

bool mover_enter_inlined(struct mover *v)
{
	const struct program *p = v->s->program;
	const uint64_t pc = spot_pc(v->at);
	struct inlined at, all;
	inlined_at(p, pc, &at);
	if (!at.begins)
		return false;
	inlined_enter(p, 0, 0);
	inlined_at(p, pc, &all);
	inlined_enter(p, pc, at.count - all.count + 1);
	mover_halt(v, HALT_STEP, 0);
	return true;
}

/* At the first instruction of the inlined function of this level, goes back to the place of its
 * call, which is the same: leaves it, and those inlined in it. */
static bool leave_inlined(struct mover *v, unsigned level)
{
	const struct program *p = v->s->program;
	const uint64_t pc = spot_pc(v->at);
	struct inlined at, all;
	inlined_at(p, pc, &at);
	inlined_enter(p, 0, 0);
	inlined_at(p, pc, &all);
	const unsigned entered = at.count - all.count;
	inlined_enter(p, pc, level < entered ? entered - level - 1 : entered);
	if (level >= entered)
		return false;
	mover_halt(v, HALT_STEP, 0);
	return true;
}

/* Makes a step into a call end after the prologue of the function. */
static void lines_set_prologue_target(struct line *l, const struct uop *u)
{
	const struct program *p = l->g.s->program;
	struct source_line at;
	const uint64_t to = u->exec.next_pc;
	if (!l->into || l->target || l->g.depth || !inst_pushes_ras(&u->inst) ||
	    u->thread != l->g.thread || ((u->flags & UF_MACHINE) != 0) != l->g.firmware ||
	    !program_line_at(p, to, &at))
		return;
	if (!entry_of_step(p, to, &l->target))
		l->target = to;
}

static bool line_goal(void *ctx, const struct machine *m, const struct event *ev)
{
	struct line *l = ctx;
	const struct uop *u = pipe_uop(machine_pipe(m), (uint16_t)ev->slot);
	if (l->over)
		return true;
	for (unsigned i = 0; i < l->aheads; i++)
		if (!insts_until(&l->ahead[i].begin, m, ev) && insts_until(&l->ahead[i].end, m, ev))
			return false;
	lines_set_prologue_target(l, u);
	l->over = (l->target && u->thread == l->g.thread && u->exec.next_pc == l->target &&
	           !goal_is_breakpoint(&l->g, l->target)) ||
	          l->goal(&l->g, m, ev);
	l->seq = u->seq;
	return l->over;
}

/* As mover_walk_forward() of motion.c; ask: the goal has not seen these instructions yet. */
static bool lines_walk_forward(struct mover *v, struct line *l, unsigned i, bool check, bool ask)
{
	const struct machine *m = v->s->machine;
	const struct group g = spot_group(v->at);
	for (; i < g.n; i++, check = true) {
		const struct uop *u = g.u[i];
		if (mover_over(v, &g, i, check))
			return true;
		const struct event ev = lines_commit_event(m, u);
		if (!(ask ? line_goal(l, m, &ev) : l->over && l->seq == u->seq))
			continue;
		/* If the step ends before a breakpoint, report the breakpoint. */
		const struct point *p = points_break(v, u->exec.next_pc, false);
		if (p && !p->conditional)
			return mover_behind(v, &g, i, mover_break_kind(p), p->addr);
		mover_behind(v, &g, i, HALT_STEP, 0);
		/* After the return of a call by an expression, which leads elsewhere, a breakpoint
		 * of the console reports itself. */
		if (spot_pc(v->at) == u->exec.next_pc || !goal_is_breakpoint(&l->g, spot_pc(v->at)))
			return true;
		l->over = false;
	}
	mover_pass_group(v);
	return false;
}

/* Takes the places of the caller's goal. */
static void lines_aim(struct line *l, enum line_motion how, const struct goal *to)
{
	l->g.forth_only = how == LINE_UNTIL || how == LINE_TO;
	if (how != LINE_TO)
		return;
	l->g.target = to->target;
	l->g.targets = to->targets;
	l->g.own_frame = to->own_frame;
}

/* Extends the goal to the line's end, as in gdb: includes following ranges of the line that are no
 * places to stop. */
static void lines_extend(struct goal *g)
{
	struct program_stretch at;
	while (g->line.line && program_stretch_at(g->s->program, g->hi, &at) && !at.is_stop &&
	       at.pc == g->hi && at.end > at.pc && at.at.line == g->line.line && at.at.file &&
	       g->line.file && !strcmp(at.at.file, g->line.file))
		g->hi = at.end;
}

/* Ends the motion: enters an inlined function that it has reached. */
static void lines_end(struct mover *v, const struct line *l, struct goal *g)
{
	const bool reached = v->halt.kind == HALT_STEP && !v->halt.stop_id;
	if (l->g.enters && reached)
		mover_enter_inlined(v);
	/* If the thread resumed after a call, the last instruction was another thread's. */
	if (l->over && reached && !l->g.gone)
		v->halt.tid = l->g.tid;
	if (g)
		*g = l->g;
}

void motion_line(struct mover *v, enum line_motion how, unsigned level, struct goal *g)
{
	static commit_goal *const goals[] = {
		[LINE_NEXT] = goal_next,
		[LINE_INTO] = goal_next,
		[LINE_OUT] = goal_finish,
		[LINE_OVER_CALL] = goal_next_instruction,
		[LINE_UNTIL] = goal_next,
		[LINE_TO] = goal_reach_within,
	};
	struct run_stop_info info = {0};
	struct err err;
	const bool entered = how == LINE_INTO && !lines_thread_is_parked(v) &&
	                     mover_enter_inlined(v);
	if (entered)
		return;
	struct line l = begin_line(v, level, goals[how]);
	const unsigned back = v->at->back;
	bool began, done, check = back != 0;
	l.into = l.g.into = how == LINE_INTO;
	lines_aim(&l, how, g);
	l.aheads = called_ahead(v, l.ahead);
	if (how == LINE_UNTIL)
		lines_extend(&l.g);
	inlined_enter(v->s->program, 0, 0);
	done = back && (lines_walk_forward(v, &l, spot_group(v->at).n - back, false, true) ||
	                mover_at_end(v, true));
	if (done || !mover_begin(v, true)) {
		lines_end(v, &l, g);
		return;
	}
	const uint64_t insts = machine_insts(v->s->machine);
	do {
		began = run_until(v->s->run, line_goal, &l, &info, &err);
		if (mover_failed(v, began, &err))
			break;
		mover_leg(v, &info, true);
		mover_landed(v);
		done = lines_walk_forward(v, &l, 0, check || mover_has_passed(v, insts), false) ||
		       (mover_explain(v, &info) && !mover_resumes(v)) || mover_is_stopped(v);
		check = true;
	} while (!done);
	lines_end(v, &l, g);
	mover_report(v, began, &err,
	             began && v->halt.kind == HALT_STEP && mover_is_ours(v, &info));
}

static bool lines_at_limit(struct line *l, const struct machine *m, const struct event *ev)
{
	return l->limit != UINT64_MAX && insts_until(&l->limit, m, ev);
}

static bool lines_back_goal(void *ctx, const struct machine *m, const struct event *ev)
{
	struct line *l = ctx;
	return lines_at_limit(l, m, ev) || l->goal(&l->g, m, ev);
}

bool mover_back_stops(struct mover *v, const struct group *g, unsigned i)
{
	const struct point *p = points_watch(v, g->u[i]);
	if (mover_stops(v, g, i + 1, p, false))
		return mover_before(v, i, mover_watch_kind(p), p->addr);
	if (own_behind(v, g, i, false))
		return mover_before(v, i, HALT_STEP, 0) && mover_own(v);
	p = points_break(v, g->u[i]->pc, false);
	if (mover_stops(v, g, i, p, false))
		return mover_before(v, i, mover_break_kind(p), g->u[i]->pc);
	return own_before(v, g, i, false) && mover_before(v, i, HALT_STEP, 0) && mover_own(v);
}

/* Undoes instructions [0, i), the last one first, until the goal or a stop. here: the program
 * stands after the last of them, which then is no goal. */
static bool lines_walk_backward(struct mover *v, struct line *l, unsigned i, bool calls, bool here)
{
	const struct machine *m = v->s->machine;
	const struct group g = spot_group(v->at);
	for (; i-- > 0; here = false) {
		const struct event ev = lines_commit_event(m, g.u[i]);
		if (lines_at_limit(l, m, &ev)) {
			/* before the changes by which the call began */
			v->at->back = g.n - i - 1;
			mover_halt(v, HALT_STEP, 0);
			return true;
		}
		const bool met = l->goal(&l->g, m, &ev);
		if (met && !calls && !here)
			return mover_behind(v, &g, i, HALT_STEP, 0);
		if (mover_back_stops(v, &g, i))
			return true;
		if (met && calls)
			return mover_before(v, i, HALT_STEP, 0);
	}
	return false;
}

void motion_back_line(struct mover *v, enum line_motion how, unsigned level, struct goal *g)
{
	static commit_goal *const goals[] = {
		[LINE_OUT] = goal_called,
		[LINE_OVER_CALL] = goal_instruction_before,
		[LINE_TO] = goal_reach,
	};
	struct run_stop_info info = {0};
	struct err err;
	v->told_end = false;
	if (how == LINE_OUT && leave_inlined(v, level))
		return;
	if (how == LINE_INTO && !lines_thread_is_parked(v) && mover_enter_inlined(v))
		return;
	const bool by_lines = how == LINE_NEXT || how == LINE_INTO || how == LINE_UNTIL;
	struct line l = begin_line(v, level, by_lines ? NULL : goals[how]);
	lines_aim(&l, how, g);
	l.limit = called_begins(v);
	if (g)
		*g = l.g;
	if (by_lines) {
		inlined_enter(v->s->program, 0, 0);
		back_lines(v, how, level, &l.g);
		return;
	}
	/* A call's place is before the call; inlined code begins after the instruction before it.
	 */
	const bool calls = how == LINE_OUT && !l.g.inlined.count;
	inlined_enter(v->s->program, 0, 0);
	/* Go to the place after the last instruction, so that the motion does not end where it
	 * begins. */
	if (v->at->back >= spot_group(v->at).n && !mover_machine_back(v))
		return;
	bool began, done = lines_walk_backward(v, &l, spot_group(v->at).n - v->at->back, calls,
	                                       true);
	while (!done && mover_enter_earlier(v))
		done = lines_walk_backward(v, &l, spot_group(v->at).n, calls, false);
	if (done || !mover_begin(v, false))
		return;
	do {
		began = run_back_until(v->s->run, lines_back_goal, &l, &info, &err);
		if (mover_failed(v, began, &err))
			break;
		if (info.reason == STOPPED_INTERRUPT) { /* it has not moved */
			mover_halt(v, HALT_INTERRUPT, 0);
			if (mover_resumes(v))
				continue;
			break;
		}
		spot_reset(v->at);
		mover_leg(v, &info, false);
		done = mover_at_end(v, false) ||
		       lines_walk_backward(v, &l, spot_group(v->at).n, calls, false) ||
		       mover_explain(v, &info);
		while (!done && mover_enter_earlier(v))
			done = lines_walk_backward(v, &l, spot_group(v->at).n, calls, false);
		done = done || mover_is_stopped(v);
	} while (!done);
	mover_report(v, began, &err,
	             began && v->halt.kind == HALT_STEP && mover_is_ours(v, &info));
}
