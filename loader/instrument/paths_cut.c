/* Selects the edges of a procedure's graph at which paths end and others begin. */
#include "loader/instrument/paths_priv.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"

#define NONE UINT32_MAX

/* ---- cutting cycles ---- */
enum colour { WHITE, GREY, BLACK };

struct search {
	uint32_t *first, *next; /* edges by vertex: first[vertex], next[edge] */
	uint32_t *stack, *at;   /* vertices being visited, and the edge that each is at */
	uint8_t *colour;
};

static void search_free(struct search *s)
{
	free(s->first);
	free(s->next);
	free(s->stack);
	free(s->at);
	free(s->colour);
}

static bool search_init(struct search *s, const struct path_graph *g)
{
	s->first = alloc_bytes(g->vertices * sizeof *s->first);
	s->next = alloc_bytes((g->count + 1) * sizeof *s->next);
	s->stack = alloc_bytes(g->vertices * sizeof *s->stack);
	s->at = alloc_bytes(g->vertices * sizeof *s->at);
	s->colour = alloc_zeroed(g->vertices, 1);
	if (!s->first || !s->next || !s->stack || !s->at || !s->colour)
		return false;
	memset(s->first, 0xff, g->vertices * sizeof *s->first);
	for (uint32_t e = g->count; e-- > 0;) {
		s->next[e] = s->first[g->edges[e].from];
		s->first[g->edges[e].from] = e;
	}
	return true;
}

/* Cuts each edge to a vertex that is being visited. Vertices reached over cut edges only are
 * visited as well. */
static void paths_cut_remove_back_edges(struct search *s, struct path_graph *g, uint32_t root)
{
	uint32_t depth = 0;
	s->stack[0] = root;
	s->at[0] = s->first[root];
	s->colour[root] = GREY;
	for (;;) {
		const uint32_t e = s->at[depth];
		if (e == NONE) {
			s->colour[s->stack[depth]] = BLACK;
			if (!depth--)
				return;
			continue;
		}
		s->at[depth] = s->next[e];
		const uint32_t to = g->edges[e].to;
		if (s->colour[to] == GREY)
			g->edges[e].cut = true;
		if (g->edges[e].cut || s->colour[to] != WHITE)
			continue;
		depth++;
		s->stack[depth] = to;
		s->at[depth] = s->first[to];
		s->colour[to] = GREY;
	}
}

bool paths_cut_cycles(struct path_graph *g)
{
	struct search s = {0};
	bool ok = search_init(&s, g);
	if (ok) {
		paths_cut_remove_back_edges(&s, g, PATH_ENTRY);
		for (uint32_t v = 0; v < g->vertices; v++)
			if (s.colour[v] == WHITE)
				paths_cut_remove_back_edges(&s, g, v);
	}
	search_free(&s);
	return ok;
}

/* ---- too many paths ---- */
/* Sums of numbers of paths, which may be large. */
typedef unsigned __int128 sum_t;

static bool is_cut(const struct path_graph *g, const struct arc *a)
{
	return g->edges[a->edge].cut && !a->begins;
}

/* The number of paths from a vertex over an arc: a cut edge ends one. */
static uint64_t paths_by(const struct path_graph *g, const struct path_tables *t,
                         const struct arc *a)
{
	return is_cut(g, a) ? 1 : t->paths[a->to];
}

/* The uncut arc of a vertex that leads to most paths; NONE: further cuts would change nothing. */
static uint32_t paths_cut_find_fullest_arc(const struct path_graph *g, const struct path_tables *t,
                                           uint32_t v)
{
	uint32_t best = NONE;
	for (uint32_t a = t->first[v]; a < t->first[v + 1]; a++)
		if (paths_by(g, t, &t->arcs[a]) > 1 &&
		    (best == NONE || t->paths[t->arcs[a].to] > t->paths[t->arcs[best].to]))
			best = a;
	return best;
}

/* One pass from the exit: cuts edges of each vertex but the entry that has more than `limit` paths,
 * down to limit / 8, or else each vertex before it would be cut as well. Returns the number of
 * paths from the entry. */
static sum_t cut_above(struct path_graph *g, struct path_tables *t, uint64_t limit)
{
	sum_t begun = 0;
	for (uint32_t i = 0; i < t->order_count; i++) {
		const uint32_t v = t->order[i];
		sum_t paths = v == PATH_EXIT;
		for (uint32_t a = t->first[v]; a < t->first[v + 1]; a++)
			paths += paths_by(g, t, &t->arcs[a]);
		if (v == PATH_ENTRY)
			return begun + paths;
		const uint64_t left = paths > limit ? limit / 8 : limit;
		for (uint32_t a;
		     paths > left && (a = paths_cut_find_fullest_arc(g, t, v)) != NONE;) {
			const uint64_t behind = t->paths[t->arcs[a].to];
			g->edges[t->arcs[a].edge].cut = g->edges[t->arcs[a].edge].forced = true;
			g->cut_for_size++;
			paths -= behind - 1;
			begun += behind; /* a path begins at its target */
		}
		t->paths[v] = paths < UINT64_MAX / 2 ? (uint64_t)paths : UINT64_MAX / 2;
	}
	return begun;
}

bool paths_cut_for_size(struct path_graph *g, struct path_tables *t, uint64_t most)
{
	bool *cut = alloc_zeroed(g->count + 1, sizeof *cut);
	bool fits = false;
	for (uint32_t e = 0; cut && e < g->count; e++)
		cut[e] = g->edges[e].cut;
	/* Paths of cut edges begin at the entry: a lower limit per vertex means more of them. */
	for (uint64_t limit = most; cut && !fits && limit; limit /= 2) {
		for (uint32_t e = 0; e < g->count; e++) {
			g->edges[e].forced &= cut[e];
			g->edges[e].cut = cut[e];
		}
		g->cut_for_size = 0;
		fits = cut_above(g, t, limit) <= most;
	}
	free(cut);
	return fits;
}
