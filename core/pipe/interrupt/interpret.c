#include "core/defs/event_fields.h"
#include "core/isa/op.h"
#include "core/pipe/interrupt/interpret_priv.h"

#include <stddef.h>
#include <string.h>

#include "core/defs/config_fields.h"
#include "core/defs/stats_fields.h"
#include "core/isa/csr.h"
#include "core/mem/mem.h"
#include "core/pipe/interrupt/bounce.h"
#include "core/pipe/interrupt/handler.h"
#include "core/pipe/slot_rows.h"
#include "core/pipe/window.h"
#include "core/pipe/xprof/xprof.h"
#include "core/trap/trap.h"

bool interpret_is_upcall(const struct pipe *p)
{
	return p->cfg->vsample_method == VSAMPLE_BY_UPCALL;
}

bool interpret_is_bounce(const struct pipe *p)
{
	return p->cfg->vsample_method == VSAMPLE_BY_BOUNCE;
}

void interpret_settle(struct pipe *p)
{
	struct pipe_state *st = p->st;
	st->commit_pc = st->fetch_pc = p->hart->pc;
	st->cfcsr = p->hart->fcsr;
	if (st->xprof_seen)
		xprof_adopt(p);
}

/* ---- the handler ---- */
static void count_stop(struct pipe *p, enum vsample_stop stop)
{
	static const size_t counter[VSAMPLE_STOP_COUNT] = {
#define S(id, name, help) [VSAMPLE_STOP_##id] = offsetof(struct stats, vsample_stop_##name),
		VSAMPLE_STOPS(S)
#undef S
	};
	struct vsample_state *v = interpret_state(p);
	++*(uint64_t *)(void *)((uint8_t *)p->stats + counter[stop]);
	v->stop = stop;
	v->stop_pc = p->hart->pc;
	interpret_tell_stopped(p);
}

/* Returns to the program: fetch begins in the next cycle. */
static void interpret_resume_program(struct pipe *p, uint64_t now)
{
	struct vsample_state *v = interpret_state(p);
	struct pipe_state *st = p->st;
	interpret_settle(p);
	p->hart->marked = 0;
	pipe_drop_line(st);
	st->fetch_waits = st->fetch_blocked = 0;
	st->redirect_until = now + 1;
	st->after_trap = BLAME_VSAMPLE;
	v->phase = VSAMPLE_AWAY;
	v->routine_left = 0;
}

static void interpret_leave_handler(struct pipe *p, enum vsample_stop stop, uint64_t now)
{
	if (stop != VSAMPLE_GOES_ON)
		count_stop(p, stop);
	interpret_resume_program(p, now);
	vsample_begin_interval(p->prof);
}

/* Ends the interpretation; a library returns through the kernel. */
static void stop_interpreting(struct pipe *p, enum vsample_stop stop, uint64_t now)
{
	struct vsample_state *v = interpret_state(p);
	if (!interpret_is_upcall(p)) {
		interpret_leave_handler(p, stop, now);
		return;
	}
	count_stop(p, stop);
	v->phase = VSAMPLE_RETURN;
	v->due = now + (uint64_t)p->cfg->vsample_return_cycles;
}

/* True if the instruction would keep interrupts off beyond vsample.deadline. */
static bool is_too_late(const struct pipe *p, unsigned op, uint64_t now)
{
	const struct config *c = p->cfg;
	return !interpret_is_upcall(p) && c->vsample_deadline &&
	       now - interpret_state(p)->since + (uint64_t)c->vsample_inst_cycles +
	                       interpret_tuple_cycles(p, interpret_capture_of(p, op)) >
	               (uint64_t)c->vsample_deadline;
}

/* Takes a firmware interrupt: the library runs with interrupts on. The interpretation continues
 * after it. */
static void break_off(struct pipe *p, uint64_t wanted)
{
	interpret_settle(p);
	p->stats->vsample_broken++;
	pipe_interrupt(p, wanted);
}

/* Begins the next instruction, or returns to the program. */
static void interpret_begin_inst(struct pipe *p, uint64_t now)
{
	struct vsample_state *v = interpret_state(p);
	struct hart *h = p->hart;
	struct next_inst c = {0};
	enum vsample_stop stop = v->left ? VSAMPLE_GOES_ON : VSAMPLE_STOP_LENGTH;
	if (!stop && p->prof->pending) {
		h->mip = prof_poll(p->prof);
		const uint64_t wanted = trap_wanted(h, h->mip);
		if (wanted && interpret_is_upcall(p)) {
			break_off(p, wanted);
			return;
		}
		stop = wanted ? VSAMPLE_STOP_INTERRUPT : VSAMPLE_GOES_ON;
	}
	const uint64_t pc = h->pc, flags = h->pflags;
	if (!stop) {
		stop = next_inst_obstacle(p, &c);
		if (is_too_late(p, c.in.op, now))
			stop = VSAMPLE_STOP_DEADLINE;
	}
	if (stop) { /* before the skipped profile instructions: decode must handle those */
		h->pc = pc;
		h->pflags = flags;
		stop_interpreting(p, stop, now);
		return;
	}
	interpret_settle(p);
	v->pc = h->pc;
	v->begun = now;
	v->level = v->delayed = v->missed_tlb = v->faulted = 0;
	handler_begin_routine(p, c.in.op);
	/* loads the instruction word; inst_cycles include the wait for it */
	handler_load(p, h->pc + c.prefix, c.in.len, now);
	v->phase = VSAMPLE_INST;
	v->due = now + (uint64_t)p->cfg->vsample_inst_cycles;
}

