/* Moves the program back by source lines, as gdb does: by its rules for one place after another,
 * and then on to the beginning of the line, if the line is executed in one go.
 *
 * The rules depend on the places that came later, but history is executed again forwards: the
 * places of a piece of it are noted, then judged from the last one back. Places of functions that
 * the step passes over are not noted. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/isa/regs.h"
#include "core/os/journal.h"
#include "core/pipe/pipe.h"
#include "core/run/choose.h"
#include "loader/dwarf/inlined.h"
#include "ui/remote/called.h"
#include "ui/remote/mover_priv.h"

enum { NOTED_MAX = 1 << 19, FRAMES_KEPT = 512 };

/* A place of the program, after an instruction. */
struct back_place {
	uint64_t cycle, seq; /* of the instruction */
	uint64_t pc, from;   /* next one to execute; the instruction's own */
	uint64_t sp, fp;
	bool returned, called; /* by the instruction */
	bool changed; /* changes by hand follow, or a call of an expression begins here */
};

struct back_frame {
	uint64_t cfa, lo, hi; /* its function is [lo, hi) */
	struct inlined inlined;
};

/* A frame found before: a loop's places come again. */
struct back_kept {
	uint64_t pc, sp, fp; /* pc 0: none */
	struct back_frame frame;
};

enum back_verdict {
	BACK_GO,   /* to the place before */
	BACK_STOP, /* the step ends here */
	BACK_LOOK  /* to the place before, for which other places are to be noted */
};

struct back_line {
	struct mover *v;
	struct goal g; /* of the place at which the step begins */
	bool into;
	uint64_t until; /* places of the frame from this address on don't end it */
	uint64_t limit; /* as of struct line */
	struct back_frame start, frame; /* in which the step began; in which it is */
	uint64_t lo, hi; /* the step's range, and its line, 0: none */
	struct source_line line;
	/* The place that comes next is the one at which the step begins: since then, only other
	 * threads and firmware have executed instructions. */
	bool here;
	bool begins;   /* another step begins at the place that comes next */
	bool judges;   /* the place that comes next may be the line's beginning */
	bool to_entry; /* it ends at the beginning of its function */
	/* In functions that the frame calls, which are stepped into: places of all frames are
	 * noted. */
	bool deep;
	bool in_return; /* the place that comes next is a called function's last */
	uint64_t callee; /* address of that function's frame; 0: none */
	bool enters;   /* the step ends in the inlined function that begins at the place */
	/* the last place judged; seq 0: none */
	uint64_t past_cycle, past_seq;
	bool decided;  /* the step ends after the instruction of this seq: */
	uint64_t seq;
	struct back_place *noted; /* owned; [NOTED_MAX], a ring */
	struct back_kept *kept;   /* owned; [FRAMES_KEPT], by pc */
	size_t count;  /* of those noted since the last judgement */
};

static bool back_lines_within(uint64_t pc, uint64_t lo, uint64_t hi)
{
	return pc >= lo && pc < hi;
}

static void back_lines_frame(const struct back_line *b, const struct back_place *at,
                             struct back_frame *out)
{
	const struct session *s = b->v->s;
	struct back_kept *kept = &b->kept[(at->pc >> 1) % FRAMES_KEPT];
	if (at->pc && kept->pc == at->pc && kept->sp == at->sp && kept->fp == at->fp) {
		*out = kept->frame;
		return;
	}
	const uint64_t r[REG_SINK] = {[REG_SP] = at->sp, [REG_FP] = at->fp};
	struct frame f;
	program_backtrace(s->program, machine_mem_const(s->machine), r, at->pc, &f, 1);
	out->cfa = f.cfa;
	step_goals_function(s, at->pc, &out->lo, &out->hi);
	inlined_at(s->program, at->pc, &out->inlined);
	*kept = (struct back_kept){at->pc, at->sp, at->fp, *out};
}

static bool back_lines_same_call(const struct back_frame *a, const struct back_frame *b)
{
	return a->cfa == b->cfa && a->lo == b->lo;
}

static bool back_lines_same_frame(const struct back_frame *a, const struct back_frame *b)
{
	return back_lines_same_call(a, b) && inlined_same(&a->inlined, &b->inlined);
}

