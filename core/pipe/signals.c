#include "core/defs/event_fields.h"
#include "core/pipe/signals.h"

#include <string.h>

#include "core/defs/config_fields.h"
#include "core/defs/stats_fields.h"
#include "core/pipe/interrupt/interpret.h"
#include "core/pipe/new_code.h"
#include "core/pipe/slot_rows.h"

bool signals_catch(struct pipe *p, const struct uop *u)
{
	if (p->hart->mode != MODE_U ||
	    !p->os->catches(p->os->ctx, p->hart, (enum trap)u->trap, u->exec.addr))
		return false;
	p->st->signals_at = 0;
	return true;
}

/* The oldest instruction, if it is complete and its fault has a handler; else NULL. */
static const struct uop *signals_caught_uop(const struct pipe *p)
{
	const struct uop *u = p->st->rob_count ? pipe_rob_at(p, 0) : NULL;
	return u && u->state == UOP_DONE && u->trap != TRAP_NONE && u->trap < TRAP_ECALL &&
	                       p->st->cycle >= pipe_commit_from(p, u) &&
	                       p->os->catches(p->os->ctx, p->hart, (enum trap)u->trap, u->exec.addr)
	               ? u
	               : NULL;
}

static void signals_squash_pipeline(struct pipe *p)
{
	struct pipe_state *st = p->st;
	p->prof->squash = (struct squash_cause){.fate = PROFILEME_FATE_INTERRUPT};
	pipe_squash(p, 0, st->commit_pc, st->cycle + (uint64_t)p->cfg->bpred_penalty,
	            SLOT_interrupted);
	pipe_set_counters(p, &(struct inst){.op = OP_ILLEGAL});
}

/* Adopts the registers and pc that the system has set as committed state. */
static void signals_adopt_hart_state(struct pipe *p)
{
	struct pipe_state *st = p->st;
	const struct hart *h = p->hart;
	struct event *ev;
	memcpy(st->creg, h->r, sizeof st->creg);
	st->creg[REG_SINK] = 0;
	st->cfcsr = h->fcsr;
	st->commit_pc = st->fetch_pc = h->pc;
	(void)pipe_new_code(p, NULL);
	signals_after_call(p);
	if (p->os->ended(p->os->ctx, &st->outcome) && (p->events.mask & EV_BIT(EXIT)) &&
	    (ev = event_put(&p->events, EV_EXIT, st->cycle, 0, h->pc, EVENT_NO_SLOT, OP_ILLEGAL)))
		ev->exit = (struct ev_exit){.status = (uint32_t)st->outcome.exit_status};
}

void signals_look(struct pipe *p)
{
	const struct uop *u = signals_caught_uop(p);
	if (p->hart->mode != MODE_U || interpret_holds(p))
		return;
	if (u) {
		const enum trap trap = (enum trap)u->trap;
		const uint64_t at = u->exec.addr;
		signals_squash_pipeline(p);
		p->os->fault(p->os->ctx, p->hart, trap, at);
		signals_adopt_hart_state(p);
	} else if (p->st->serial_slot != NO_SLOT) {
		/* A serialising instruction is not committed yet; a system call checks signals
		 * itself. */
		return;
	} else if (p->os->signals_wanted(p->os->ctx)) {
		signals_squash_pipeline(p);
		p->os->signals(p->os->ctx, p->hart);
		signals_adopt_hart_state(p);
	} else {
		signals_after_call(p);
	}
}

void signals_after_call(struct pipe *p)
{
	p->st->signals_at = p->os->signals_due(p->os->ctx);
}