static void interpret_wait_cycles(struct pipe *p, uint64_t now, uint64_t cycles)
{
	interpret_state(p)->due = now + cycles;
	p->stats->vsample_memory_cycles += cycles;
}

/* Executes and records the instruction, at the end of its time. */
static void interpret_finish_inst(struct pipe *p, const struct next_inst *c, uint64_t now)
{
	struct vsample_state *v = interpret_state(p);
	struct retired r;
	struct vsample_tuple before = {0};
	const unsigned capture = v->skip ? 0 : interpret_capture_of(p, c->in.op);
	if ((c->flags & OPF_STORE) && !hierarchy_store_fits(&p->mem, c->addr, c->size, now)) {
		interpret_wait_cycles(p, now, 1);
		return;
	}
	interpret_look_before(p, capture, &before, now);
	if (!interpret_execute(p, c, &r, now)) {
		stop_interpreting(p, VSAMPLE_STOP_TRAP, now);
		return;
	}
	if (r.u->exec.stored)
		handler_store(p, r.u->exec.addr, r.u->exec.size, now);
	interpret_tell_devices(p, &r);
	const bool recorded = capture & VSAMPLE_TUPLE,
		   lost = recorded && !interpret_record(p, &before, &r, capture, now);
	if (!recorded)
		v->phase = VSAMPLE_STARTS;
	if (v->level > LEVEL_L1)
		interpret_note_brought(p, c->addr);
	if (v->skip)
		v->skip--;
	else
		v->left--;
	interpret_tell(p, r.u, recorded, lost);
	v->place++;
}

/* Continues with an instruction that was inspected, or whose data has arrived. */
static void interpret_continue_inst(struct pipe *p, uint64_t now)
{
	struct vsample_state *v = interpret_state(p);
	struct next_inst c;
	const enum vsample_stop stop = next_inst_obstacle(p, &c);
	if (stop || p->hart->pc != v->pc) { /* changed by hand */
		v->phase = VSAMPLE_STARTS;
		return;
	}
	if (!v->faulted && next_inst_meets_page_fault(p, &c)) {
		v->faulted = 1;
		v->due = now + (uint64_t)p->cfg->vsample_fault_cycles;
		p->stats->vsample_faults++;
		return;
	}
	if (v->phase == VSAMPLE_LOAD || !(c.flags & OPF_LOAD)) {
		interpret_finish_inst(p, &c, now);
		return;
	}
	const struct access a = handler_load(p, c.addr, c.size, now);
	if (!a.accepted) {
		interpret_wait_cycles(p, now, 1);
		return;
	}
	v->asked = now;
	v->level = a.level;
	v->delayed = a.on_way;
	v->missed_tlb = a.tlb_miss;
	v->phase = VSAMPLE_LOAD;
	interpret_wait_cycles(p, now, a.ready - now);
}

static void interpret_schedule_start(struct pipe *p, uint64_t now)
{
	struct vsample_state *v = interpret_state(p);
	v->phase = VSAMPLE_STARTS;
	v->due = now + (uint64_t)p->cfg->vsample_start_cycles;
}

/* ---- bouncing back ---- */
/* Notes the block and resumes the program, for a few more cycles than last time if it had made no
 * progress.
 */
static void send_off(struct pipe *p, uint64_t now)
{
	struct vsample_state *v = interpret_state(p);
	const uint64_t most = (uint64_t)p->cfg->vsample_bounce_max;
	uint64_t cycles = v->armed ? v->user_cycles + (uint64_t)p->cfg->vsample_bounce_step
	                           : (uint64_t)p->cfg->vsample_bounce_cycles;
	if (!bounce_set_up(p)) {
		v->armed = 0;
		interpret_leave_handler(p, VSAMPLE_STOP_AMBIGUOUS, now);
		return;
	}
	interpret_resume_program(p, now);
	vsample_arm(p->prof, cycles < most ? cycles : most);
}

static void record_bounced(struct pipe *p, uint64_t now)
{
	struct vsample_tuple t;
	const unsigned capture = bounce_tuple(p, &t);
	if (capture)
		interpret_hand_over(p, &t, capture, now);
	else
		interpret_leave_handler(p, VSAMPLE_GOES_ON, now);
}

