/* Undoes instructions: squashes, fetch redirects; and the system call at the head. */
#include "core/defs/event_fields.h"
#include "core/defs/config_fields.h"
#include "core/isa/csr.h"
#include "core/pipe/signals.h"
#include "core/pipe/slots.h"
#include "core/pipe/window.h"
#include "core/prof/common/prof.h"
#include "core/defs/stats_fields.h"
#include "core/pipe/xprof/xprof.h"
#include "core/trap/trap.h"

/* Unlinks u from the producers that it still waits for. The uop is the youngest consumer of each
 * operand, so it is at the head of their lists. */
static void unlink_sources(struct pipe *p, struct uop *u)
{
	for (int i = SOURCE_LATER; u->src.pending && i >= 0; i--) {
		if (!(u->src.pending >> i & 1))
			continue;
		struct uop *q = pipe_uop(p, u->src.slot[operand_source((unsigned)i)]);
		assert(q->users == (uint16_t)(window_slot_index(p, u) << 2 | i));
		q->users = u->src.next[i];
		u->src.next[i] = NO_LINK;
	}
}

/* Emits the event of an instruction that leaves without retiring. This file belongs to no variant,
 * so the mask is tested at run time. */
static void tell_leave(struct pipe *p, const struct uop *u)
{
	struct event *ev;
	if ((p->events.mask & EV_BIT(LEAVE)) &&
	    (ev = event_put(&p->events, EV_LEAVE, p->st->cycle, u->seq, u->pc,
	                    window_slot_index(p, u), u->inst.op)))
		ev->leave = (struct ev_leave){.entered = (u->flags & UF_EXECUTED) != 0};
}

enum { OPF_UNDONE = OPF_CSR | OPF_CHANGES_CSRS };

/* Restores state that only instructions with a flag of OPF_UNDONE change. */
static void undo_csrs(struct pipe *p, const struct uop *u)
{
	struct hart *h = p->hart;
	/* The old value of the CSR is u->result, also without a destination register. */
	if ((u->op_flags & OPF_CSR) && u->trap == TRAP_NONE)
		csr_write(h, (unsigned)u->inst.imm, u->result);
	if (uop_changes_csrs(u)) {
		h->fcsr = u->undo.fcsr;
		h->reserved = u->undo.reserved;
	}
}

/* Restores the rename entry. The earlier producer may have committed meanwhile. Its slot was not
 * reused in the window: the new instruction would be younger than u, so removed already. */
static void undo_rename(struct pipe *p, const struct uop *u)
{
	uint16_t old = u->undo.rename;
	p->st->rename[u->inst.rd] =
		old != NO_SLOT && uop_in_window(pipe_uop(p, old)) ? old : NO_SLOT;
}

/* Removes the youngest entry from the load/store queue. */
static void leave_queue(struct pipe *p, struct uop *u)
{
	if (u->state == UOP_ADDRESS) {
		ring_clear(p->retry, u->at.rob);
		p->st->mem_retries--;
		p->mem.changes++;
	}
	filter_drop(p, u);
	if (uop_may_store(u) && !(u->flags & UF_ADDR_KNOWN))
		unknown_drop(p, u);
	p->st->lsq_count--;
}

static void remove_youngest(struct pipe *p, struct uop *u)
{
	struct pipe_state *st = p->st;
	if (p->unordered && u->state >= UOP_EXECUTING && !(u->flags & UF_MACHINE)) {
		p->stats->cpi_base--; /* counted when it issued */
		p->stats->cpi_badspec++;
	}
	unlink_sources(p, u);
	undo_rename(p, u);
	if (u->exec.stored)
		mem_put_back(p->ram, u->exec.addr, u->exec.size, u->exec.store_old);
	p->hart->r[u->inst.rd] = u->undo.rd;
	if (u->op_flags & OPF_UNDONE)
		undo_csrs(p, u);
	if (u->op_flags & OPF_REDIRECT)
		bpred_undo(&p->bpred, &u->mark);
	wheel_drop(p, u);
	if (u->state <= UOP_READY) {
		st->iq_count--;
		if (u->state == UOP_READY)
			window_end_ready(p, u->at.pool, u->at.rob);
	}
	if (uop_is_memory(u))
		leave_queue(p, u);
	u->state = UOP_SQUASHED;
	u->when.end = st->cycle;
	st->rob_count--;
}

/* True if the slot's instruction was just removed from the window. */
static bool is_removed(const struct pipe *p, uint16_t slot)
{
	return slot != NO_SLOT && pipe_uop(p, slot)->state == UOP_SQUASHED;
}

/* Removes all but the `keep` oldest from the window, the youngest first. */
static void remove_behind(struct pipe *p, uint32_t keep)
{
	struct pipe_state *st = p->st;
	const bool observed = (p->events.mask & EV_BIT(LEAVE)) || p->prof->squashed;
	while (st->rob_count > keep) {
		struct uop *u = pipe_rob_at(p, st->rob_count - 1);
		remove_youngest(p, u);
		if (!observed)
			continue;
		tell_leave(p, u);
		if (p->prof->squashed)
			prof_squashed(p->prof, u);
	}
	if (is_removed(p, st->serial_slot))
		st->serial_slot = NO_SLOT;
	if (is_removed(p, st->spec_slot))
		st->spec_slot = NO_SLOT;
	if (is_removed(p, st->miss_slot)) {
		st->miss_slot = NO_SLOT;
		st->memory_until = 0;
	}
}

