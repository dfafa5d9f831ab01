/* Fetch: one cache line a cycle, up to fetch_width instructions, until a predicted-taken branch.
 *
 * An instruction belongs to the line that holds its last byte; when it begins in the line before, that
 * line must have been read in an earlier cycle (its half is held over). */

static inline uint32_t take_slot(struct pipe *p)
{
	struct pipe_state *st = p->st;
	uint32_t slot = st->slot_next;
	while (uop_in_flight(&p->pool[slot]))
		slot = (slot + 1) & (p->pool_size - 1);
	st->slot_next = (slot + 1) & (p->pool_size - 1);
	return slot;
}

/* A new uop at the tail of the fetch queue, which goes straight on for now. What only a dispatched uop has is set by
 * dispatch (uop_enter); until then the slot keeps its last tenant's. */
static inline struct uop *enqueue(struct pipe *p, uint64_t pc, const struct inst *in, uint64_t avail)
{
	struct pipe_state *st = p->st;
	uint32_t slot = take_slot(p);
	struct uop *u = &p->pool[slot];
	u->seq = st->next_seq++;
	u->pc = pc;
	u->pred_next = pc + in->len;
	u->inst = *in;
	u->fetch_cycle = st->cycle;
	u->avail_cycle = avail;
	u->op_flags = (uint16_t)inst_flags(in);
	u->flags = 0;
	u->state = UOP_FETCHED;
	u->trap = TRAP_NONE;
	p->fetchq[(st->fetchq_head + st->fetchq_count++) & p->fetchq_mask] = (uint16_t)slot;
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

/* Fetches up to `most` instructions from the line that is there. Returns how many came. */
static inline uint32_t fetch_line(struct machine *m, uint32_t most, uint64_t line_mask, uint64_t avail)
{
	struct pipe *p = &m->pipe;
	struct pipe_state *st = p->st;
	const uint64_t line = st->fetch_line;
	uint64_t pc = st->fetch_pc;
	const struct inst *in = NULL;
	uint32_t n = 0;

	while (n < most) {
		/* The record behind the last one, if it is decoded, is the next instruction's. */
		if (!in || !in->len)
			in = mem_fetch(m->mem, pc);
		if (in ? pc + in->len - 1 - line > line_mask : line != (pc & ~line_mask))
			break;
		struct uop *u = enqueue(p, pc, in ? in : &nowhere, avail);
		n++;
		if (!in) {
			u->trap = TRAP_FETCH_FAULT;
			st->fetch_blocked = 1;
			EMIT(m, FETCH, u, u->pred_next, 0);
			break;
		}
		if (!(u->op_flags & OPF_CONTROL)) {
			pc = u->pred_next;
			in += in->len / 2;
			EMIT(m, FETCH, u, pc, u->inst.len);
			continue;
		}
		uint64_t behind = u->pred_next;
		pc = u->pred_next = bpred_lookup(&p->bpred, u->pc, &u->inst, &u->mark, m->stats);
		in = pc == behind ? in + in->len / 2 : NULL;
		EMIT(m, FETCH, u, pc, u->inst.len);
		EMIT(m, PREDICT, u, pc, (u->mark.flags & BPM_TAKEN) != 0);
		if (!in && !m->cfg.fetch_taken)
			break;
	}
	st->fetch_pc = pc;
	return n;
}

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
	uint32_t most = p->fetchq_limit - st->fetchq_count;
	if (!most) {
		m->stats->fetch_stall_queue++;
		return;
	}
	if (!line_arrived(m, line_mask))
		return;
	m->stats->fetch_insts += fetch_line(m, most < p->fetch_width ? most : p->fetch_width, line_mask,
	                                    st->fetch_ready > now ? st->fetch_ready : now);
}
