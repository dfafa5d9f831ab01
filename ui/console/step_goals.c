#include "ui/console/step_goals.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/defs/choices.h"
#include "core/isa/regs.h"
#include "core/mem/mem.h"
#include "core/os/os.h"
#include "core/os/thread.h"
#include "core/pipe/pipe.h"
#include "hwviews/program/frames.h"

void step_goals_function(const struct session *s, uint64_t pc, uint64_t *lo, uint64_t *hi)
{
	const struct symbol *sym = program_symbol_at(s->program, pc);
	*lo = sym ? sym->addr : pc;
	*hi = pc + 1;
	if (!sym)
		return;
	if (sym->size) {
		*hi = sym->addr + sym->size;
		return;
	}
	size_t n;
	const struct symbol *all = program_symbols(s->program, &n);
	*hi = pc < MEM_TOP ? MEM_TOP : MEM_END;
	for (size_t i = 0; i < n; i++)
		if (all[i].addr > pc && all[i].addr < *hi)
			*hi = all[i].addr;
}

/* The thread numbered `thread` in pipe_state, NULL if it has the hart or is gone. */
static const struct os_thread *step_goals_parked_thread(const struct machine *m, uint16_t thread)
{
	const struct os_thread *t = os_threads(machine_os_const(m));
	if (machine_pipe(m)->st->thread == thread)
		return NULL;
	for (unsigned i = 0; i < OS_THREADS; i++)
		if (t[i].state != THREAD_FREE && os_thread_number(&t[i]) == thread + 1u)
			return &t[i];
	return NULL;
}

/* The machine is at the end of the cycle, so later commits of the same cycle are undone. */
void step_goals_registers(const struct machine *m, const struct event *ev, uint64_t *r,
                          unsigned count)
{
	const struct pipe *p = machine_pipe(m);
	const struct uop *after[PIPE_WIDTH_MAX];
	unsigned n = 0;
	/* a system call that gave the hart away is alone in its cycle */
	const struct os_thread *t =
		step_goals_parked_thread(m, pipe_uop(p, (uint16_t)ev->slot)->thread);
	for (unsigned i = 0; i < count; i++)
		r[i] = !t ? machine_reg(m, i) : i < REG_SINK ? t->r[i] : 0;
	if (t)
		return;
	for (uint32_t i = 0; i < p->pool_size && n < PIPE_WIDTH_MAX; i++) {
		const struct uop *u = &p->pool[i];
		if (u->state == UOP_RETIRED && u->when.end == ev->cycle && u->seq > ev->seq &&
		    u->inst.rd < count)
			after[n++] = u;
	}
	while (n) {
		unsigned youngest = 0;
		for (unsigned i = 1; i < n; i++)
			if (after[i]->seq > after[youngest]->seq)
				youngest = i;
		r[after[youngest]->inst.rd] = after[youngest]->undo.rd;
		after[youngest] = after[--n];
	}
}

uint64_t step_goals_sp(const struct machine *m, const struct event *ev)
{
	uint64_t r[32];
	step_goals_registers(m, ev, r, 32);
	return r[REG_SP];
}

size_t step_goals_frames(const struct session *s, const struct machine *m, const struct event *ev,
                         struct frame *out, size_t max)
{
	uint64_t r[32];
	const struct uop *u = pipe_uop(machine_pipe(m), (uint16_t)ev->slot);
	step_goals_registers(m, ev, r, 32);
	return program_backtrace(s->program, machine_mem_const(m), r, u->exec.next_pc, out, max);
}

static const struct uop *step_goals_committed_uop(const struct machine *m, const struct event *ev)
{
	return pipe_uop(machine_pipe(m), (uint16_t)ev->slot);
}

static bool step_goals_pc_in_range(uint64_t pc, uint64_t lo, uint64_t hi)
{
	return pc >= lo && pc < hi;
}

static bool step_goals_in_firmware(const struct machine *m)
{
	return machine_pipe(m)->hart->mode == MODE_M;
}

/* True if u doesn't count, being of another thread or of the other mode: a step in the program
 * passes over interrupts, a step in firmware ends with its mret. *over: the step ends here
 * nevertheless. */
