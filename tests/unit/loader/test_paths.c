/* loader/instrument/paths.h: on random graphs, including irreducible ones, path numbers are unique
 * and dense, and decode to their paths. The test finds all paths by walking. */
#include <stdint.h>

#include <stdlib.h>
#include <string.h>

#include "loader/instrument/paths.h"
#include "tests/cases.h"

enum { VERTICES_MAX = 12, EDGES_MAX = 30, LENGTH_MAX = 64, PATHS_MAX = 20000 };

static uint64_t seed = 1;

static uint32_t paths_random_below(uint32_t n)
{
	seed = seed * UINT64_C(6364136223846793005) + 1;
	return (uint32_t)(seed >> 33) % n;
}

/* The exit can be reached from everywhere. */
static void paths_make_random_graph(struct path_graph *g, struct path_edge *edges)
{
	*g = (struct path_graph){.vertices = 3 + paths_random_below(VERTICES_MAX - 2),
	                         .edges = edges,
	                         .apart = !paths_random_below(3)};
	for (uint32_t v = 0; v < g->vertices; v++) {
		if (v == PATH_EXIT)
			continue;
		/* Each vertex has an edge to the next, the last one to the exit. */
		uint32_t next = v + 1 == PATH_EXIT ? 2 : v + 1;
		edges[g->count++] =
			(struct path_edge){.from = v,
		                           .to = next < g->vertices ? next : (uint32_t)PATH_EXIT,
		                           .weight = paths_random_below(50)};
		for (unsigned more = paths_random_below(3); more && g->count < EDGES_MAX; more--)
			edges[g->count++] =
				(struct path_edge){.from = v,
			                           .to = 1 + paths_random_below(g->vertices - 1),
			                           .weight = paths_random_below(50),
			                           .cut = !paths_random_below(12)};
	}
}

struct walk {
	const struct path_graph *g;
	uint32_t edges[LENGTH_MAX], n;
	uint64_t found;
	uint8_t *seen; /* [paths] */
};

/* Checks that the walked path has this sum. */
static void paths_check_sum_at_exit(struct walk *w, int64_t sum)
{
	uint32_t decoded[LENGTH_MAX];
	assert_in_range(sum, 0, w->g->paths - 1);
	assert_false(w->seen[sum]);
	w->seen[sum] = 1;
	w->found++;
	assert_int_equal(paths_decode(w->g, (uint64_t)sum, decoded, LENGTH_MAX), w->n);
	assert_memory_equal(decoded, w->edges, w->n * sizeof *decoded);
}

static void paths_walk_from_vertex(struct walk *w, uint32_t v, int64_t sum)
{
	assert_true(w->n < LENGTH_MAX - 1);
	if (v == PATH_EXIT) {
		paths_check_sum_at_exit(w, sum + w->g->last);
		return;
	}
	for (uint32_t e = 0; e < w->g->count; e++) {
		const struct path_edge *edge = &w->g->edges[e];
		if (edge->from != v)
			continue;
		w->edges[w->n++] = e;
		if (edge->cut)
			paths_check_sum_at_exit(w, sum + edge->end);
		else
			paths_walk_from_vertex(w, edge->to, sum + edge->value);
		w->n--;
	}
}

static void paths_check_graph(const struct path_graph *g)
{
	struct walk w = {.g = g, .seen = calloc(g->paths, 1)};
	assert_non_null(w.seen);
	paths_walk_from_vertex(&w, PATH_ENTRY, g->first);
	for (uint32_t e = 0; e < g->count; e++) {
		bool first = g->edges[e].cut;
		/* Edges to the same vertex begin the same paths. */
		for (uint32_t k = 0; k < e && !g->apart; k++)
			if (first && g->edges[k].cut && g->edges[k].to == g->edges[e].to) {
				assert_int_equal(g->edges[k].start, g->edges[e].start);
				first = false;
			}
		if (!first)
			continue;
		w.edges[w.n++] = e;
		paths_walk_from_vertex(&w, g->edges[e].to, g->edges[e].start);
		w.n--;
	}
	assert_int_equal(w.found, g->paths);
	free(w.seen);
}

/* No cycle is left without a cut edge. */
static void no_cycle(const struct path_graph *g, uint32_t v, unsigned depth)
{
	assert_true(depth <= g->vertices);
	for (uint32_t e = 0; e < g->count; e++)
		if (g->edges[e].from == v && !g->edges[e].cut)
			no_cycle(g, g->edges[e].to, depth + 1);
}

TEST(each_path_has_its_number)
{
	uint64_t work[2] = {0, 0};
	unsigned checked = 0;
	for (unsigned round = 0; round < 3000; round++) {
		struct path_edge edges[2][EDGES_MAX];
		struct path_graph g[2];
		struct err err;
		paths_make_random_graph(&g[0], edges[0]);
		g[1] = g[0];
		g[1].edges = edges[1];
		memcpy(edges[1], edges[0], sizeof edges[0]);
		for (int chords = 0; chords < 2; chords++) {
			if (!paths_number(&g[chords], UINT64_C(1) << 40, chords, &err))
				fail_msg("%s", err.msg);
			for (uint32_t v = 0; v < g[chords].vertices; v++)
				no_cycle(&g[chords], v, 0);
			for (uint32_t e = 0; e < g[chords].count; e++)
				work[chords] += !edges[chords][e].cut && edges[chords][e].value
				                        ? edges[chords][e].weight
				                        : 0;
			if (g[chords].paths <= PATHS_MAX) {
				paths_check_graph(&g[chords]);
				checked++;
			}
		}
		assert_int_equal(g[0].paths, g[1].paths);
		paths_free(&g[0]);
		paths_free(&g[1]);
	}
	assert_true(checked > 5000);

	assert_true(work[1] * 4 < work[0] * 3); /* the most used edges are no chords */
}

