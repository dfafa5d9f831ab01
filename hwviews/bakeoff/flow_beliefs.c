#include "core/defs/config_fields.h"

#include "hwviews/bakeoff/flow_beliefs.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/sort.h"
#include "core/pipe/pipe.h"
#include "core/prof/cop/cop.h"
#include "hwviews/grid/order.h"
#include "loader/program.h"

/* An edge to a block. */
struct arc {
	size_t to, from; /* blocks */
	bool counted;    /* by a branch's outcome or a call, at pc; else a share of `from` */
	bool taken;
	uint64_t pc, target;
	double share;    /* the oracle's: of the executions of `from` */
};

struct belief_ways {
	const struct oracle_block *block;
	struct arc *arc; /* [arcs], owned */
	size_t n, arcs;
};

/* ---- edges ---- */
static size_t block_from(const struct belief_ways *f, uint64_t start)
{
	const size_t i = oracle_block_at(f->block, f->n, start);
	return i < f->n && f->block[i].start == start ? i : f->n;
}

static void flow_beliefs_append_arc(struct belief_ways *f, struct arc a)
{
	if (a.to < f->n)
		f->arc[f->arcs++] = a;
}

/* Adds to [n]: how often control returned to each block. */
static void flow_beliefs_count_returns(const struct belief_ways *f, const struct oracle *o,
                                       uint64_t *returns)
{
	for (uint32_t i = 0; i < oracle_entries(o, ORACLE_EDGES); i++) {
		const struct oracle_entry *e = oracle_entry(o, ORACLE_EDGES, i);
		if (e->aux == EDGE_RETURN)
			returns[block_from(f, e->key[1])] += e->count;
	}
}

/* A call also adds one arc to the block after it, where the call returns. */
static void flow_beliefs_append_oracle_edge(struct belief_ways *f, const struct oracle_entry *e,
                                            const uint64_t *returns, uint8_t *leaves)
{
	enum { JUMPS = 1, CALLS = 2 };
	const uint64_t pc = e->key[0];
	const size_t from = oracle_block_at(f->block, f->n, pc);
	if (from == f->n)
		return;
	const double whole = (double)f->block[from].count;
	struct arc a = {.to = block_from(f, e->key[1]),
	                .from = from,
	                .pc = pc,
	                .target = e->key[1],
	                .share = (double)e->count / whole};
	a.counted = e->aux == EDGE_TAKEN || e->aux == EDGE_NOT_TAKEN || e->aux == EDGE_CALL;
	a.taken = e->aux != EDGE_NOT_TAKEN;
	if (e->aux != EDGE_RETURN)
		flow_beliefs_append_arc(f, a);
	if (e->aux == EDGE_CALL && !(leaves[from] & CALLS)) {
		const size_t back = block_from(f, f->block[from].end);
		flow_beliefs_append_arc(f, (struct arc){.to = back,
		                                        .from = from,
		                                        .share = (double)returns[back] / whole});
	}
	leaves[from] |= e->aux == EDGE_CALL ? JUMPS | CALLS : JUMPS;
}

struct belief_ways *belief_ways_new(const struct oracle *o, const struct oracle_block *block,
                                    size_t n)
{
	const uint32_t edges = oracle_entries(o, ORACLE_EDGES);
	struct belief_ways *f = alloc_zeroed(1, sizeof *f);
	uint8_t *leaves = alloc_zeroed(n + 1, 1);
	uint64_t *returns = alloc_zeroed(n + 1, sizeof *returns);
	if (f)
		*f = (struct belief_ways){
			.block = block,
			.n = n,
			.arc = alloc_zeroed(2 * (size_t)edges + n + 1, sizeof *f->arc)};
	if (!f || !f->arc || !leaves || !returns) {
		free(leaves);
		free(returns);
		belief_ways_free(f);
		return NULL;
	}
	flow_beliefs_count_returns(f, o, returns);
	for (uint32_t i = 0; i < edges; i++)
		flow_beliefs_append_oracle_edge(f, oracle_entry(o, ORACLE_EDGES, i), returns,
		                                leaves);
	for (size_t i = 0; i < n; i++)
		if (!leaves[i])
			flow_beliefs_append_arc(f, (struct arc){.to = block_from(f, block[i].end),
			                                        .from = i,
			                                        .share = 1});
	free(leaves);
	free(returns);
	return f;
}