/* Begins a step at a place. */
static void back_lines_begin(struct back_line *b, uint64_t pc, const struct back_frame *f)
{
	struct program_stretch at = {.pc = f->lo, .end = f->hi};
	program_stretch_at(b->v->s->program, pc, &at);
	b->lo = at.pc;
	b->hi = at.end;
	b->line = f->inlined.begins && f->inlined.call.line ? f->inlined.call : at.at;
	b->frame = *f;
}

/* True if the function around an address has lines, so that a step goes into it. */
static bool back_lines_has_lines(const struct back_line *b, uint64_t pc)
{
	struct program_stretch at;
	uint64_t lo, hi;
	step_goals_function(b->v->s, pc, &lo, &hi);
	return program_stretch_at(b->v->s->program, lo, &at);
}

/* Goes on to the place before. */
static enum back_verdict back_lines_go(struct back_line *b, const struct back_place *at,
                                       const struct back_frame *f)
{
	b->in_return = b->into && at->returned && back_lines_same_call(f, &b->frame) &&
	               back_lines_has_lines(b, at->from);
	if (!b->in_return || b->deep)
		return BACK_GO;
	b->deep = true;
	return BACK_LOOK;
}

/* At the beginning of a row of the line table, where gdb 13 ends the step: goes on if the row's
 * line goes on before it. */
static enum back_verdict back_lines_judge_row(struct back_line *b, const struct back_place *at,
                                              const struct back_frame *f)
{
	const struct program *p = b->v->s->program;
	struct program_stretch here, before;
	if (f->inlined.begins || !program_stretch_at(p, at->pc, &here) || here.pc != at->pc)
		return BACK_STOP;
	/* A call that ended the row before is in the line's middle. */
	if (at->returned) {
		if (!program_stretch_at(p, at->pc - 1, &before) ||
		    !step_goals_same_line(&before.at, &here.at))
			return BACK_STOP;
		back_lines_begin(b, at->pc, f);
		return back_lines_go(b, at, f);
	}
	const struct frame inside = {.pc = at->from + 1, .kind = FRAME_CALLER, .inlined = UINT_MAX};
	struct inlined all;
	inlined_of(p, &inside, &all);
	if (at->called || !back_lines_within(at->from, f->lo, f->hi) ||
	    !inlined_same(&all, &f->inlined) || !program_stretch_at(p, at->from, &before) ||
	    !step_goals_same_line(&before.at, &here.at))
		return BACK_STOP;
	b->to_entry = before.pc == f->lo && !back_lines_same_frame(f, &b->start);
	b->judges = !b->to_entry && before.pc == at->from;
	b->begins = !b->to_entry && !b->judges;
	b->frame = *f;
	return BACK_GO;
}

/* A place of another frame than the step's, or of another line. */
static enum back_verdict back_lines_judge_line(struct back_line *b, const struct back_place *at,
                                               const struct back_frame *f)
{
	struct program_stretch row;
	const bool own = back_lines_same_frame(f, &b->frame);
	if (!program_stretch_at(b->v->s->program, at->pc, &row))
		return BACK_STOP;
	if (own && f->inlined.begins) {
		const bool same = step_goals_same_line(&f->inlined.call, &b->line);
		b->enters = b->into && same;
		return b->into || !same ? BACK_STOP : back_lines_go(b, at, f);
	}
	if (back_lines_same_call(f, &b->frame) &&
	    inlined_within(&f->inlined, &b->frame.inlined))
		return b->into ? back_lines_judge_row(b, at, f) : back_lines_go(b, at, f);
	bool keeps = false;
	if (at->pc == row.pc && !step_goals_same_line(&row.at, &b->line)) {
		if (row.is_stop)
			return back_lines_judge_row(b, at, f);
		keeps = own;
		row.at = (struct source_line){0};
	}
	/* In the middle of a line, the step goes on to its beginning. */
	b->lo = row.pc;
	b->hi = row.end;
	if (keeps)
		return back_lines_go(b, at, f);
	const bool jumped = f->cfa == b->frame.cfa && f->lo != b->frame.lo;
	b->line = row.at;
	b->frame = *f;
	const enum back_verdict go = back_lines_go(b, at, f);
	return jumped ? BACK_LOOK : go;
}

