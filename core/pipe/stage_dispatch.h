/* Decode and dispatch: instructions leave the fetch queue in order, are executed functionally, get
 * their producers from the rename table and enter the window.
 *
 * Everything that execution changes is remembered in the uop, so a squash can take it back; that is
 * all that wrong-path execution needs. */

/* Clears what only a dispatched uop has. */
static inline void uop_enter(struct uop *u, uint64_t now)
{
	enum { ZEROS = offsetof(struct uop, exec), RESULT = offsetof(struct uop, result),
	       ONES = offsetof(struct uop, ready_cycle) };
	memset((char *)u + ZEROS, 0, RESULT - ZEROS);
	memset((char *)u + ONES, 0xff, sizeof *u - ONES);
	u->dispatch_cycle = now;
}

/* Links operand i of u to the producer of reg, if its value is not there yet. */
static inline void link_source(struct pipe *p, struct uop *u, uint16_t slot, unsigned i, unsigned reg)
{
	uint16_t producer = p->st->rename[reg];
	if (producer == NO_SLOT)
		return;
	struct uop *q = pipe_uop(p, producer);
	u->src_slot[i] = producer;
	u->src_seq[i] = q->seq;
	if (q->state == UOP_DONE)
		return;
	u->pending |= (uint16_t)(1u << i);
	u->dep_next[i] = q->dep_head;
	q->dep_head = (uint16_t)((unsigned)slot << 2 | i);
}

/* A fault (or system call): nothing was executed. On the right path it ends what may be dispatched. */
static void dispatch_trap(struct pipe *p, struct uop *u, enum trap trap)
{
	u->trap = (uint16_t)trap;
	u->exec = (struct exec){.addr = trap == TRAP_FETCH_FAULT ? u->pc : u->addr};
	u->next_pc = trap == TRAP_ECALL ? u->pc + u->inst.len : u->pred_next;
	u->inst.rd = REG_SINK;
	if (!is_memory(u))
		u->inst.klass = CLASS_NOP; /* it needs no unit */
	if (trap != TRAP_ECALL && p->st->spec_slot == NO_SLOT)
		p->st->dispatch_blocked = 1;
}

/* Executes u at the dispatch point and records what is needed to take it back. */
static inline void execute(struct machine *m, struct uop *u)
{
	struct hart *h = m->pipe.hart;
	h->pc = u->pc;
	u->next_pc = u->pc + u->inst.len;
	u->old_rd = h->r[u->inst.rd];
	if (uop_changes_csrs(u)) {
		u->old_fcsr = (uint16_t)h->fcsr;
		u->old_reserved = h->reserved;
		if (u->op_flags & OPF_SERIAL)
			machine_set_counters(m);
	}
	enum trap trap = exec_table[u->inst.op](h, m->mem, &u->inst, &u->exec);
	if (__builtin_expect(trap != TRAP_NONE, 0))
		dispatch_trap(&m->pipe, u, u->trap ? (enum trap)u->trap : trap); /* what fetch ran into comes first */
	u->result = h->r[u->inst.rd];
	if (uop_changes_csrs(u))
		u->raised = (uint16_t)(h->fcsr & 31);
	h->pc = u->next_pc;
}

/* Compares where fetch went with where the program goes: decode corrects what it can see (returns true:
 * pred_next is new, and fetch must go there), the rest becomes a misprediction that resolves at writeback. */
static inline bool check_path(struct machine *m, struct uop *u, uint16_t slot, unsigned flags)
{
	struct pipe_state *st = m->pipe.st;
	bool redirected = false;
	if (!(flags & OPF_INDIRECT)) {
		uint64_t seen = u->mark.flags & BPM_TAKEN ? u->pc + (uint64_t)(int64_t)u->inst.imm
		                                          : u->pc + u->inst.len;
		if (seen != u->pred_next) {
			EMIT(m, MISFETCH, u, seen, u->pred_next);
			m->stats->misfetches++;
			u->flags |= UF_MISFETCH;
			u->pred_next = seen;
			redirected = true;
		}
	}
	if (u->next_pc != u->pred_next) {
		u->flags |= UF_MISPREDICT;
		if (st->spec_slot == NO_SLOT)
			st->spec_slot = slot;
	}
	return redirected;
}

static inline void enter_queue(struct pipe *p, struct uop *u, uint16_t slot)
{
	struct pipe_state *st = p->st;
	u->lsq_pos = (uint16_t)((st->lsq_head + st->lsq_count++) & p->lsq_mask);
	p->lsq[u->lsq_pos] = slot;
	if (may_store(u))
		unknown_add(p, u);
	if (is_store(u) && !(u->pending & 2))
		u->flags |= UF_DATA_READY;
}