void belief_ways_free(struct belief_ways *f)
{
	if (f)
		free(f->arc);
	free(f);
}

/* ---- counts ---- */
struct flow_count {
	uint64_t pc, target; /* 0: counted by the branch's outcome `taken` */
	uint64_t taken;
	double times, samples;
};

struct flow_counts {
	struct flow_count *all; /* [n], in order */
	size_t n;
};

ORDER(order, struct flow_count, UP(pc) ?: UP(target) ?: UP(taken))

static struct flow_counts *counts_new(size_t room)
{
	struct flow_counts *c = alloc_zeroed(1, sizeof *c);
	if (c && !(c->all = alloc_zeroed(room + 1, sizeof *c->all))) {
		free(c);
		return NULL;
	}
	return c;
}

void flow_counts_free(struct flow_counts *c)
{
	if (c)
		free(c->all);
	free(c);
}

/* Sorts, and sums up duplicates. */
static void put_in_order(struct flow_counts *c)
{
	size_t n = 0;
	sort_stable(c->all, c->n, sizeof *c->all, order);
	for (size_t i = 0; i < c->n; i++) {
		if (n && !order(&c->all[n - 1], &c->all[i])) {
			c->all[n - 1].times += c->all[i].times;
			c->all[n - 1].samples += c->all[i].samples;
		} else {
			c->all[n++] = c->all[i];
		}
	}
	c->n = n;
}

struct flow_counts *flow_counts_of_sampler(const struct sampler_exact *x)
{
	struct flow_counts *c = counts_new(x->head.entries);
	/* tuples for each message, on average */
	const double each = x->head.told ? (double)x->head.read / (double)x->head.told : 0;
	for (uint32_t i = 0; c && i < x->head.entries; i++) {
		const struct exact_tuple t = sampler_exact_tuple(x, i);
		if (t.told)
			c->all[c->n++] = (struct flow_count){tuple_pc(t.tuple), t.tuple.value, 0,
			                                     (double)t.told, (double)t.told * each};
	}
	if (c)
		put_in_order(c);
	return c;
}

/* Must match demos/firmware/cop_profile.h. */
struct profile_head {
	uint64_t magic, kind, entries, capacity, entry_bytes, table;
};
struct profile_entry {
	uint32_t kind, spare, from, to, n[4];
};
enum { KIND_COUNTS = 3, ENTRY_BRANCH = 1, ENTRY_TARGET = 2, CAPACITY_MAX = 1 << 16 };
#define MAGIC UINT64_C(0x706f632e637963)

static void flow_beliefs_append_count(struct flow_counts *c, uint64_t pc, uint64_t target,
                                      uint64_t taken, uint32_t n)
{
	if (n)
		c->all[c->n++] = (struct flow_count){pc, target, taken, n, n};
}

static uint32_t data_word(struct prof *d, uint64_t i)
{
	return (uint32_t)(cop_read(d, COP_DATA + (unsigned)(i / 2 * 8)) >> 32 * (i % 2));
}

/* Adds counts that the handler of flow.mic has not stored yet. Its data array holds counts, places
 * and targets, `slots` words each; other microprograms have other bases and are skipped. */
static void add_slots(struct flow_counts *c, struct prof *d, uint64_t slots, uint64_t data)
{
	if (3 * slots > data || cop_read(d, COP_BASES + 16) != slots ||
	    cop_read(d, COP_BASES + 24) != 2 * slots)
		return;
	for (uint64_t i = 0; i < slots; i++) {
		const uint32_t n = data_word(d, i), pc = data_word(d, slots + i),
			       target = data_word(d, 2 * slots + i);
		flow_beliefs_append_count(c, pc, target, 0, target ? n : n & UINT16_MAX);
		flow_beliefs_append_count(c, pc, target, 1, target ? 0 : n >> 16);
	}
}

