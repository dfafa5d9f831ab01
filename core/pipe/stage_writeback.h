/* Writeback: results become visible, dependants wake, branches resolve, addresses become known.
 *
 * What is due in this cycle stands in the wheel, and with it loads that were turned away earlier and try again.
 * All are visited oldest first, so that an older misprediction removes younger work before that work counts,
 * and that no younger load takes the miss register for which an older one waits. */

/* u is complete; nothing but a squash or its turn to commit happens to it from now on. */
static inline void finish(struct machine *m, struct uop *u)
{
	u->state = UOP_DONE;
	u->done_cycle = m->pipe.st->cycle;
	EMIT(m, WRITEBACK, u, u->result, 0);
}

/* A store has got an operand: its data, or what its address is computed from. */
static inline void wake_store(struct machine *m, struct uop *u, unsigned operand)
{
	if (operand == 0) {
		make_ready(&m->pipe, u);
		return;
	}
	u->flags |= UF_DATA_READY;
	if (u->flags & UF_ADDR_KNOWN)
		finish(m, u);
}

static inline void wake_consumers(struct machine *m, struct uop *u)
{
	struct pipe *p = &m->pipe;
	uint32_t link = u->dep_head;
	u->dep_head = NO_LINK;
	while (link != NO_LINK) {
		struct uop *c = &p->pool[link >> 2];
		unsigned operand = link & 3;
		link = c->dep_next[operand];
		c->pending &= (uint16_t)~(1u << operand);
		if (is_store(c))
			wake_store(m, c, operand);
		else if (!c->pending)
			make_ready(p, c);
	}
}

static __attribute__((noinline)) void squash_behind(struct machine *m, const struct uop *u)
{
	struct pipe_state *st = m->pipe.st;
	uint32_t keep = ((u->rob_pos - st->rob_head) & m->pipe.rob_mask) + 1;
	uint32_t gone = pipe_squash(m, keep, u->next_pc, st->cycle + (uint64_t)m->cfg.bpred_penalty);
	EMIT(m, SQUASH, u, gone, u->next_pc);
	(void)gone;
}

static inline void complete(struct machine *m, struct uop *u)
{
	finish(m, u);
	wake_consumers(m, u);
	if (u->op_flags & OPF_CONTROL) {
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

	if (store && (!covers(store, u) || (store->op_flags & OPF_ATOMIC))) {
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
		if (!is_load(u) || u->state < UOP_MEMORY || !u->size ||
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

/* A faulting access, of size 0, never reaches memory, and nobody waits for its result; nor for a store's. */
static void address_known(struct machine *m, struct uop *u)
{
	struct pipe *p = &m->pipe;
	u->flags |= UF_ADDR_KNOWN;
	if (may_store(u)) {
		unknown_drop(p, u);
		if (u->size)
			filter_add(p, u);
	}
	if (is_store(u)) {
		if (u->flags & UF_DATA_READY)
			finish(m, u);
		if (m->cfg.lsq_speculate && u->size)
			check_order(m, u);
	} else if (!u->size) {
		finish(m, u);
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
		if (u->state == UOP_EXECUTING && is_memory(u))
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