void pipe_flush_fetch(struct pipe *p, uint64_t next_pc)
{
	struct pipe_state *st = p->st;
	while (st->fetchq_count) {
		struct uop *u = pipe_fetchq_at(p, st->fetchq_count - 1);
		if (u->op_flags & OPF_REDIRECT)
			bpred_undo(&p->bpred, &u->mark);
		u->state = UOP_SQUASHED;
		u->when.end = st->cycle;
		st->fetchq_count--;
		tell_leave(p, u);
	}
	st->fetch_pc = next_pc;
	pipe_drop_line(st);
	st->fetch_waits = 0;
	st->fetch_blocked = 0;
	xprof_refetched(p);
}

uint32_t pipe_squash(struct pipe *p, uint32_t keep, uint64_t next_pc, uint64_t fetch_from,
                     uint32_t row)
{
	struct pipe_state *st = p->st;
	uint32_t gone = st->rob_count - keep;
	const struct uop *last = keep ? pipe_rob_at(p, keep - 1) : NULL,
			 *first = gone ? pipe_rob_at(p, keep) : NULL;
	/* The first removed one is fetched again, but not the `mark` before it, to which its
	 * predecessor leads. */
	const bool marked = first && uop_is_marked(first) && next_pc == first->pc &&
	                    (last ? last->exec.next_pc : st->commit_pc) != next_pc;
	const uint16_t flags =
		keep ? pipe_rob_at(p, keep - 1)->flags_around >> 8 : xprof_committed_flags(p);
	pipe_flush_fetch(p, next_pc);
	remove_behind(p, keep);
	/* If the youngest remaining instruction caused the squash, its misprediction is resolved;
	 * before a replayed load it may still be unresolved. */
	if (keep && st->spec_slot == p->rob[(st->rob_head + keep - 1) & p->rob_mask] &&
	    (row == SLOT_wrong_path || last->state == UOP_DONE))
		st->spec_slot = NO_SLOT;
	if (st->xprof_seen)
		xprof_squashed(p, flags);
	st->mark_next = marked;
	p->hart->pc = next_pc;
	st->redirect_until = fetch_from;
	st->dispatch_blocked = 0;
	st->squash_pc = row == SLOT_wrong_path ? last->pc : next_pc;
	st->after_squash = 1;
	st->again = 0;
	p->stats->squashes++;
	p->stats->squashed += gone;
	const enum slot_row refill = row == SLOT_replayed    ? SLOT_replay_refill
	                             : row == SLOT_wrong_path ? slots_refill_row(p)
	                                                      : SLOT_branch_refill;
	if (row == SLOT_wrong_path && refill != SLOT_branch_refill)
		row = refill;
	if (p->hart->mode == MODE_U)
		*pipe_slot_counter(p->counts, row) += gone;
	/* slots left empty since the misprediction are charged to the cause of this squash */
	if (st->spec_slot == NO_SLOT) {
		*pipe_slot_counter(p->counts, refill) += p->counts->slots_unresolved;
		p->counts->slots_unresolved = 0;
		*pipe_slot_counter(p->counts, row) -= p->counts->slots_waited;
		p->counts->slots_waited = 0;
	}
	return gone;
}

bool pipe_serve_syscall(struct pipe *p)
{
	struct pipe_state *st = p->st;
	struct uop *u = pipe_uop(p, st->serial_slot);
	if (u->trap != TRAP_ECALL || u->state != UOP_DONE || (u->flags & UF_SERVED) ||
	    st->cycle < pipe_commit_from(p, u))
		return true;
	const struct hart before = *p->hart;
	pipe_set_counters(p, &u->inst);
	p->hart->pc = u->pc + u->prefix_len;
	if (!p->os->serve(p->os->ctx, p->hart)) {
		*p->hart = before; /* the call had no effect, so restore the hart */
		return false;
	}
	u->flags |= UF_SERVED;
	u->result = p->os->result(p->os->ctx);
	u->exec.next_pc = p->hart->pc;
	signals_after_call(p);
	return true;
}

void pipe_switch_thread(struct pipe *p)
{
	struct pipe_state *st = p->st;
	const struct hart *h = p->hart;
	const uint64_t pc = h->pc;
	assert(!st->rob_count);
	pipe_flush_fetch(p, pc);
	memcpy(st->creg, h->r, sizeof st->creg);
	st->creg[REG_SINK] = 0;
	st->cfcsr = h->fcsr;
	if (st->xprof_seen)
		xprof_squashed(p, (uint16_t)h->pflags);
	xprof_adopt(p);
	st->commit_pc = pc;
	st->mark_next = 0;
	st->again = 0;
	st->redirect_until = st->cycle + (uint64_t)p->cfg->os_switch;
	st->thread = p->os->begins_later(p->os->ctx, (uint64_t)p->cfg->os_switch);
	st->after_squash = AFTER_SWITCH;
	p->stats->os_switches++;
}

void pipe_interrupt(struct pipe *p, uint64_t wanted)
{
	struct pipe_state *st = p->st;
	struct event *ev;
	uint64_t from = st->commit_pc;
	p->prof->squash = (struct squash_cause){.fate = PROFILEME_FATE_INTERRUPT};
	pipe_squash(p, 0, from, st->cycle + (uint64_t)p->cfg->bpred_penalty, SLOT_interrupted);
	unsigned cause = trap_enter(p->hart, p->ram, wanted);
	st->commit_pc = st->fetch_pc = p->hart->pc;
	st->after_trap = BLAME_FIRMWARE;
	p->stats->firmware_interrupts++;
	if ((p->events.mask & EV_BIT(INTERRUPT)) &&
	    (ev = event_put(&p->events, EV_INTERRUPT, st->cycle, 0, from, EVENT_NO_SLOT,
	                    OP_ILLEGAL)))
		ev->interrupt = (struct ev_interrupt){.cause = cause, .handler = p->hart->pc};
}