static bool profile_of(const struct session *s, struct profile_head *h)
{
	const struct program *firmware = program_firmware(s->program);
	const struct symbol *at = firmware ? program_symbol_by_name(firmware, "cop_profile") : NULL;
	return at && machine_peek(s->machine, at->addr, h, sizeof *h) && h->magic == MAGIC &&
	       h->kind == KIND_COUNTS && h->entry_bytes == sizeof(struct profile_entry) &&
	       h->capacity <= CAPACITY_MAX;
}

struct flow_counts *flow_counts_of_cop(const struct session *s)
{
	struct profile_head h;
	struct prof *d = machine_pipe(s->machine)->prof;
	const uint64_t slots = CONFIG(machine_config(s->machine), cop)
	                               ? cop_read(d, COP_BASES + 8) & UINT16_MAX : 0;
	struct flow_counts *c = profile_of(s, &h) ? counts_new(2 * (h.capacity + slots)) : NULL;
	for (uint64_t i = 0; c && h.table && i < h.capacity; i++) {
		struct profile_entry e;
		if (!machine_peek(s->machine, h.table + i * sizeof e, &e, sizeof e))
			break;
		for (unsigned k = 0; k < 2 && e.kind == ENTRY_BRANCH; k++)
			flow_beliefs_append_count(c, e.from, 0, k, e.n[k]);
		if (e.kind == ENTRY_TARGET)
			flow_beliefs_append_count(c, e.from, e.to, 0, e.n[0]);
	}
	if (c) {
		add_slots(c, d, slots, (uint64_t)CONFIG(machine_config(s->machine), cop_data));
		put_in_order(c);
	}
	return c;
}

/* Counts are by target, or by a branch's outcome. */
static const struct flow_count *flow_beliefs_lookup_arc_count(const struct flow_counts *c,
                                                              const struct arc *a)
{
	const struct flow_count by_target = {.pc = a->pc, .target = a->target},
				by_outcome = {.pc = a->pc, .taken = a->taken};
	const struct flow_count *found = bsearch(&by_target, c->all, c->n, sizeof *c->all, order);
	return found ? found : bsearch(&by_outcome, c->all, c->n, sizeof *c->all, order);
}

/* ---- blocks ---- */
static bool flow_beliefs_differ(double a, double b)
{
	return a > b * (1 + 1e-9) || b > a * (1 + 1e-9);
}

/* Propagates counts along all arcs once. True if the count of a block changed. */
static bool go_round(const struct belief_ways *f, const struct flow_count *const *counted,
                     struct flow_sum *now, struct flow_sum *next)
{
	bool changed = false;
	memset(next, 0, f->n * sizeof *next);
	for (size_t i = 0; i < f->arcs; i++) {
		const struct arc *a = &f->arc[i];
		next[a->to].times += counted[i]   ? counted[i]->times
		                     : a->counted ? 0 : a->share * now[a->from].times;
		next[a->to].samples += counted[i]   ? counted[i]->samples
		                       : a->counted ? 0 : a->share * now[a->from].samples;
	}
	for (size_t i = 0; i < f->n && !changed; i++)
		changed = flow_beliefs_differ(next[i].times, now[i].times) ||
		          flow_beliefs_differ(next[i].samples, now[i].samples);
	memcpy(now, next, f->n * sizeof *now);
	return changed;
}

struct flow_sum *flow_blocks(const struct belief_ways *f, const struct flow_counts *c)
{
	/* A loop whose branches are all jumps through registers needs a round for each iteration.
	 */
	enum { ROUNDS = 2000 };
	struct flow_sum *now = alloc_zeroed(f->n + 1, sizeof *now),
			*next = alloc_zeroed(f->n + 1, sizeof *next);
	const struct flow_count **counted = alloc_zeroed(f->arcs + 1, sizeof *counted);
	if (!now || !next || !counted) {
		free(now);
		now = NULL;
	}
	for (size_t i = 0; now && i < f->arcs; i++)
		counted[i] =
			f->arc[i].counted ? flow_beliefs_lookup_arc_count(c, &f->arc[i]) : NULL;
	for (unsigned i = 0; now && i < ROUNDS && go_round(f, counted, now, next); i++)
		;
	free(next);
	free(counted);
	return now;
}