static bool of_others(struct goal *g, const struct machine *m, const struct uop *u, bool *over)
{
	const bool runs = machine_pipe(m)->st->thread == g->thread;
	g->gone = !runs && os_thread_find(machine_os_const(m), g->tid) < 0;
	*over = g->gone || (g->away && runs);
	if (*over || u->thread != g->thread)
		return true;
	bool firmware = (u->flags & UF_MACHINE) != 0, returns = u->trap == TRAP_MRET;
	if (firmware == g->firmware && !(firmware && returns))
		return false;
	*over = returns && (g->firmware || g->met);
	return true;
}

/* The goal is reached: false if the step's end is delayed. If an interrupt follows, the step ends
 * when firmware has returned; if the thread waits in a system call, when it resumes. */
static bool step_goals_check_reached(struct goal *g, const struct machine *m)
{
	g->met = !g->firmware && step_goals_in_firmware(m);
	g->away = machine_pipe(m)->st->thread != g->thread;
	return !g->met && !g->away;
}

bool step_goals_same_line(const struct source_line *a, const struct source_line *b)
{
	return a->line == b->line &&
	       (a->file == b->file || (a->file && b->file && !strcmp(a->file, b->file)));
}

/* Makes the line's range at pc that of the step. */
static void enter_line(struct goal *g, uint64_t pc)
{
	struct program_stretch at;
	g->lo = g->fn_lo;
	g->hi = g->fn_hi;
	g->line = (struct source_line){0};
	if (!program_stretch_at(g->s->program, pc, &at))
		return;
	g->lo = at.pc;
	g->hi = at.end;
	g->line = at.at;
}

bool goal_is_breakpoint(const struct goal *g, uint64_t pc)
{
	const struct stop_point *sp;
	for (unsigned i = 0; (sp = run_stop_at(g->s->run, i)); i++)
		if (sp->kind == STOP_POINT_PC && sp->stage == STAGE_COMMIT && sp->addr == pc &&
		    sp->enabled && !sp->pending && !sp->condition && !sp->ignore &&
		    (!sp->thread || sp->thread == g->thread + 1u))
			return true;
	return false;
}

/* The frame has been left: goes on to step in its caller. */
static void enter_caller(struct goal *g, const struct machine *m, const struct event *ev,
                         uint64_t pc)
{
	uint64_t r[32];
	struct frame frames[2];
	step_goals_registers(m, ev, r, 32);
	const size_t n = program_backtrace(g->s->program, machine_mem_const(m), r, pc, frames, 2);
	g->depth = 0;
	g->cfa = frames[0].cfa;
	step_goals_function(g->s, pc, &g->fn_lo, &g->fn_hi);
	g->caller_lo = g->caller_hi = 0;
	if (n > 1)
		step_goals_function(g->s, frames[1].pc - 1, &g->caller_lo, &g->caller_hi);
}

void goal_init(struct goal *g, const struct session *s, unsigned level)
{
	struct frame near[FRAMES_MAX];
	size_t n = 0;
	/* Few steps are from a caller, fewer from far out. */
	struct frame *deep =
		level + 2 > FRAMES_MAX ? frames_list(s, (size_t)level + 2, &n) : NULL;
	const struct frame *frames = deep ? deep : near;
	if (!deep)
		n = frames_of(s, near, FRAMES_MAX);
	if (level >= n)
		level = (unsigned)n - 1;
	uint64_t pc = frame_look(&frames[level]);
	*g = (struct goal){.s = s,
	                   .cfa = frames[level].cfa,
	                   .depth = (int)frames[level].call,
	                   .firmware = step_goals_in_firmware(s->machine)};
	const struct os_thread *t = machine_seen_thread(s->machine);
	g->tid = t->tid;
	g->thread = os_thread_number(t) > UINT16_MAX ? UINT16_MAX
	                                             : (uint16_t)(os_thread_number(t) - 1);
	step_goals_function(s, pc, &g->fn_lo, &g->fn_hi);
	enter_line(g, pc);
	g->from = pc;
	inlined_of(s->program, &frames[level], &g->inlined);
	if (g->inlined.begins && g->inlined.call.line)
		g->line = g->inlined.call;
	for (size_t i = level + 1; i < n; i++) {
		if (frames[i].call == frames[level].call || frames[i].kind == FRAME_SIGNAL)
			continue;
		step_goals_function(s, frame_look(&frames[i]), &g->caller_lo, &g->caller_hi);
		break;
	}
	free(deep);
}