/* The paper's figure 1: six paths. */
TEST(the_papers_example)
{
	enum { A = PATH_ENTRY, F = PATH_EXIT, B, C, D, E };
	struct path_edge edges[] = {
		{.from = A, .to = C}, {.from = A, .to = B}, {.from = B, .to = C},
		{.from = B, .to = D}, {.from = C, .to = D}, {.from = D, .to = F},
		{.from = D, .to = E}, {.from = E, .to = F},
	};
	struct path_graph g = {.vertices = 6, .count = 8, .edges = edges};
	struct err err;
	assert_true(paths_number(&g, 100, false, &err));
	assert_int_equal(g.paths, 6);
	paths_check_graph(&g);
	paths_free(&g);
}

/* A ladder of n diamonds has 2^n paths. */
TEST(too_many_paths_are_cut)
{
	enum { DIAMONDS = 40 };
	struct path_edge edges[4 * DIAMONDS + 1];
	struct path_graph g = {.vertices = 2, .edges = edges};
	struct err err;
	uint32_t v = PATH_ENTRY;
	for (unsigned i = 0; i < DIAMONDS; i++, g.vertices += 3) {
		const uint32_t left = g.vertices, right = left + 1, end = left + 2;
		const struct path_edge four[] = {{.from = v, .to = left},
		                                 {.from = v, .to = right},
		                                 {.from = left, .to = end},
		                                 {.from = right, .to = end}};
		memcpy(edges + g.count, four, sizeof four);
		g.count += 4;
		v = end;
	}
	edges[g.count++] = (struct path_edge){.from = v, .to = PATH_EXIT};
	assert_true(paths_number(&g, 10000, true, &err));
	assert_true(g.paths <= 10000);
	assert_true(g.cut_for_size > 2);
	paths_check_graph(&g);
	paths_free(&g);
}

/* Numbers as large as registers: random walks of a ladder whose paths were cut decode to
 * themselves, also by the graph as a file keeps it. */
TEST(large_numbers_decode)
{
	enum { DIAMONDS = 150, EDGES = 5 * DIAMONDS, WALKS = 5000, LONGEST = 3 * DIAMONDS };
	for (int chords = 0; chords < 2; chords++) {
		static struct path_edge edges[2][EDGES];
		struct path_graph g[2] = {{.vertices = 2, .edges = edges[0]}, {0}};
		struct err err;
		uint32_t v = PATH_ENTRY;
		uint64_t largest = 0;
		memset(edges, 0, sizeof edges);
		for (unsigned i = 0; i < DIAMONDS; i++, g[0].vertices += 3) {
			const uint32_t left = g[0].vertices, right = left + 1, end = left + 2,
				       back = 2 + paths_random_below(left);
			const struct path_edge five[] = {
				{.from = v, .to = left, .weight = paths_random_below(9)},
				{.from = v, .to = right, .weight = paths_random_below(9)},
				{.from = left, .to = end},
				{.from = right, .to = end},
				{.from = end, .to = back}};
			const unsigned some = i % 30 == 29 ? 5 : 4; /* few lead back */
			memcpy(edges[0] + g[0].count, five, some * sizeof *five);
			g[0].count += some;
			v = end;
		}
		edges[0][g[0].count++] = (struct path_edge){.from = v, .to = PATH_EXIT};
		assert_true(paths_number(&g[0], PATHS_MOST, chords, &err));
		assert_true(g[0].cut_for_size > 1);
		g[1] = (struct path_graph){
			.vertices = g[0].vertices, .count = g[0].count, .edges = edges[1]};
		for (uint32_t e = 0; e < g[0].count; e++)
			edges[1][e] = (struct path_edge){.from = edges[0][e].from,
			                                 .to = edges[0][e].to,
			                                 .cut = edges[0][e].cut};
		assert_true(paths_number(&g[1], PATHS_MOST, true, &err));
		assert_int_equal(g[0].paths, g[1].paths);
		uint32_t way[LONGEST], decoded[LONGEST], n = 0;
		uint64_t sum = 0;
		v = PATH_ENTRY;
		for (unsigned walks = 0; walks < WALKS;) {
			uint32_t e;
			do
				e = paths_random_below(g[0].count);
			while (edges[0][e].from != v);
			const struct path_edge *edge = &edges[0][e];
			way[n++] = e;
			sum += (uint64_t)(edge->cut ? edge->end : edge->value);
			v = edge->to;
			if (!edge->cut && v != PATH_EXIT)
				continue;
			assert_true(sum < g[0].paths);
			assert_int_equal(paths_decode(&g[1], sum, decoded, LONGEST), n);
			assert_memory_equal(decoded, way, n * sizeof *way);
			largest = sum > largest ? sum : largest;
			walks++;
			n = edge->cut;
			for (way[0] = 0; edge->cut && !(edges[0][way[0]].cut &&
			                                edges[0][way[0]].to == edge->to);)
				way[0]++; /* the first edge stands for all */
			sum = edge->cut ? (uint64_t)edge->start : 0;
			v = edge->cut ? v : (uint32_t)PATH_ENTRY;
		}
		assert_true(largest > UINT64_C(1) << 50);
		paths_free(&g[0]);
		paths_free(&g[1]);
	}
}

TEST(no_way_out_is_said)
{
	struct path_edge edges[] = {{.from = PATH_ENTRY, .to = 2}};
	struct path_graph g = {.vertices = 3, .count = 1, .edges = edges};
	struct err err;
	assert_false(paths_number(&g, 100, false, &err));
	assert_non_null(strstr(err.msg, "no path leads"));
}
