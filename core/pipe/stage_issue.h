/* Issue: the oldest ready instructions start on free functional units. */

/* The free units of a pool, as a bitmap. */
static unsigned free_units(const struct pipe *p, unsigned pool, uint64_t now)
{
	const struct fu_unit *units = p->st->fu[pool];
	unsigned n = p->fu_count[pool], free = 0;
	for (unsigned i = 0; i < n; i++)
		free |= (unsigned)(units[i].busy_until <= now) << i;
	return free;
}

static void start(struct machine *m, struct uop *u, unsigned unit)
{
	struct pipe *p = &m->pipe;
	struct pipe_state *st = p->st;
	const struct class_timing *t = timing_of(p, u);
	uint64_t now = st->cycle;
	if (t->pool != FU_NONE)
		st->fu[t->pool][unit] = (struct fu_unit){.busy_until = now + t->occupancy, .seq = u->seq};
	u->unit = (uint16_t)unit;
	u->state = UOP_EXECUTING;
	u->issue_cycle = now;
	ring_clear(ready_in(p, t->pool), u->rob_pos);
	ring_clear(p->unissued, u->rob_pos);
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

/* `words` is p->rob_words, as a constant where it is 1. */
static inline __attribute__((always_inline)) void issue_from(struct machine *m, uint32_t words)
{
	struct pipe *p = &m->pipe;
	const struct pipe_state *st = p->st;
	uint64_t now = st->cycle;
	uint64_t candidates[1024 / 64]; /* ready, and of a pool with a unit left */
	unsigned free[FU_POOL_COUNT + 1];
	uint64_t unknown = 0; /* seq of the oldest store with unknown address; 0: not looked up yet */
	unsigned left = (unsigned)m->cfg.issue_width;
	bool any = false;

	for (uint32_t w = 0; w < words; w++)
		candidates[w] = 0;
	for (unsigned pool = 0; pool <= FU_POOL_COUNT; pool++) {
		const uint64_t *ready = p->ready + (size_t)pool * words;
		uint64_t some = 0;
		for (uint32_t w = 0; w < words; w++)
			some |= ready[w];
		if (!some)
			continue;
		any = true;
		free[pool] = pool == FU_NONE ? 1 : free_units(p, pool, now);
		if (free[pool])
			for (uint32_t w = 0; w < words; w++)
				candidates[w] |= ready[w];
		else
			for (uint32_t w = 0; w < words; w++)
				m->stats->issue_fu_busy += (uint64_t)__builtin_popcountll(ready[w]);
	}
	if (!any)
		return;
	for (uint32_t age = ring_next(candidates, words, st->rob_head, 0); age != RING_END && left;
	     age = ring_next(candidates, words, st->rob_head, age + 1)) {
		struct uop *u = pipe_rob_at(p, age);
		if (m->cfg.in_order && ring_next(p->unissued, words, st->rob_head, 0) != age)
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
		const uint64_t *ready = p->ready + (size_t)pool * words;
		for (uint32_t w = 0; w < words; w++) {
			candidates[w] &= ~ready[w];
			m->stats->issue_fu_busy += (uint64_t)__builtin_popcountll(ready[w]);
		}
	}
}

static void stage_issue(struct machine *m)
{
	if (!m->pipe.st->iq_count)
		return;
	if (m->pipe.rob_words == 1)
		issue_from(m, 1);
	else
		issue_from(m, m->pipe.rob_words);
}
