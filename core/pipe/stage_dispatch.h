/* Decode and dispatch: instructions leave the fetch queue in order, are executed functionally, get
 * their producers from the rename table and enter the window.
 *
 * Everything that execution changes is remembered in the uop, so a squash can take it back; that is
 * all that wrong-path execution needs. */

/* Clears what only a dispatched uop has. */
static void uop_enter(struct uop *u, uint64_t now)
{
	enum { ZEROS = offsetof(struct uop, exec), ONES = offsetof(struct uop, ready_cycle) };
	/* In two pieces: one so long would become a slow string instruction. */
	memset((char *)u + ZEROS, 0, (ONES - ZEROS) / 2);
	memset((char *)u + ZEROS + (ONES - ZEROS) / 2, 0, (ONES - ZEROS) / 2);
	memset((char *)u + ONES, 0xff, sizeof *u - ONES);
	u->dispatch_cycle = now;
}

/* Links operand i of u to the producer of reg, if its value is not there yet. */
static void link_source(struct pipe *p, struct uop *u, uint16_t slot, unsigned i, unsigned reg)
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
	if (trap != TRAP_ECALL && p->st->spec_slot == NO_SLOT)
		p->st->dispatch_blocked = 1;
}

/* Executes u at the dispatch point and records what is needed to take it back. */
static void execute(struct machine *m, struct uop *u)
{
	struct pipe *p = &m->pipe;
	struct hart *h = p->hart;
	h->pc = u->pc;
	u->next_pc = u->pc + u->inst.len;
	u->old_rd = h->r[u->inst.rd];
	u->old_fcsr = (uint16_t)h->fcsr;
	u->old_reserved = h->reserved;
	u->flags |= UF_EXECUTED;
	if (u->op_flags & OPF_SERIAL)
		machine_set_counters(m);
	enum trap trap = exec_table[u->inst.op](h, m->mem, &u->inst, &u->exec);
	if (__builtin_expect(trap != TRAP_NONE, 0))
		dispatch_trap(p, u, u->trap ? (enum trap)u->trap : trap); /* what fetch ran into comes first */
	u->result = h->r[u->inst.rd];
	u->raised = (uint16_t)(h->fcsr & 31);
	h->pc = u->next_pc;
}

/* Compares where fetch went with where the program goes: decode corrects what it can see (returns true:
 * fetch was redirected), the rest becomes a misprediction that resolves at writeback. */
static bool check_path(struct machine *m, struct uop *u, uint16_t slot, unsigned flags)
{
	struct pipe_state *st = m->pipe.st;
	bool redirected = false;
	if ((flags & (OPF_BRANCH | OPF_JUMP)) && !(flags & OPF_INDIRECT)) {
		uint64_t seen = u->mark.flags & BPM_TAKEN ? u->pc + (uint64_t)(int64_t)u->inst.imm
		                                          : u->pc + u->inst.len;
		if (seen != u->pred_next) {
			EMIT(m, MISFETCH, u, seen, u->pred_next);
			m->stats->misfetches++;
			u->flags |= UF_MISFETCH;
			u->pred_next = seen;
			pipe_flush_fetch(m, seen);
			st->redirect_until = st->cycle + 1; /* known at the end of decode */
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

static void enter_window(struct pipe *p, struct uop *u, uint16_t slot, bool memory)
{
	struct pipe_state *st = p->st;
	u->rob_pos = (uint16_t)((st->rob_head + st->rob_count++) & p->rob_mask);
	p->rob[u->rob_pos] = slot;
	if (memory) {
		u->lsq_pos = (uint16_t)((st->lsq_head + st->lsq_count++) & p->lsq_mask);
		p->lsq[u->lsq_pos] = slot;
		if (may_store(inst_class(&u->inst)))
			unknown_add(p, u);
	}
	u->old_rename = st->rename[u->inst.rd];
	if (u->inst.rd != REG_SINK)
		st->rename[u->inst.rd] = slot;
	st->iq_count++;
	u->state = UOP_WAITING;
	if (inst_class(&u->inst) == CLASS_STORE && !(u->pending & 2))
		u->flags |= UF_DATA_READY;
	if (!(u->pending & issue_operands(u)))
		make_ready(p, u);
}

/* True if fetch was redirected, so that nothing more can be dispatched in this cycle. */
static bool dispatch_one(struct machine *m, struct uop *u, uint16_t slot)
{
	struct pipe *p = &m->pipe;
	struct pipe_state *st = p->st;
	unsigned flags = u->op_flags;

	uop_enter(u, st->cycle);
	m->stats->dispatch_insts++;
	if (st->spec_slot != NO_SLOT) {
		u->flags |= UF_WRONG_PATH;
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
	enter_window(p, u, slot, is_memory(inst_class(&u->inst)));
	if (flags & OPF_SERIAL)
		st->serial_slot = slot;
	if ((flags & (OPF_BRANCH | OPF_JUMP)) && m->cfg.bpred_update == 0)
		bpred_learn(&p->bpred, u->pc, &u->inst, u->taken || (flags & OPF_JUMP),
		            u->next_pc, &u->mark);
	EMIT(m, DECODE, u, 0, 0);
	bool redirected = check_path(m, u, slot, flags);
	EMIT(m, DISPATCH, u, (u->flags & UF_WRONG_PATH) != 0, 0);
	return redirected;
}

/* Why the next instruction may not be dispatched, as a counter; NULL if it may. */
static uint64_t *dispatch_stall(const struct machine *m, const struct uop *u)
{
	const struct pipe *p = &m->pipe;
	const struct pipe_state *st = p->st;
	struct stats *s = m->stats;
	if (st->serial_slot != NO_SLOT || ((u->op_flags & OPF_SERIAL) && st->rob_count))
		return &s->dispatch_stall_serial;
	if (st->rob_count == p->rob_limit)
		return &s->dispatch_stall_rob;
	if (st->lsq_count == p->lsq_limit && is_memory(inst_class(&u->inst)))
		return &s->dispatch_stall_lsq;
	if (st->iq_count == p->iq_limit)
		return &s->dispatch_stall_iq;
	return NULL;
}

static void stage_dispatch(struct machine *m)
{
	struct pipe *p = &m->pipe;
	struct pipe_state *st = p->st;
	uint64_t now = st->cycle;
	if (st->dispatch_blocked)
		return;
	uint32_t room = p->rob_limit - st->rob_count, iq_room = p->iq_limit - st->iq_count;
	if (iq_room < room)
		room = iq_room;
	for (uint32_t n = p->decode_width; n && st->fetchq_count; n--) {
		uint16_t slot = p->fetchq[st->fetchq_head];
		struct uop *u = pipe_uop(p, slot);
		if (u->avail_cycle >= now)
			return;
		/* Nothing to look into while there is room, unless the window serialises or the queue may be full. */
		if (!room || (u->op_flags & (OPF_SERIAL | OPF_LOAD | OPF_STORE)) || st->serial_slot != NO_SLOT) {
			uint64_t *stall = dispatch_stall(m, u);
			if (stall) {
				++*stall;
				return;
			}
		}
		room--;
		st->fetchq_head = (st->fetchq_head + 1) & p->fetchq_mask;
		st->fetchq_count--;
		if (dispatch_one(m, u, slot) || st->dispatch_blocked)
			return;
	}
}
