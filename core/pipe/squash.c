/* Taking instructions back: squashes, fetch redirects, and the system call at the head. */
#include "core/pipe/window.h"

/* Unlinks u from the producers it still waits for. It is the youngest consumer of each, so it stands at
 * the head of their lists. */
static void unlink_sources(struct pipe *p, struct uop *u)
{
	uint16_t slot = slot_of(p, u);
	for (int i = 2; u->pending && i >= 0; i--) {
		if (!(u->pending >> i & 1))
			continue;
		struct uop *q = pipe_uop(p, u->src_slot[i]);
		assert(q->dep_head == (uint16_t)(slot << 2 | i));
		q->dep_head = u->dep_next[i];
		u->dep_next[i] = NO_LINK;
	}
}

static void undo_execution(struct machine *m, struct uop *u)
{
	struct hart *h = m->pipe.hart;
	if (u->stored)
		mem_store(m->mem, u->addr, u->size, u->store_old);
	h->r[u->inst.rd] = u->old_rd;
	if (uop_changes_csrs(u)) {
		h->fcsr = u->old_fcsr;
		h->reserved = u->old_reserved;
	}
}

static void undo_rename(struct pipe *p, const struct uop *u)
{
	if (u->inst.rd == REG_SINK)
		return;
	/* The earlier producer may have committed meanwhile, and its slot even have a new tenant. */
	uint16_t old = u->old_rename;
	bool alive = old != NO_SLOT && uop_in_window(&p->pool[old]) && p->pool[old].seq < u->seq &&
	             p->pool[old].inst.rd == u->inst.rd;
	p->st->rename[u->inst.rd] = alive ? old : NO_SLOT;
}

/* Takes the youngest entry out of the load/store queue. */
static void leave_queue(struct pipe *p, struct uop *u)
{
	if (u->state == UOP_ADDRESS) {
		ring_clear(p->retry, u->rob_pos);
		p->st->mem_retries--;
	}
	filter_drop(p, u);
	if (may_store(u) && !(u->flags & UF_ADDR_KNOWN))
		unknown_drop(p, u);
	p->st->lsq_count--;
}

static void remove_youngest(struct machine *m)
{
	struct pipe *p = &m->pipe;
	struct pipe_state *st = p->st;
	struct uop *u = pipe_rob_at(p, st->rob_count - 1);
	uint16_t slot = slot_of(p, u);

	unlink_sources(p, u);
	undo_rename(p, u);
	undo_execution(m, u);
	if (u->op_flags & OPF_CONTROL)
		bpred_undo(&p->bpred, &u->mark);
	wheel_drop(p, u);
	if (u->state == UOP_READY)
		ring_clear(ready_in(p, u->pool), u->rob_pos);
	if (u->state == UOP_WAITING || u->state == UOP_READY)
		st->iq_count--;
	if (is_memory(u))
		leave_queue(p, u);
	if (st->serial_slot == slot)
		st->serial_slot = NO_SLOT;
	if (st->spec_slot == slot)
		st->spec_slot = NO_SLOT;
	u->state = UOP_SQUASHED;
	u->end_cycle = st->cycle;
	st->rob_count--;
}

void pipe_flush_fetch(struct machine *m, uint64_t next_pc)
{
	struct pipe *p = &m->pipe;
	struct pipe_state *st = p->st;
	while (st->fetchq_count) {
		struct uop *u = pipe_fetchq_at(p, st->fetchq_count - 1);
		if (u->op_flags & OPF_CONTROL)
			bpred_undo(&p->bpred, &u->mark);
		u->state = UOP_SQUASHED;
		u->end_cycle = st->cycle;
		st->fetchq_count--;
	}
	st->fetch_pc = next_pc;
	st->fetch_line = UINT64_MAX;
	st->fetch_waits = 0;
	st->fetch_blocked = 0;
}

uint32_t pipe_squash(struct machine *m, uint32_t keep, uint64_t next_pc, uint64_t fetch_from)
{
	struct pipe *p = &m->pipe;
	struct pipe_state *st = p->st;
	uint32_t gone = st->rob_count - keep;
	pipe_flush_fetch(m, next_pc);
	while (st->rob_count > keep)
		remove_youngest(m);
	/* The instruction that caused it, the youngest left, has found its way. */
	if (keep && st->spec_slot == p->rob[(st->rob_head + keep - 1) & p->rob_mask])
		st->spec_slot = NO_SLOT;
	p->hart->pc = next_pc;
	st->redirect_until = fetch_from;
	st->dispatch_blocked = 0;
	st->after_squash = 1;
	m->stats->squashes++;
	m->stats->squashed += gone;
	return gone;
}

bool pipe_serve_syscall(struct machine *m)
{
	struct pipe *p = &m->pipe;
	struct pipe_state *st = p->st;
	struct uop *u = pipe_uop(p, st->serial_slot);
	if (u->trap != TRAP_ECALL || u->state != UOP_DONE || (u->flags & UF_SERVED) ||
	    st->cycle < pipe_commit_from(p, u))
		return true;
	const struct hart before = *p->hart;
	machine_set_counters(m);
	if (!os_syscall(m->os, p->hart, m->mem)) {
		*p->hart = before; /* nothing happened, so nothing may differ */
		return false;
	}
	u->flags |= UF_SERVED;
	u->result = p->hart->r[REG_A0];
	return true;
}
