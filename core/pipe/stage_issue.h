/* Issue: the oldest ready instructions start on free functional units. */

/* The free units of a pool, as a bitmap. */
static inline unsigned free_units(const struct pipe *p, unsigned pool, uint64_t now)
{
	const struct fu_unit *units = p->st->fu[pool];
	unsigned held = p->st->fu_held[pool];
	if (!held)
		return p->fu_all[pool];
	for (unsigned bits = held; bits; bits &= bits - 1) {
		unsigned i = (unsigned)__builtin_ctz(bits);
		if (units[i].busy_until <= now)
			held &= ~(1u << i);
	}
	p->st->fu_held[pool] = held;
	return p->fu_all[pool] & ~held;
}

static inline void start(struct machine *m, struct uop *u, unsigned pool, unsigned unit)
{
	struct pipe *p = &m->pipe;
	struct pipe_state *st = p->st;
	const struct class_timing *t = &p->timing[inst_class(&u->inst)];
	uint64_t now = st->cycle, done = now + t->latency;
	struct fu_unit *fu = &st->fu[pool][unit];
	fu->busy_until = now + t->occupancy;
	fu->seq = u->seq;
	if (t->occupancy > 1)
		st->fu_held[pool] |= 1u << unit;
	u->unit = (uint16_t)unit;
	u->state = UOP_EXECUTING;
	u->issue_cycle = now;
	ring_clear(ready_in(p, pool), u->rob_pos);
	if (!is_memory(u))
		u->done_cycle = done;
	wheel_put_near(p, u, done); /* every latency is shorter than the wheel */
	EMIT(m, ISSUE, u, pool, (uint64_t)unit);
}

/* A ready load or atomic that may not issue for another reason than its units. */
static inline bool held_back(const struct pipe *p, const struct uop *u, uint32_t age, uint64_t *unknown)
{
	if (u->op_flags & OPF_ATOMIC)
		return age != 0;
	if (!p->st->unknown_stores || p->cfg->lsq_speculate)
		return false;
	if (!*unknown)
		*unknown = oldest_unknown_store(p);
	return *unknown < u->seq;
}

/* Ready instructions of a pool with no unit left: they stay. */
static inline void leave_behind(struct machine *m, const uint64_t *ready, uint32_t words)
{
	for (uint32_t w = 0; w < words; w++)
		for (uint64_t bits = ready[w]; bits; bits &= bits - 1)
			m->stats->issue_fu_busy++;
}

static void stage_issue(struct machine *m)
{
	struct pipe *p = &m->pipe;
	struct pipe_state *st = p->st;
	const uint32_t words = RING_WORDS(p);
	uint64_t now = st->cycle;
	uint64_t candidates[RING_SMALL ? 1 : 1024 / 64] = {0}; /* ready, and of a pool with a unit left */
	unsigned free[FU_POOL_COUNT + 1];
	uint64_t unknown = 0; /* seq of the oldest store with unknown address; 0: not looked up yet */
	const uint32_t width = (uint32_t)m->cfg.issue_width;
	uint32_t issued = 0;

	for (uint32_t pools = st->ready_pools; pools; pools &= pools - 1) {
		unsigned pool = (unsigned)__builtin_ctz(pools);
		const uint64_t *ready = ready_in(p, pool);
		uint64_t some = 0;
		for (uint32_t w = 0; w < words; w++)
			some |= ready[w];
		if (!some) {
			st->ready_pools &= ~(1u << pool);
			continue;
		}
		free[pool] = free_units(p, pool, now);
		if (free[pool])
			for (uint32_t w = 0; w < words; w++)
				candidates[w] |= ready[w];
		else
			leave_behind(m, ready, words);
	}
	struct ring_walk walk = ring_walk_begin(candidates, words, st->rob_head);
	for (uint32_t age; issued < width && (age = ring_walk_next(&walk)) != RING_END;) {
		struct uop *u = pipe_rob_at(p, age);
		if (m->cfg.in_order && oldest_unissued(p) != age)
			break;
		if ((u->op_flags & (OPF_LOAD | OPF_ATOMIC)) && held_back(p, u, age, &unknown)) {
			if (m->cfg.in_order)
				break;
			continue;
		}
		unsigned pool = u->pool;
		start(m, u, pool, (unsigned)__builtin_ctz(free[pool]));
		issued++;
		if (pool == FU_NONE)
			continue;
		free[pool] &= free[pool] - 1;
		if (free[pool])
			continue;
		const uint64_t *ready = ready_in(p, pool);
		ring_walk_drop(&walk, candidates, ready);
		leave_behind(m, ready, words);
	}
	st->iq_count -= issued;
	m->stats->issue_insts += issued;
}