static void look_back(struct pipe *p, uint64_t now)
{
	struct vsample_state *v = interpret_state(p);
	const enum vsample_stop stop = bounce_look(p);
	if (!stop) {
		interpret_schedule_start(p, now);
		return;
	}
	v->armed = 0;
	count_stop(p, stop);
	record_bounced(p, now);
}

/* ---- the interrupt ---- */
bool interpret_runs(const struct pipe *p)
{
	return interpret_state(p)->phase != VSAMPLE_AWAY && p->hart->mode == MODE_U;
}

bool interpret_begins_now(const struct pipe *p)
{
	const struct vsample_state *v = interpret_state(p);
	return v->phase == VSAMPLE_ENTERED && v->since == p->st->cycle;
}

void interpret_follow_block(struct pipe *p)
{
	const struct vsample_state *v = interpret_state(p);
	if (v->armed && p->counts->insts != v->block.seen)
		bounce_follow(p);
}

/* True if the interrupt is due by committed instructions, or by the program's cycles, and may be
 * taken in this cycle. */
bool interpret_comes(struct pipe *p)
{
	struct vsample_state *v = interpret_state(p);
	struct pipe_state *st = p->st;
	if (p->counts->insts < v->at || p->hart->mode != MODE_U)
		return false;
	/* firmware that interrupted the handler has returned to it in this cycle */
	if (v->phase != VSAMPLE_AWAY) {
		interpret_begin_inst(p, st->cycle);
		st->redirect_until = st->cycle + 1;
		return false;
	}
	if (v->armed && v->user_left)
		v->user_left--;
	return !v->user_left && st->serial_slot == NO_SLOT;
}

void interpret_enter(struct pipe *p)
{
	struct vsample_state *v = interpret_state(p);
	struct pipe_state *st = p->st;
	const uint64_t now = st->cycle;
	p->prof->squash = (struct squash_cause){.fate = PROFILEME_FATE_INTERRUPT};
	pipe_squash(p, 0, st->commit_pc, now + 1, SLOT_interrupted);
	assert(!st->mark_next); /* else fetch would begin at the mark */
	v->since = now;
	v->sampled_pc = st->commit_pc;
	v->left = v->skip = v->place = v->brought = 0;
	handler_begin_lines(p);
	v->phase = VSAMPLE_ENTERED;
	v->due = now + (uint64_t)p->cfg->vsample_interrupt_cycles;
	if (v->armed) {
		p->stats->vsample_bounces++;
	} else if (vsample_counts_down(p->prof)) {
		v->left = (uint64_t)p->cfg->vsample_length;
		v->skip = vsample_draw_skip(p->prof);
	}
	interpret_tell_entered(p);
}

/* Chooses the next phase at the end of the interrupt's own cycles. */
static void interpret_dispatch_interrupt(struct pipe *p, uint64_t now)
{
	struct vsample_state *v = interpret_state(p);
	if (v->armed) {
		look_back(p, now);
	} else if (!v->left) {
		interpret_leave_handler(p, VSAMPLE_GOES_ON, now);
	} else if (!interpret_is_upcall(p)) {
		interpret_schedule_start(p, now);
	} else if (!handler_push_frame(p)) {
		interpret_leave_handler(p, VSAMPLE_STOP_STACK, now);
	} else {
		p->stats->vsample_upcalls++;
		v->phase = VSAMPLE_UPCALL;
		v->due = now + (uint64_t)p->cfg->vsample_upcall_cycles;
	}
}

/* Ends the phase that is due in this cycle and begins the next. */
static void interpret_advance_phase(struct pipe *p, uint64_t now)
{
	struct vsample_state *v = interpret_state(p);
	switch ((enum vsample_phase)v->phase) {
	case VSAMPLE_ENTERED:
		interpret_dispatch_interrupt(p, now);
		return;
	case VSAMPLE_UPCALL:
		interpret_schedule_start(p, now);
		return;
	case VSAMPLE_RETURN:
		interpret_leave_handler(p, VSAMPLE_GOES_ON, now);
		return;
	case VSAMPLE_INST:
	case VSAMPLE_LOAD:
		interpret_continue_inst(p, now);
		return;
	default:
		if (!interpret_is_bounce(p))
			interpret_begin_inst(p, now);
		else if (v->phase == VSAMPLE_STARTS)
			send_off(p, now);
		else
			record_bounced(p, now);
	}
}

void interpret_cycle(struct pipe *p)
{
	struct vsample_state *v = interpret_state(p);
	const uint64_t now = p->st->cycle;
	assert(!p->st->rob_count && !p->st->fetchq_count);
	p->stats->vsample_cycles++;
	p->stats->cpi_vsample += p->commit_width;
	handler_touch(p, now);
	while (interpret_holds(p) && v->due <= now)
		interpret_advance_phase(p, now);
	if (interpret_holds(p))
		p->st->redirect_until = v->due + 1; /* fetch not before */
}
