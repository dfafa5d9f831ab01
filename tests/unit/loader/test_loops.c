/* loader/edit/loops: loops of random graphs against their definition, vertex by vertex. */
#include <stdint.h>

#include <string.h>

#include "loader/edit/loops.h"
#include "tests/cases.h"

enum { VERTICES = 12, EDGES = 30, ROUNDS = 4000 };

static uint32_t loops_random_below(uint32_t n)
{
	static uint64_t seed = 0x2545f4914f6cdd1d;
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (uint32_t)(seed >> 33) % n;
}

struct graph {
	uint32_t n, count;
	struct loop_edge edges[EDGES];
};

/* Bit v: v is reachable from `from` without passing `without`. */
static uint32_t loops_reachable_set(const struct graph *g, uint32_t from, uint32_t without)
{
	uint32_t seen = from == without ? 0 : UINT32_C(1) << from, before = 0;
	while (seen != before) {
		before = seen;
		for (uint32_t i = 0; i < g->count; i++)
			if ((seen >> g->edges[i].from & 1) && g->edges[i].to != without)
				seen |= UINT32_C(1) << g->edges[i].to;
	}
	return seen;
}

/* Entries: vertex 0, then in rising order each vertex not reachable from earlier entries. */
static uint32_t loops_entry_set(const struct graph *g)
{
	uint32_t seen = 0, all = 0;
	for (uint32_t v = 0; v < g->n; v++) {
		if (seen >> v & 1)
			continue;
		all |= UINT32_C(1) << v;
		seen |= loops_reachable_set(g, v, LOOP_NONE);
	}
	return all;
}

static bool loops_vertex_dominates(const struct graph *g, uint32_t from, uint32_t a, uint32_t b)
{
	for (uint32_t v = 0; v < g->n; v++)
		if ((from >> v & 1) && (loops_reachable_set(g, v, a) >> b & 1))
			return false;
	return true;
}

/* Bit v: v is in the loop of this head: v reaches the source of a back edge to the head, without
 * passing the head. */
static uint32_t body_of(const struct graph *g, uint32_t from, uint32_t head)
{
	uint32_t body = 0;
	for (uint32_t i = 0; i < g->count; i++) {
		if (g->edges[i].to != head ||
		    !loops_vertex_dominates(g, from, head, g->edges[i].from))
			continue;
		body |= UINT32_C(1) << head;
		for (uint32_t v = 0; v < g->n; v++)
			if (v != head && (loops_reachable_set(g, v, head) >> g->edges[i].from & 1))
				body |= UINT32_C(1) << v;
	}
	return body;
}

TEST(loops_are_as_defined)
{
	unsigned found = 0, nested = 0;
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct graph g = {.n = 1 + loops_random_below(VERTICES),
		                  .count = loops_random_below(EDGES)};
		struct loops l;
		uint32_t right[VERTICES] = {0}, heads = 0;
		for (uint32_t i = 0; i < g.count; i++)
			g.edges[i] = (struct loop_edge){loops_random_below(g.n),
			                                loops_random_below(g.n)};
		const uint32_t from = loops_entry_set(&g);
		for (uint32_t v = 0; v < g.n; v++) {
			right[v] = body_of(&g, from, v);
			heads += right[v] != 0;
		}
		assert_true(loops_find(g.n, g.edges, g.count, &l));
		assert_int_equal(l.count, heads);
		for (uint32_t k = 0; k < l.count; k++) {
			const struct loop *loop = &l.all[k];
			assert_int_equal(__builtin_popcount(right[loop->head]), loop->size);
			assert_true(loop->outer == LOOP_NONE ||
			            (loop->outer < k &&
			             (right[l.all[loop->outer].head] >> loop->head & 1)));
			if (loop->outer != LOOP_NONE)
				assert_true(l.all[loop->outer].inner);
			nested += loop->outer != LOOP_NONE;
		}
		for (uint32_t v = 0; v < g.n; v++) {
			/* The smallest loop that contains v. */
			uint32_t least = UINT32_MAX;
			for (uint32_t head = 0; head < g.n; head++)
				if ((right[head] >> v & 1) &&
				    (uint32_t)__builtin_popcount(right[head]) < least)
					least = (uint32_t)__builtin_popcount(right[head]);
			assert_int_equal(l.innermost[v] == LOOP_NONE, least == UINT32_MAX);
			if (l.innermost[v] != LOOP_NONE)
				assert_int_equal(l.all[l.innermost[v]].size, least);
		}
		found += l.count;
		loops_free(&l);
	}
	assert_true(found > ROUNDS / 2);
	assert_true(nested > ROUNDS / 20);
}