bool goal_leave_inlined(struct goal *g)
{
	if (!g->inlined.count)
		return false;
	/* As in gdb: step by lines in the outer frame, from no particular line. */
	g->inlined.count--;
	g->lo = g->hi = 0;
	g->line = (struct source_line){0};
	return true;
}

/* True if the frame is gone without a return: longjmp, or an exception. */
static bool frame_lost(const struct goal *g, const struct machine *m, const struct event *ev,
                       uint64_t next)
{
	if (machine_reg(m, REG_SP) < g->cfa && machine_pipe(m)->st->thread == g->thread)
		return false;
	uint64_t sp = step_goals_sp(m, ev);
	return sp > g->cfa ||
	       (sp == g->cfa && step_goals_pc_in_range(next, g->caller_lo, g->caller_hi));
}

/* ---- signal handlers count as called by the interrupted code ---- */
enum { TRAMPOLINE_BYTES = 8 };

static const struct signal_process *signals_of(const struct machine *m)
{
	return &os_state_const(machine_os_const(m))->signals;
}

static bool is_handler(const struct signal_process *p, uint64_t pc)
{
	for (unsigned i = 1; i < OS_SIGNALS; i++)
		if (p->action[i][0] == pc)
			return true;
	return false;
}

/* True if u is the first instruction of a handler that a signal entered. */
static bool enters_handler(const struct machine *m, const struct event *ev, const struct uop *u)
{
	const struct signal_process *p = signals_of(m);
	uint64_t r[32];
	if (!p->trampoline || !is_handler(p, u->pc))
		return false;
	step_goals_registers(m, ev, r, 32);
	return (u->inst.rd == REG_RA ? u->undo.rd : r[REG_RA]) == p->trampoline;
}

/* True if a handler follows u, or the return from one. */
static bool is_between(const struct machine *m, const struct uop *u)
{
	const struct signal_process *p = signals_of(m);
	const uint64_t next = u->exec.next_pc;
	return p->trampoline && (next - p->trampoline < TRAMPOLINE_BYTES ||
	                         (u->trap == TRAP_ECALL && is_handler(p, next)));
}

/* True if the step's own frame continues there. */
static bool is_own_frame(const struct goal *g, const struct machine *m, const struct event *ev,
                         uint64_t next)
{
	uint64_t r[32];
	struct frame here;
	step_goals_registers(m, ev, r, 32);
	program_backtrace(g->s->program, machine_mem_const(m), r, next, &here, 1);
	return here.cfa == g->cfa;
}

/* Follows a call or return; true if the frame has been left: if without a return, at the end of the
 * jump. */
static bool step_goals_follow_call(struct goal *g, const struct machine *m, const struct event *ev,
                                   const struct uop *u)
{
	if (g->jump_hi)
		return !step_goals_pc_in_range(u->exec.next_pc, g->jump_lo, g->jump_hi);
	if (enters_handler(m, ev, u))
		g->depth++;
	if (inst_pushes_ras(&u->inst))
		g->depth++;
	else if (inst_pops_ras(&u->inst))
		g->depth--;
	/* Calls that a longjmp has skipped never return. */
	if (g->depth > 0 && inst_pops_ras(&u->inst) &&
	    step_goals_pc_in_range(u->exec.next_pc, g->fn_lo, g->fn_hi) &&
	    is_own_frame(g, m, ev, u->exec.next_pc))
		g->depth = 0;
	/* The unwinder of C++ leaves it by the return from a call, too. */
	if (g->depth < 0 || (!g->depth && !inst_pops_ras(&u->inst)) ||
	    (!g->depth && step_goals_pc_in_range(u->exec.next_pc, g->fn_lo, g->fn_hi)) ||
	    !frame_lost(g, m, ev, u->exec.next_pc))
		return g->depth < 0;
	step_goals_function(g->s, u->pc, &g->jump_lo, &g->jump_hi);
	return !step_goals_pc_in_range(u->exec.next_pc, g->jump_lo, g->jump_hi);
}

