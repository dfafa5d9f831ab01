#include "tests/predict/model.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { STACK = 64, FLIGHT = 2048 };

struct entry {
	uint64_t pc, target, time; /* pc 0: none */
};

/* Fetch's changes to the return stack. */
struct stack {
	uint64_t address[STACK];
	unsigned top, depth; /* top: where the next one goes */
};

/* A branch in flight. */
struct flight {
	struct branch b;
	struct direction d;
	bool resolved, taken, from_stack, found, trained, wrote;
	uint64_t target;          /* predicted next */
	struct entry *entry, old; /* target buffer entry: found, later written; and its contents */
};

struct model {
	struct model_options o;
	struct tables now, committed;
	struct stack stack, committed_stack;
	struct entry *btb;
	uint64_t clock;
	struct flight flight[FLIGHT]; /* a ring, oldest first */
	unsigned oldest, count;
	struct looked_at looked_at;
	struct counts counts;
};

static void model_init_weak_counters(uint8_t *t)
{
	for (unsigned i = 0; i < TABLE; i++)
		t[i] = i % 2 ? 2 : 1;
}

struct model *model_new(const struct model_options *o)
{
	assert(o->bimodal <= TABLE && o->histories <= TABLE && o->second <= TABLE &&
	       o->chooser <= TABLE);
	assert(o->ras <= STACK && o->perceptrons <= TABLE);
	struct model *m = calloc(1, sizeof *m);
	m->o = *o;
	m->btb = calloc((size_t)o->btb_sets * o->btb_ways + 1, sizeof *m->btb);
	model_init_weak_counters(m->now.bimodal);
	model_init_weak_counters(m->now.second);
	model_init_weak_counters(m->now.chooser);
	m->committed = m->now;
	return m;
}

void model_free(struct model *m)
{
	free(m->btb);
	free(m);
}

const struct counts *model_counts(const struct model *m)
{
	return &m->counts;
}

static struct flight *flight_at(struct model *m, unsigned i)
{
	return &m->flight[(m->oldest + i) % FLIGHT];
}

/* ---- direction ---- */

static uint32_t *model_history(const struct model *m, struct tables *t, uint64_t pc)
{
	return &t->history[pc / 2 % m->o.histories];
}

static void model_predict_direction(struct model *m, struct flight *f)
{
	const struct branch *b = &f->b;
	f->d = (struct direction){.pc = b->pc, .backward = b->backward};
	f->d.history = *model_history(m, &m->now, b->pc);
	m->o.by->predict(&m->o, &m->now, &f->d);
	f->taken = f->d.taken;
}

static void model_train_tables(const struct model *m, struct tables *t, const struct flight *f)
{
	if (f->b.class == CONDITIONAL && m->o.by->train)
		m->o.by->train(&m->o, t, &f->d, f->b.taken);
}

static void model_shift_history(const struct model *m, struct tables *t, const struct flight *f,
                                bool taken)
{
	uint32_t *history = model_history(m, t, f->b.pc);
	if (f->b.class == CONDITIONAL && m->o.by->history)
		*history = (*history * 2 + taken) & ((1u << m->o.history_bits) - 1);
}

static void train_and_shift(const struct model *m, struct tables *t, const struct flight *f)
{
	model_train_tables(m, t, f);
	model_shift_history(m, t, f, f->b.taken);
}

/* With AT_FETCH: committed outcomes, then outcomes of branches in flight, or predictions of
 * unresolved ones. */
static void rebuild_history(struct model *m)
{
	memcpy(m->now.history, m->committed.history, sizeof m->now.history);
	for (unsigned i = 0; i < m->count; i++) {
		const struct flight *f = flight_at(m, i);
		model_shift_history(m, &m->now, f, f->resolved ? f->b.taken : f->taken);
	}
}

/* ---- targets ---- */

static struct entry *model_btb_set(const struct model *m, uint64_t pc)
{
	return m->btb + pc / 2 % m->o.btb_sets * m->o.btb_ways;
}

static struct entry *model_find_btb_entry(struct model *m, uint64_t pc)
{
	for (unsigned w = 0; w < m->o.btb_ways; w++)
		if (model_btb_set(m, pc)[w].pc == pc)
			return &model_btb_set(m, pc)[w];
	return NULL;
}

static void model_insert_btb_target(struct model *m, struct flight *f)
{
	if (!f->b.taken || f->from_stack || !m->o.btb_sets)
		return;
	struct entry *e = model_find_btb_entry(m, f->b.pc);
	if (e && f->found && f->entry == e && e->target == f->b.next)
		return;
	if (!e) {
		e = model_btb_set(m, f->b.pc);
		for (unsigned w = 1; w < m->o.btb_ways; w++)
			if (model_btb_set(m, f->b.pc)[w].time < e->time)
				e = &model_btb_set(m, f->b.pc)[w];
	}
	f->entry = e;
	f->old = *e;
	f->wrote = true;
	*e = (struct entry){f->b.pc, f->b.next, ++m->clock};
}

