/* Writeback: results become visible, dependants wake, branches resolve, addresses become known.
 *
 * What is due in this cycle stands in the wheel, and with it loads that were turned away earlier and try again.
 * All are visited oldest first, so that an older misprediction removes younger work before that work counts,
 * and that no younger load takes the miss register for which an older one waits. */

static void complete(struct machine *m, struct uop *u);

static void wake_one(struct machine *m, struct uop *c, unsigned operand)
{
	struct pipe *p = &m->pipe;
	c->pending &= (uint16_t)~(1u << operand);
	if (operand == 1 && inst_class(&c->inst) == CLASS_STORE) {
		c->flags |= UF_DATA_READY;
		if (c->flags & UF_ADDR_KNOWN)
			complete(m, c);
	}
	if (c->state == UOP_WAITING && !(c->pending & issue_operands(c)))
		make_ready(p, c);
}

static void squash_behind(struct machine *m, const struct uop *u)
{
	struct pipe_state *st = m->pipe.st;
	uint32_t keep = ((u->rob_pos - st->rob_head) & m->pipe.rob_mask) + 1;
	uint32_t gone = pipe_squash(m, keep, u->next_pc, st->cycle + (uint64_t)m->cfg.bpred_penalty);
	EMIT(m, SQUASH, u, gone, u->next_pc);
	(void)gone;
}

static void complete(struct machine *m, struct uop *u)
{
	struct pipe *p = &m->pipe;
	u->state = UOP_DONE;
	u->done_cycle = p->st->cycle;
	EMIT(m, WRITEBACK, u, u->result, 0);
	uint16_t link = u->dep_head;
	u->dep_head = NO_LINK;
	while (link != NO_LINK) {
		struct uop *c = &p->pool[link >> 2];
		unsigned operand = link & 3;
		link = c->dep_next[operand];
		wake_one(m, c, operand);
	}
	if (u->op_flags & (OPF_BRANCH | OPF_JUMP)) {
		EMIT(m, RESOLVE, u, u->next_pc, (u->flags & UF_MISPREDICT) != 0);
		if (u->flags & UF_MISPREDICT)
			squash_behind(m, u);
	}
}

/* Sends a load or atomic with a known address on: to an older store's data, or to the caches. */
static void enter_memory(struct machine *m, struct uop *u)
{
	struct pipe *p = &m->pipe;
	uint64_t now = p->st->cycle;
	uint16_t wait = MEM_WAIT_NONE;
	const struct uop *store = older_store(p, u);

	if (store && (!covers(store, u) || inst_class(&store->inst) == CLASS_AMO)) {
		wait = MEM_WAIT_PARTIAL;
	} else if (store && !(store->flags & UF_DATA_READY)) {
		wait = MEM_WAIT_DATA;
	} else if (store) {
		u->level = LEVEL_FORWARD;
		u->done_cycle = now + (uint64_t)m->cfg.lsq_forward;
	} else {
		struct access a = hierarchy_load(&p->mem, u->addr, u->size, now);
		if (a.accepted) {
			u->level = (uint16_t)a.level;
			u->done_cycle = a.ready > now ? a.ready : now + 1;
			if (a.tlb_miss)
				u->flags |= UF_TLB_MISS;
		} else {
			wait = MEM_WAIT_MSHR;
		}
	}
	u->mem_wait = wait;
	u->wait_seq = store ? store->seq : 0;
	if (wait != MEM_WAIT_NONE) {
		if (u->state != UOP_ADDRESS) {
			u->state = UOP_ADDRESS;
			ring_set(p->retry, u->rob_pos);
			p->st->mem_retries++;
		}
		return;
	}
	if (u->state == UOP_ADDRESS) {
		ring_clear(p->retry, u->rob_pos);
		p->st->mem_retries--;
	}
	u->state = UOP_MEMORY;
	u->mem_cycle = now;
	wheel_put(p, u, u->done_cycle);
	EMIT(m, MEM, u, u->addr,
	     (uint64_t)(u->level == LEVEL_FORWARD ? 0 : u->flags & UF_TLB_MISS ? 4 : u->level - 1) << 32 |
	     (u->done_cycle - now));
}

/* A store's address has become known: younger loads that went past it to the same bytes were wrong. */
static void check_order(struct machine *m, const struct uop *store)
{
	struct pipe *p = &m->pipe;
	struct pipe_state *st = p->st;
	uint32_t index = (store->lsq_pos - st->lsq_head) & p->lsq_mask;
	for (uint32_t i = index + 1; i < st->lsq_count; i++) {
		struct uop *u = pipe_lsq_at(p, i);
		if (inst_class(&u->inst) != CLASS_LOAD || u->state < UOP_MEMORY || !u->size ||
		    !overlaps(store, u))
			continue;
		if (u->level == LEVEL_FORWARD && u->wait_seq > store->seq)
			continue;
		m->stats->order_violations++;
		uint32_t keep = (u->rob_pos - st->rob_head) & p->rob_mask;
		uint64_t pc = u->pc;
		uint32_t gone = pipe_squash(m, keep, pc, st->cycle + (uint64_t)m->cfg.bpred_penalty);
		EMIT(m, SQUASH, store, gone, pc);
		(void)gone;
		return;
	}
}

static void address_known(struct machine *m, struct uop *u)
{
	struct pipe *p = &m->pipe;
	enum op_class klass = inst_class(&u->inst);
	u->flags |= UF_ADDR_KNOWN;
	if (may_store(klass)) {
		unknown_drop(p, u);
		if (u->size)
			filter_add(p, u);
	}
	if (klass == CLASS_STORE) {
		if (u->flags & UF_DATA_READY)
			complete(m, u);
		if (m->cfg.lsq_speculate && u->size)
			check_order(m, u);
	} else if (!u->size) {
		complete(m, u); /* a fault: it never reaches memory */
	} else {
		enter_memory(m, u);
	}
}

static void stage_writeback(struct machine *m)
{
	struct pipe *p = &m->pipe;
	struct pipe_state *st = p->st;
	uint64_t now = st->cycle;
	uint64_t *due = p->wheel + (size_t)(now & (WHEEL - 1)) * RING_WORDS(p);

	for (uint32_t w = 0; st->mem_retries && w < RING_WORDS(p); w++)
		due[w] |= p->retry[w];
	struct ring_walk walk = ring_walk_begin(due, RING_WORDS(p), st->rob_head);
	for (uint32_t age; (age = ring_walk_next(&walk)) < st->rob_count;) { /* a squash shortens the window */
		struct uop *u = pipe_rob_at(p, age);
		u->wheel_slot = NO_SLOT;
		if (u->state == UOP_EXECUTING && is_memory(inst_class(&u->inst)))
			address_known(m, u);
		else if (u->state == UOP_ADDRESS)
			enter_memory(m, u);
		else if (u->done_cycle > now)
			wheel_put(p, u, u->done_cycle);
		else
			complete(m, u);
	}
	for (uint32_t w = 0; w < RING_WORDS(p); w++)
		due[w] = 0;
}