/* A place of a function that the frame calls, or of one that this calls. */
static enum back_verdict back_lines_judge_callee(struct back_line *b, const struct back_place *at,
                                                 const struct back_frame *f, bool last)
{
	struct program_stretch row;
	if (!b->deep)
		return BACK_GO;
	if (last)
		b->callee = f->cfa;
	if (b->callee != f->cfa)
		return back_lines_judge_line(b, at, f);
	if (!program_stretch_at(b->v->s->program, at->pc, &row))
		return BACK_GO;
	if (row.pc == at->pc)
		return back_lines_judge_row(b, at, f);
	b->lo = row.pc;
	b->hi = row.end;
	return BACK_GO;
}

static enum back_verdict back_lines_judge(struct back_line *b, const struct back_place *at)
{
	struct back_frame f;
	const bool last = b->in_return;
	b->past_cycle = at->cycle;
	b->past_seq = at->seq;
	b->in_return = false;
	back_lines_frame(b, at, &f);
	if (b->here) {
		b->here = false;
		return back_lines_go(b, at, &f);
	}
	if (f.cfa < b->frame.cfa)
		return back_lines_judge_callee(b, at, &f, last);
	if (b->to_entry)
		return back_lines_same_call(&f, &b->frame) && at->pc == f.lo ? BACK_STOP : BACK_GO;
	if (b->judges) {
		b->judges = false;
		return back_lines_judge_row(b, at, &f);
	}
	if (b->begins) {
		b->begins = false;
		back_lines_begin(b, at->pc, &f);
		return back_lines_go(b, at, &f);
	}
	if (back_lines_same_frame(&f, &b->frame) && back_lines_within(at->pc, b->lo, b->hi))
		return at->pc == b->lo && at->pc != f.lo ? back_lines_judge_row(b, at, &f)
		                                         : back_lines_go(b, at, &f);
	if (back_lines_same_call(&f, &b->start) && at->pc >= b->until)
		return BACK_GO;
	return back_lines_judge_line(b, at, &f);
}

/* ---- the places of a piece of history ---- */
/* True if the instruction counts: it is of the stepping thread, and of the mode in which the step
 * begins. */
static bool back_lines_counts(const struct back_line *b, const struct uop *u)
{
	return u->thread == b->g.thread && ((u->flags & UF_MACHINE) != 0) == b->g.firmware &&
	       (!b->g.firmware || u->trap != TRAP_MRET);
}

static bool back_lines_at_limit(struct back_line *b, const struct machine *m,
                                const struct event *ev)
{
	return b->limit != UINT64_MAX && insts_until(&b->limit, m, ev);
}

/* The place after u, with other registers than sp and fp. */
static struct back_place back_lines_after(const struct uop *u)
{
	return (struct back_place){.cycle = u->when.end,
	                           .seq = u->seq,
	                           .pc = u->exec.next_pc,
	                           .from = u->pc,
	                           .returned = inst_pops_ras(&u->inst),
	                           .called = inst_pushes_ras(&u->inst)};
}

/* True if the machine repeats a change by hand at the end of this cycle, or has done so. */
static bool back_lines_changes_follow(const struct machine *m, uint64_t cycle)
{
	const struct journal *j = machine_journal(m);
	const uint64_t now = stats_guest_cycle(machine_stats(m), cycle);
	const uint64_t done = j->st->changes;
	return journal_next_change(j) == now ||
	       (done && journal_at(j, j->change[done - 1])->cycle == now);
}

/* Notes the place after a commit; a commit_goal. */
static bool back_lines_note(void *ctx, const struct machine *m, const struct event *ev)
{
	struct back_line *b = ctx;
	const struct uop *u = pipe_uop(machine_pipe(m), (uint16_t)ev->slot);
	struct back_place at = back_lines_after(u);
	if (b->past_seq && (at.cycle > b->past_cycle ||
	                    (at.cycle == b->past_cycle && at.seq >= b->past_seq)))
		return false;
	struct back_place *before = b->count ? &b->noted[(b->count - 1) % NOTED_MAX] : NULL;
	uint64_t r[REG_FP + 1];
	at.changed = back_lines_at_limit(b, m, ev) ||
	             back_lines_changes_follow(m, ev->cycle + 1);
	if (!at.changed && !back_lines_counts(b, u))
		return false;
	step_goals_registers(m, ev, r, REG_FP + 1);
	at.sp = r[REG_SP];
	at.fp = r[REG_FP];
	if (!at.changed && !b->deep && at.sp < b->frame.cfa &&
	    !back_lines_within(at.pc, b->frame.lo, b->frame.hi))
		return false;
	if (!before || !before->changed || !at.changed)
		before = &b->noted[b->count++ % NOTED_MAX];
	*before = at;
	return false;
}

