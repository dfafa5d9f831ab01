/* Fetch: one cache line a cycle, up to fetch_width instructions, until a predicted-taken branch.
 *
 * An instruction belongs to the line that holds its last byte; when it begins in the line before, that
 * line must have been read in an earlier cycle (its half is held over). */

static uint16_t take_slot(struct pipe *p)
{
	struct pipe_state *st = p->st;
	while (uop_in_flight(&p->pool[st->slot_next]))
		st->slot_next = (st->slot_next + 1) & (p->pool_size - 1);
	uint16_t slot = (uint16_t)st->slot_next;
	st->slot_next = (st->slot_next + 1) & (p->pool_size - 1);
	return slot;
}

/* A new uop at the tail of the fetch queue. What only a dispatched uop has is set by dispatch (uop_enter);
 * until then the slot keeps its last tenant's. */
static inline struct uop *enqueue(struct machine *m, uint64_t pc, const struct inst *in, uint64_t avail)
{
	struct pipe *p = &m->pipe;
	struct pipe_state *st = p->st;
	uint16_t slot = take_slot(p);
	struct uop *u = pipe_uop(p, slot);
	u->seq = st->next_seq++;
	u->pc = pc;
	u->inst = *in;
	u->op_flags = (uint16_t)inst_flags(in);
	u->pred_next = pc + in->len;
	u->trap = TRAP_NONE;
	u->fetch_cycle = st->cycle;
	u->avail_cycle = avail;
	u->flags = 0;
	u->state = UOP_FETCHED;
	p->fetchq[(st->fetchq_head + st->fetchq_count++) & p->fetchq_mask] = slot;
	m->stats->fetch_insts++;
	return u;
}

/* Makes sure the line with the next instruction's last byte has arrived. False: not in this cycle. */
static bool line_arrived(struct machine *m, uint64_t line_mask)
{
	struct pipe *p = &m->pipe;
	struct pipe_state *st = p->st;
	uint64_t now = st->cycle;
	if (st->fetch_waits) {
		if (now < st->fetch_ready) {
			m->stats->fetch_stall_icache++;
			return false;
		}
		st->fetch_waits = 0;
		return true;
	}
	uint64_t first = st->fetch_pc & ~line_mask;
	uint64_t line = first;
	if ((st->fetch_pc & line_mask) + 4 > line_mask + 1 && st->fetch_line == first) {
		const struct inst *in = mem_fetch(m->mem, st->fetch_pc);
		line = (st->fetch_pc + (in ? in->len : 2u) - 1) & ~line_mask;
	}
	struct access a = hierarchy_fetch(&p->mem, line, now);
	m->stats->fetch_lines++;
	st->fetch_line = line;
	st->fetch_ready = a.ready;
	if ((a.level != LEVEL_L1 || a.tlb_miss) && a.ready > now) {
		st->fetch_waits = 1;
		m->stats->fetch_stall_icache++;
		return false;
	}
	return true;
}

/* What is fetched where nothing may be executed: it faults if it ever commits. */
static const struct inst nowhere = {.op = OP_ILLEGAL, .rd = REG_SINK, .len = 2};

static void stage_fetch(struct machine *m)
{
	struct pipe *p = &m->pipe;
	struct pipe_state *st = p->st;
	uint64_t now = st->cycle;
	uint64_t line_mask = (uint64_t)m->cfg.l1i_line - 1;

	if (st->fetch_blocked)
		return;
	if (now < st->redirect_until) {
		m->stats->fetch_stall_redirect++;
		return;
	}
	if (st->fetchq_count == p->fetchq_limit) {
		m->stats->fetch_stall_queue++;
		return;
	}
	if (!line_arrived(m, line_mask))
		return;
	uint64_t avail = st->fetch_ready > now ? st->fetch_ready : now;
	uint32_t left = p->fetchq_limit - st->fetchq_count;
	if (left > p->fetch_width)
		left = p->fetch_width;
	for (const struct inst *in = NULL; left; left--) {
		uint64_t pc = st->fetch_pc;
		/* The record behind the last one, if it is decoded, is the next instruction's. */
		if (!in || !in->len)
			in = mem_fetch(m->mem, pc);
		if (in ? pc + in->len - 1 - st->fetch_line > line_mask : st->fetch_line != (pc & ~line_mask))
			return;
		struct uop *u = enqueue(m, pc, in ? in : &nowhere, avail);
		if (!in) {
			u->trap = TRAP_FETCH_FAULT;
			st->fetch_blocked = 1;
			EMIT(m, FETCH, u, u->pred_next, 0);
			return;
		}
		bool control = u->op_flags & (OPF_BRANCH | OPF_JUMP);
		if (control)
			u->pred_next = bpred_lookup(&p->bpred, pc, &u->inst, &u->mark, m->stats);
		st->fetch_pc = u->pred_next;
		in = u->pred_next == pc + u->inst.len ? in + u->inst.len / 2 : NULL;
		EMIT(m, FETCH, u, u->pred_next, u->inst.len);
		if (control) {
			EMIT(m, PREDICT, u, u->pred_next, (u->mark.flags & BPM_TAKEN) != 0);
			if (!in && !m->cfg.fetch_taken)
				return;
		}
	}
}