/* Pops, then pushes. True, and *to, if there was something to pop. */
static bool move_stack(const struct model *m, struct stack *s, const struct branch *b, uint64_t *to)
{
	unsigned size = m->o.ras;
	bool popped = b->returns && s->depth > 0;
	if (popped) {
		s->top = (s->top + size - 1) % size;
		s->depth--;
		*to = s->address[s->top];
	}
	if (b->call && size) {
		s->address[s->top] = b->behind;
		s->top = (s->top + 1) % size;
		s->depth += s->depth < size;
	}
	return popped;
}

/* ---- the life of a branch ---- */

uint64_t model_predict(struct model *m, const struct branch *b, bool *taken)
{
	assert(m->count < FLIGHT);
	struct flight *f = flight_at(m, m->count++);
	*f = (struct flight){.b = *b, .taken = true, .target = b->behind};
	if (b->class == CONDITIONAL)
		model_predict_direction(m, f);
	else
		f->from_stack = move_stack(m, &m->stack, b, &f->target);
	*taken = f->taken;
	m->looked_at = (struct looked_at){.from_stack = f->from_stack};
	if (b->class == CONDITIONAL) {
		m->looked_at.history = f->d.history;
		if (m->o.by->parts)
			m->o.by->parts(&m->o, &m->now, &f->d, m->looked_at.part);
	}
	if (m->o.update == AT_FETCH)
		model_shift_history(m, &m->now, f, f->taken);
	if (f->taken && !f->from_stack && m->o.btb_sets) {
		m->counts.lookups++;
		f->entry = model_find_btb_entry(m, b->pc);
		f->found = f->entry;
		m->looked_at.found = f->found;
		if (f->found) {
			m->counts.hits++;
			f->entry->time = ++m->clock;
			f->target = f->entry->target;
		}
	}
	return f->target;
}

struct looked_at model_looked_at(const struct model *m)
{
	return m->looked_at;
}

void model_dispatch(struct model *m, const struct branch *outcome)
{
	for (unsigned i = 0; i < m->count; i++) {
		struct flight *f = flight_at(m, i);
		if (f->b.seq != outcome->seq)
			continue;
		f->b = *outcome;
		if (m->o.update != AT_DISPATCH)
			return;
		f->trained = true;
		train_and_shift(m, &m->now, f);
		model_insert_btb_target(m, f);
		return;
	}
	assert(!"dispatched, but never fetched");
}

void model_resolve(struct model *m, const struct branch *outcome)
{
	for (unsigned i = 0; i < m->count; i++)
		if (flight_at(m, i)->b.seq == outcome->seq) {
			flight_at(m, i)->b = *outcome;
			flight_at(m, i)->resolved = true;
		}
	if (m->o.update == AT_FETCH)
		rebuild_history(m);
}

static void model_count_branch(struct counts *c, const struct flight *f)
{
	if (f->b.class == CONDITIONAL) {
		c->branches++;
		c->direction_hits += f->taken == f->b.taken;
		c->mispredicts += f->taken != f->b.taken;
	} else if (f->b.class == INDIRECT) {
		bool hit = f->target == f->b.next;
		c->indirect++;
		c->indirect_hits += hit;
		c->mispredicts += !hit;
		c->returns += f->b.returns;
		c->return_hits += f->b.returns && f->from_stack && hit;
	}
}

void model_commit(struct model *m, const struct branch *outcome)
{
	struct flight *f = flight_at(m, 0);
	uint64_t ignored;
	assert(m->count && f->b.seq == outcome->seq);
	f->b = *outcome;
	model_count_branch(&m->counts, f);
	train_and_shift(m, &m->committed, f);
	(void)move_stack(m, &m->committed_stack, &f->b, &ignored);
	if (m->o.update != AT_DISPATCH) {
		model_train_tables(m, &m->now, f);
		model_insert_btb_target(m, f);
	}
	if (m->o.update == AT_COMMIT)
		model_shift_history(m, &m->now, f, f->b.taken);
	m->oldest = (m->oldest + 1) % FLIGHT;
	m->count--;
}

void model_squash(struct model *m, uint64_t seq)
{
	struct flight *f = flight_at(m, --m->count);
	uint64_t ignored;
	assert(f->b.seq == seq);
	if (f->wrote)
		*f->entry = f->old;
	if (f->trained) {
		m->now = m->committed;
		for (unsigned i = 0; i < m->count; i++)
			if (flight_at(m, i)->trained)
				train_and_shift(m, &m->now, flight_at(m, i));
	}
	if (m->o.update == AT_FETCH)
		rebuild_history(m);
	if (!f->b.call && !f->b.returns)
		return;
	m->stack = m->committed_stack;
	for (unsigned i = 0; i < m->count; i++)
		(void)move_stack(m, &m->stack, &flight_at(m, i)->b, &ignored);
}