/* Judges the places noted, the last one first; a run_choice. */
static bool back_lines_choose(void *ctx, uint64_t after, uint64_t *cycle)
{
	struct back_line *b = ctx;
	const size_t n = b->count, oldest = n > NOTED_MAX ? n - NOTED_MAX : 0;
	enum back_verdict verdict = BACK_GO;
	b->count = 0;
	for (size_t i = n; i-- > oldest;) {
		const struct back_place *at = &b->noted[i % NOTED_MAX];
		if (at->cycle + 1 <= after)
			return false;
		*cycle = at->cycle + 1;
		if (at->changed)
			return true;
		verdict = back_lines_judge(b, at);
		b->decided = verdict == BACK_STOP;
		b->seq = at->seq;
		if (verdict != BACK_GO)
			return true;
	}
	/* Places before the oldest are noted in another go. */
	return oldest != 0;
}

/* ---- the group of a cycle ---- */
/* True if the step ends after instruction i of the group. */
static bool back_lines_ends(struct back_line *b, const struct group *g, unsigned i)
{
	struct mover *v = b->v;
	const struct machine *m = v->s->machine;
	const struct uop *u = g->u[i];
	struct back_place at = back_lines_after(u);
	uint64_t r[REG_FP + 1];
	if (b->decided)
		return u->seq == b->seq;
	if (!back_lines_counts(b, u) ||
	    (b->past_seq && at.cycle == b->past_cycle && at.seq >= b->past_seq && !v->at->ahead))
		return false;
	if (v->at->ahead) {
		const unsigned back = v->at->back;
		v->at->back = g->n - i - 1;
		r[REG_SP] = spot_reg(v->at, REG_SP);
		r[REG_FP] = spot_reg(v->at, REG_FP);
		v->at->back = back;
	} else {
		const struct event ev = {.cycle = u->when.end,
		                         .seq = u->seq,
		                         .pc = u->pc,
		                         .slot = (uint32_t)(u - machine_pipe(m)->pool)};
		step_goals_registers(m, &ev, r, REG_FP + 1);
	}
	at.sp = r[REG_SP];
	at.fp = r[REG_FP];
	return back_lines_judge(b, &at) == BACK_STOP;
}

/* Undoes instructions [0, i), the last one first, until the step ends or a stop. here: the place
 * after the last of them is not judged. */
static bool back_lines_walk(struct back_line *b, unsigned i, bool here)
{
	struct mover *v = b->v;
	const struct machine *m = v->s->machine;
	const struct group g = spot_group(v->at);
	for (; i-- > 0; here = false) {
		const struct event ev = {.cycle = g.u[i]->when.end,
		                         .seq = g.u[i]->seq,
		                         .slot = (uint32_t)(g.u[i] - machine_pipe(m)->pool)};
		if (back_lines_at_limit(b, m, &ev)) {
			/* before the changes by which the call began */
			v->at->back = g.n - i - 1;
			mover_halt(v, HALT_STEP, 0);
			return true;
		}
		if (!here && back_lines_ends(b, &g, i))
			return mover_behind(v, &g, i, HALT_STEP, 0);
		if (mover_back_stops(v, &g, i))
			return true;
	}
	return false;
}

/* At the end of a cycle with changes by hand: true if the step ends there. Else goes to before the
 * changes; *any: there is a group then. */
