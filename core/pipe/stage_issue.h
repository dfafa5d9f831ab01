/* Issue: the oldest ready instructions start on free functional units. */

/* A free unit of a pool, or -1. */
static int free_unit(const struct pipe *p, unsigned pool, uint64_t now)
{
	const struct fu_unit *units = p->st->fu[pool];
	for (int i = 0; i < p->fu_count[pool]; i++)
		if (units[i].busy_until <= now)
			return i;
	return -1;
}

static void start(struct machine *m, struct uop *u, const struct class_timing *t, int unit)
{
	struct pipe *p = &m->pipe;
	struct pipe_state *st = p->st;
	uint64_t now = st->cycle;
	if (unit >= 0)
		st->fu[t->pool][unit] = (struct fu_unit){.busy_until = now + t->occupancy, .seq = u->seq};
	u->pool = t->pool;
	u->unit = (uint8_t)unit;
	u->state = UOP_EXECUTING;
	u->issue_cycle = now;
	ring_clear(p->ready, u->rob_pos);
	ring_clear(p->unissued, u->rob_pos);
	st->iq_count--;
	if (!is_memory(inst_class(&u->inst)))
		u->done_cycle = now + t->latency;
	wheel_put(p, u, now + t->latency);
	m->stats->issue_insts++;
	EMIT(m, ISSUE, u, t->pool, (uint64_t)unit);
}

static void stage_issue(struct machine *m)
{
	struct pipe *p = &m->pipe;
	struct pipe_state *st = p->st;
	uint64_t now = st->cycle;
	uint64_t unknown = 0; /* seq of the oldest store with unknown address; 0: not looked up yet */
	unsigned left = (unsigned)m->cfg.issue_width;
	bool in_order = m->cfg.in_order;

	for (uint32_t age = ring_next(p->ready, p->rob_words, st->rob_head, 0); age != RING_END && left;
	     age = ring_next(p->ready, p->rob_words, st->rob_head, age + 1)) {
		struct uop *u = pipe_rob_at(p, age);
		enum op_class klass = inst_class(&u->inst);
		if (in_order && ring_next(p->unissued, p->rob_words, st->rob_head, 0) != age)
			return;
		bool held = klass == CLASS_AMO && age != 0;
		if (klass == CLASS_LOAD && !m->cfg.lsq_speculate && st->unknown_stores) {
			if (!unknown)
				unknown = oldest_unknown_store(p);
			held = unknown < u->seq;
		}
		if (!held) {
			const struct class_timing *t = &p->timing[u->trap && !is_memory(klass) ? CLASS_NOP : klass];
			int unit = t->pool == FU_NONE ? -1 : free_unit(p, t->pool, now);
			held = t->pool != FU_NONE && unit < 0;
			if (held) {
				m->stats->issue_fu_busy++;
			} else {
				start(m, u, t, unit);
				left--;
			}
		}
		if (held && in_order)
			return;
	}
}