/* True in an inlined function, which is passed over from its beginning to its end, as in gdb.
 * *over: the step ends here, because the inlined call is on another line, or is to be entered. */
static bool passes_inlined(struct goal *g, uint64_t next, const struct inlined *at, bool *over)
{
	*over = false;
	if (inlined_same(at, &g->inlined) && at->begins) {
		g->enters = g->into && step_goals_same_line(&at->call, &g->line);
		*over = (g->enters || !step_goals_same_line(&at->call, &g->line)) &&
		        !goal_is_breakpoint(g, next);
		return true;
	}
	if (!inlined_within(at, &g->inlined))
		return false;
	*over = g->into;
	if (inlined_extent(at, g->inlined.count, next, &g->pass_lo, &g->pass_hi))
		g->pass_lo++; /* at its beginning, the call counts */
	return true;
}

bool goal_next(void *ctx, const struct machine *m, const struct event *ev)
{
	struct goal *g = ctx;
	const struct uop *u = step_goals_committed_uop(m, ev);
	uint64_t next = u->exec.next_pc;
	bool over;
	if (of_others(g, m, u, &over))
		return over;
	const bool left = step_goals_follow_call(g, m, ev, u);
	if (left && g->depth >= 0)
		return step_goals_check_reached(g, m);
	if (left) {
		enter_caller(g, m, ev, next);
		g->forth_only = false;
	} else if (g->depth > 0 || step_goals_pc_in_range(next, g->lo, g->hi) || is_between(m, u) ||
	           (g->forth_only && next < g->hi &&
	            step_goals_pc_in_range(next, g->fn_lo, g->fn_hi)) ||
	           step_goals_pc_in_range(next, g->pass_lo, g->pass_hi)) {
		return false;
	}
	struct inlined here;
	inlined_at(g->s->program, next, &here);
	if (left)
		g->inlined = here;
	else if (passes_inlined(g, next, &here, &over))
		return over && step_goals_check_reached(g, m);
	g->pass_lo = g->pass_hi = 0;
	/* As in gdb, the step ends at the beginning of another line. It continues in the middle of
	 * a line, as after a call, and in another part of the same line, as of a `for`. */
	struct program_stretch at;
	if (!program_stretch_at(g->s->program, next, &at))
		return step_goals_check_reached(g, m);
	if (!step_goals_same_line(&at.at, &g->line)) {
		if (next == at.pc && !at.is_stop && !left && inlined_same(&here, &g->inlined)) {
			g->lo = at.pc; /* pass over it, the line stays */
			g->hi = at.end;
			g->forth_only = false;
			return false;
		}
		if (next == at.pc && at.is_stop && !goal_is_breakpoint(g, next))
			return step_goals_check_reached(g, m);
	}
	/* After leaving a function for another line, at a place that is no stop, the step ends at
	 * any line. */
	const bool leaves = (left || !inlined_same(&here, &g->inlined)) &&
	                    !step_goals_same_line(&at.at, &g->line);
	const bool unknown = leaves && next == at.pc && !at.is_stop;
	g->lo = at.pc;
	g->hi = at.end;
	g->line = unknown ? (struct source_line){0} : at.at;
	g->inlined = here;
	g->forth_only = false;
	return false;
}

bool goal_next_instruction(void *ctx, const struct machine *m, const struct event *ev)
{
	struct goal *g = ctx;
	bool over;
	if (of_others(g, m, step_goals_committed_uop(m, ev), &over))
		return over;
	const struct uop *u = step_goals_committed_uop(m, ev);
	return (step_goals_follow_call(g, m, ev, u) || (g->depth <= 0 && !is_between(m, u))) &&
	       !goal_is_breakpoint(g, u->exec.next_pc) && step_goals_check_reached(g, m);
}