static bool back_lines_undo_changes(struct back_line *b, bool *any)
{
	struct mover *v = b->v;
	const uint64_t cycle = machine_cycle(v->s->machine);
	const uint64_t pc = spot_pc(v->at), sp = spot_reg(v->at, REG_SP),
		       fp = spot_reg(v->at, REG_FP);
	const bool own = spot_tid(v->at) == b->g.tid;
	struct run_stop_info info;
	struct err err;
	*any = mover_enter_earlier(v);
	const struct group g = spot_group(v->at);
	if (!*any || !g.n || !own || b->decided)
		return false;
	struct back_place at = back_lines_after(g.u[g.n - 1]);
	at.pc = pc;
	at.sp = sp;
	at.fp = fp;
	if (back_lines_judge(b, &at) != BACK_STOP)
		return false;
	const bool back = run_goto_cycle(v->s->run, cycle, &info, &err);
	spot_reset(v->at);
	mover_halt(v, back ? HALT_STEP : HALT_FAILED, 0);
	if (!back)
		v->halt.why = err;
	return true;
}

/* Walks over cycles that end with changes by hand, to which the machine can't return by itself. */
static bool back_lines_walk_changes(struct back_line *b)
{
	struct mover *v = b->v;
	bool any;
	for (;;) {
		if (v->at->ahead) {
			spot_reset(v->at);
			if (!spot_is_changed(v->at))
				return back_lines_walk(b, spot_group(v->at).n, false);
		}
		if (!spot_is_changed(v->at))
			return false;
		if (back_lines_undo_changes(b, &any) ||
		    (any && back_lines_walk(b, spot_group(v->at).n, true)))
			return true;
		if (!any || !v->at->ahead)
			return false;
	}
}

/* Steps back from the place, at which the frame of this level is the step's. */
static void back_lines_move(struct back_line *b, unsigned level)
{
	struct mover *v = b->v;
	struct run_stop_info info = {0};
	struct err err;
	bool began, done;
	if (v->at->back >= spot_group(v->at).n && !mover_machine_back(v))
		return;
	const struct group g = spot_group(v->at);
	const unsigned n = g.n - v->at->back;
	b->here = n && (back_lines_counts(b, g.u[n - 1]) || (!level && !b->g.firmware));
	done = back_lines_walk(b, n, false) ||
	       back_lines_walk_changes(b);
	if (done || !mover_begin(v, false))
		return;
	do {
		b->count = 0;
		began = run_back_choose(v->s->run, back_lines_note, back_lines_choose, b, &info,
		                        &err);
		if (mover_failed(v, began, &err))
			break;
		done = false;
		if (info.reason == STOPPED_INTERRUPT) { /* it has not moved */
			mover_halt(v, HALT_INTERRUPT, 0);
			if (mover_resumes(v))
				continue;
			break;
		}
		spot_reset(v->at);
		mover_leg(v, &info, false);
		done = mover_at_end(v, false) || back_lines_walk(b, spot_group(v->at).n, false) ||
		       mover_explain(v, &info) || back_lines_walk_changes(b) ||
		       mover_is_stopped(v);
	} while (!done);
	mover_report(v, began, &err,
	             began && v->halt.kind == HALT_STEP && mover_is_ours(v, &info));
}

static void back_lines_free(struct back_line *b)
{
	if (!b)
		return;
	free(b->kept);
	free(b->noted);
	free(b);
}

void back_lines(struct mover *v, enum line_motion how, unsigned level, const struct goal *g)
{
	struct back_line *b = alloc_zeroed(1, sizeof *b);
	if (b) {
		b->noted = alloc_zeroed(NOTED_MAX, sizeof *b->noted);
		b->kept = alloc_zeroed(FRAMES_KEPT, sizeof *b->kept);
	}
	if (!b || !b->noted || !b->kept) {
		mover_halt(v, HALT_FAILED, 0);
		err_set(&v->halt.why, "out of memory for a motion");
		back_lines_free(b);
		return;
	}
	b->v = v;
	b->g = *g;
	b->into = how == LINE_INTO;
	b->until = how == LINE_UNTIL ? g->lo : UINT64_MAX;
	b->limit = called_begins(v);
	b->frame = (struct back_frame){g->cfa, g->fn_lo, g->fn_hi, g->inlined};
	b->start = b->frame;
	b->lo = g->lo;
	b->hi = g->hi;
	b->line = g->line;
	back_lines_move(b, level);
	if (b->enters && v->halt.kind == HALT_STEP && !v->halt.stop_id)
		mover_enter_inlined(v);
	back_lines_free(b);
}
