/* Issue: the oldest ready instructions start on free functional units. */

/* The free units of a pool, as a bitmap. */
static unsigned free_units(const struct pipe *p, unsigned pool, uint64_t now)
{
	const struct fu_unit *units = p->st->fu[pool];
	unsigned held = p->st->fu_held[pool];
	for (unsigned bits = held; bits; bits &= bits - 1) {
		unsigned i = (unsigned)__builtin_ctz(bits);
		if (units[i].busy_until <= now)
			held &= ~(1u << i);
	}
	p->st->fu_held[pool] = held;
	return ((1u << p->fu_count[pool]) - 1) & ~held;
}

static void start(struct machine *m, struct uop *u, unsigned unit)
{
	struct pipe *p = &m->pipe;
	struct pipe_state *st = p->st;
	const struct class_timing *t = timing_of(p, u);
	uint64_t now = st->cycle;
	struct fu_unit *fu = &st->fu[t->pool][unit];
	fu->busy_until = now + t->occupancy;
	fu->seq = u->seq;
	if (t->occupancy > 1)
		st->fu_held[t->pool] |= 1u << unit;
	u->unit = (uint16_t)unit;
	u->state = UOP_EXECUTING;
	u->issue_cycle = now;
	ring_clear(ready_in(p, t->pool), u->rob_pos);
	st->iq_count--;
	if (!is_memory(inst_class(&u->inst)))
		u->done_cycle = now + t->latency;
	wheel_put(p, u, now + t->latency);
	m->stats->issue_insts++;
	EMIT(m, ISSUE, u, t->pool, (uint64_t)unit);
}

/* A ready instruction that may not issue for another reason than its units. */
static bool held_back(const struct pipe *p, const struct uop *u, uint32_t age, uint64_t *unknown)
{
	enum op_class klass = inst_class(&u->inst);
	if (klass == CLASS_AMO)
		return age != 0;
	if (klass != CLASS_LOAD || p->cfg->lsq_speculate || !p->st->unknown_stores)
		return false;
	if (!*unknown)
		*unknown = oldest_unknown_store(p);
	return *unknown < u->seq;
}

/* Ready instructions of a pool with no unit left: they stay. */
static void leave_behind(struct machine *m, const uint64_t *ready, uint32_t words)
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
	unsigned left = (unsigned)m->cfg.issue_width;

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
	for (uint32_t age; left && (age = ring_walk_next(&walk)) != RING_END;) {
		struct uop *u = pipe_rob_at(p, age);
		if (m->cfg.in_order && oldest_unissued(p) != age)
			return;
		if (held_back(p, u, age, &unknown)) {
			if (m->cfg.in_order)
				return;
			continue;
		}
		unsigned pool = u->pool;
		start(m, u, (unsigned)__builtin_ctz(free[pool]));
		left--;
		if (pool == FU_NONE)
			continue;
		free[pool] &= free[pool] - 1;
		if (free[pool])
			continue;
		const uint64_t *ready = ready_in(p, pool);
		ring_walk_drop(&walk, candidates, ready);
		leave_behind(m, ready, words);
	}
}