bool goal_finish(void *ctx, const struct machine *m, const struct event *ev)
{
	struct goal *g = ctx;
	const struct uop *u = step_goals_committed_uop(m, ev);
	uint64_t r[64];
	bool over;
	if (of_others(g, m, u, &over))
		return over;
	if (!step_goals_follow_call(g, m, ev, u))
		return false;
	step_goals_registers(m, ev, r, 64);
	for (unsigned i = 0; i < 2; i++) {
		g->a[i] = r[REG_A0 + i];
		g->fa[i] = r[REG_F0 + 10 + i];
	}
	return step_goals_check_reached(g, m);
}

bool goal_reach(void *ctx, const struct machine *m, const struct event *ev)
{
	const struct goal *g = ctx;
	const struct uop *u = step_goals_committed_uop(m, ev);
	for (size_t i = 0; i < g->targets && u->thread == g->thread; i++)
		if (u->exec.next_pc == g->target[i])
			return true;
	return false;
}

bool goal_wait(void *ctx, const struct machine *m, const struct event *ev)
{
	return step_goals_committed_uop(m, ev)->exec.next_pc == machine_pc(m) &&
	       goal_reach(ctx, m, ev);
}

bool goal_reach_within(void *ctx, const struct machine *m, const struct event *ev)
{
	struct goal *g = ctx;
	const struct uop *u = step_goals_committed_uop(m, ev);
	bool over;
	if (of_others(g, m, u, &over))
		return over;
	if (step_goals_follow_call(g, m, ev, u))
		return step_goals_check_reached(g, m);
	return (!g->own_frame || !g->depth) && goal_reach(g, m, ev) &&
	       !goal_is_breakpoint(g, u->exec.next_pc) && step_goals_check_reached(g, m);
}

/* True if the inlined function of the frame begins after u. */
static bool begins_inlined(const struct goal *g, const struct machine *m, const struct event *ev,
                           const struct uop *u)
{
	const uint64_t next = u->exec.next_pc;
	struct inlined before, inside = {0};
	if (!step_goals_pc_in_range(next, g->fn_lo, g->fn_hi) ||
	    !step_goals_pc_in_range(u->pc, g->fn_lo, g->fn_hi))
		return false;
	const struct frame f = {.pc = next + 1, .kind = FRAME_CALLER, .inlined = UINT_MAX};
	inlined_of(g->s->program, &f, &inside);
	inlined_at(g->s->program, next, &before);
	return before.begins && before.count < g->inlined.count &&
	       (inlined_same(&inside, &g->inlined) || inlined_within(&inside, &g->inlined)) &&
	       is_own_frame(g, m, ev, next);
}

/* True for an instruction of this frame or its caller; calls are passed over. */
bool goal_instruction_before(void *ctx, const struct machine *m, const struct event *ev)
{
	struct goal *g = ctx;
	const struct uop *u = step_goals_committed_uop(m, ev);
	const uint64_t next = u->exec.next_pc;
	const bool own = step_goals_pc_in_range(next, g->fn_lo, g->fn_hi);
	uint64_t r[32];
	struct frame here;
	bool over;
	if (of_others(g, m, u, &over) || is_between(m, u))
		return false;
	if (!own && !step_goals_pc_in_range(next, g->caller_lo, g->caller_hi))
		return false;
	step_goals_registers(m, ev, r, 32);
	if (!own)
		return r[REG_SP] >= g->cfa;
	program_backtrace(g->s->program, machine_mem_const(m), r, next, &here, 1);
	return here.cfa == g->cfa;
}

bool goal_called(void *ctx, const struct machine *m, const struct event *ev)
{
	struct goal *g = ctx;
	const struct uop *u = step_goals_committed_uop(m, ev);
	bool over;
	if (of_others(g, m, u, &over))
		return false;
	if (g->inlined.count)
		return begins_inlined(g, m, ev, u);
	return inst_pushes_ras(&u->inst) && u->exec.next_pc == g->fn_lo &&
	       step_goals_sp(m, ev) == g->cfa;
}