static inline void enter_window(struct pipe *p, struct uop *u, uint16_t slot)
{
	struct pipe_state *st = p->st;
	unsigned rd = u->inst.rd;
	u->rob_pos = (uint16_t)((st->rob_head + st->rob_count++) & p->rob_mask);
	p->rob[u->rob_pos] = slot;
	u->old_rename = st->rename[rd];
	if (rd != REG_SINK)
		st->rename[rd] = slot;
	st->iq_count++;
	u->pool = (uint16_t)p->timing[inst_class(&u->inst)].pool;
	u->state = UOP_WAITING;
	if (is_memory(u))
		enter_queue(p, u, slot);
	if (!(u->pending & issue_operands(u)))
		make_ready(p, u);
}

/* True if fetch goes elsewhere, so that what follows in the queue is void. */
static inline bool dispatch_one(struct machine *m, struct uop *u, uint16_t slot)
{
	struct pipe *p = &m->pipe;
	struct pipe_state *st = p->st;
	unsigned flags = u->op_flags;
	bool redirected = false;

	uop_enter(u, st->cycle);
	m->stats->dispatch_insts++;
	u->flags = UF_EXECUTED;
	if (st->spec_slot != NO_SLOT) {
		u->flags = UF_EXECUTED | UF_WRONG_PATH;
		m->stats->dispatch_wrong++;
	} else {
		st->after_squash = 0;
	}
	if (u->inst.rs1)
		link_source(p, u, slot, 0, u->inst.rs1);
	if (u->inst.rs2)
		link_source(p, u, slot, 1, u->inst.rs2);
	if (u->inst.rs3)
		link_source(p, u, slot, 2, u->inst.rs3);
	execute(m, u);
	enter_window(p, u, slot);
	EMIT(m, DECODE, u, 0, 0);
	if (flags & OPF_CONTROL) {
		if (m->cfg.bpred_update == 0)
			bpred_learn(&p->bpred, u->pc, &u->inst, u->taken || (flags & OPF_JUMP), u->next_pc, &u->mark);
		redirected = check_path(m, u, slot, flags);
	} else if (flags & OPF_SERIAL) {
		st->serial_slot = slot;
	}
	EMIT(m, DISPATCH, u, (u->flags & UF_WRONG_PATH) != 0, 0);
	return redirected;
}

/* True if the next instruction may not be dispatched, which is counted. */
static bool dispatch_stalls(const struct machine *m, const struct uop *u)
{
	const struct pipe *p = &m->pipe;
	const struct pipe_state *st = p->st;
	struct stats *s = m->stats;
	if (st->serial_slot != NO_SLOT || ((u->op_flags & OPF_SERIAL) && st->rob_count))
		s->dispatch_stall_serial++;
	else if (st->rob_count == p->rob_limit)
		s->dispatch_stall_rob++;
	else if (st->lsq_count == p->lsq_limit && is_memory(u))
		s->dispatch_stall_lsq++;
	else if (st->iq_count == p->iq_limit)
		s->dispatch_stall_iq++;
	else
		return false;
	return true;
}

static void stage_dispatch(struct machine *m)
{
	struct pipe *p = &m->pipe;
	struct pipe_state *st = p->st;
	uint64_t now = st->cycle;
	if (st->dispatch_blocked)
		return;
	/* Up to `room` instructions have their places; only those with a flag in `look` may have to wait nevertheless. */
	uint32_t room = p->rob_limit - st->rob_count, iq_room = p->iq_limit - st->iq_count;
	if (iq_room < room)
		room = iq_room;
	if (st->serial_slot != NO_SLOT)
		room = 0;
	unsigned look = OPF_SERIAL | (p->lsq_limit - st->lsq_count < p->decode_width ? OPF_MEMORY : 0);
	uint32_t most = st->fetchq_count < p->decode_width ? st->fetchq_count : p->decode_width;

	for (; most; most--) {
		uint16_t slot = p->fetchq[st->fetchq_head];
		struct uop *u = pipe_uop(p, slot);
		if (u->avail_cycle >= now)
			return;
		if ((!room || (u->op_flags & look)) && dispatch_stalls(m, u))
			return;
		room = u->op_flags & OPF_SERIAL ? 0 : room - 1;
		st->fetchq_head = (st->fetchq_head + 1) & p->fetchq_mask;
		st->fetchq_count--;
		if (dispatch_one(m, u, slot)) {
			pipe_flush_fetch(m, u->pred_next);
			st->redirect_until = now + 1; /* known at the end of decode */
			return;
		}
		if (st->dispatch_blocked)
			return;
	}
}
