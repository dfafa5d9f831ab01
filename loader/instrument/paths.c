#include "loader/instrument/paths.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/sort.h"

/* An edge of the acyclic graph: one of the procedure's, or half of a cut one. */
struct arc {
	uint32_t from, to;
	uint32_t edge;   /* of the procedure */
	uint64_t value;  /* label: number of paths over earlier arcs of `from` */
	int64_t inc;     /* with chords: the increment; 0 in the tree */
	bool begins;     /* the second half of a cut edge: a path begins with it */
	bool in_tree;
};

struct path_tables {
	struct arc *arcs;      /* [arc_count], owned: those of a vertex are consecutive */
	uint32_t arc_count;
	uint32_t *first;       /* [vertices + 1], owned: of a vertex's arcs */
	uint32_t *order;       /* [vertices], owned: reachable ones, reverse topological */
	uint32_t order_count;
	/* [vertices], owned: the first cut edge to it, + 1; 0: none */
	uint32_t *begins;
	uint64_t *paths;       /* [vertices], owned: from a vertex to the exit */
};

/* Cutting selects the edges of a procedure's graph at which paths end and others begin. */

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

static bool paths_cut_cycles(struct path_graph *g)
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

/* Cuts more edges until there are at most `most` paths. t is the acyclic graph in order; its
 * numbers of paths are overwritten. False if that is impossible. */
static bool paths_cut_for_size(struct path_graph *g, struct path_tables *t, uint64_t most)
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

static void tables_free(struct path_tables *t)
{
	if (!t)
		return;
	free(t->arcs);
	free(t->first);
	free(t->order);
	free(t->paths);
	free(t->begins);
	free(t);
}

void paths_free(struct path_graph *g)
{
	tables_free(g->tables);
	g->tables = NULL;
}

/* ---- the acyclic graph ---- */
/* begins[v] = the first cut edge that leads to v, + 1. */
static void mark_first(const struct path_graph *g, uint32_t *begins)
{
	for (uint32_t e = g->count; e-- > 0;)
		if (g->edges[e].cut)
			begins[g->edges[e].to] = e + 1;
}

/* Whether the entry has an arc for edge e: e is cut, and begins paths. */
static bool begins_paths(const struct path_graph *g, const struct path_tables *t, uint32_t e)
{
	return g->edges[e].cut && (g->apart || t->begins[g->edges[e].to] == e + 1);
}

/* Makes the arcs. Those of a vertex are in the order of its edges; the entry has, after its own,
 * one for each vertex that a cut edge leads to, or for each cut edge. */
static struct path_tables *tables_new(const struct path_graph *g)
{
	struct path_tables *t = alloc_zeroed(1, sizeof *t);
	if (!t)
		return NULL;
	t->arcs = alloc_zeroed(2 * (size_t)g->count + 1, sizeof *t->arcs);
	t->first = alloc_zeroed(g->vertices + 2, sizeof *t->first);
	t->order = alloc_zeroed(g->vertices + 1, sizeof *t->order);
	t->paths = alloc_zeroed(g->vertices + 1, sizeof *t->paths);
	t->begins = alloc_zeroed(g->vertices + 1, sizeof *t->begins);
	if (!t->arcs || !t->first || !t->order || !t->paths || !t->begins) {
		tables_free(t);
		return NULL;
	}
	mark_first(g, t->begins);
	/* first[v + 1] is first a count, then the index of v's next arc, and finally their end. */
	for (uint32_t e = 0; e < g->count; e++) {
		t->first[g->edges[e].from + 1]++;
		t->first[PATH_ENTRY + 1] += begins_paths(g, t, e);
	}
	for (uint32_t v = 0; v < g->vertices; v++)
		t->first[v + 1] += t->first[v];
	t->arc_count = t->first[g->vertices];
	memmove(t->first + 1, t->first, g->vertices * sizeof *t->first);
	for (uint32_t e = 0; e < g->count; e++) {
		const struct path_edge *edge = &g->edges[e];
		t->arcs[t->first[edge->from + 1]++] =
			(struct arc){.from = edge->from,
		                     .to = edge->cut ? (uint32_t)PATH_EXIT : edge->to,
		                     .edge = e};
	}
	for (uint32_t e = 0; e < g->count; e++)
		if (begins_paths(g, t, e))
			t->arcs[t->first[PATH_ENTRY + 1]++] = (struct arc){.from = PATH_ENTRY,
			                                                   .to = g->edges[e].to,
			                                                   .edge = e,
			                                                   .begins = true};
	return t;
}

/* Reverse topological order: a vertex comes when all its successors have. */
static bool paths_sort_vertices(const struct path_graph *g, struct path_tables *t)
{
	uint32_t *left = alloc_zeroed(g->vertices, sizeof *left),
		 *next = alloc_zeroed(t->arc_count + 1, sizeof *next),
		 *into = alloc_zeroed(g->vertices, sizeof *into);
	bool ok = left && next && into;
	/* Arcs by target: into[vertex], next[arc], each the index + 1. */
	for (uint32_t a = 0; ok && a < t->arc_count; a++) {
		next[a] = into[t->arcs[a].to];
		into[t->arcs[a].to] = a + 1;
		left[t->arcs[a].from]++;
	}
	t->order_count = 0;
	for (uint32_t v = 0; ok && v < g->vertices; v++)
		if (!left[v])
			t->order[t->order_count++] = v;
	for (uint32_t done = 0; ok && done < t->order_count; done++)
		for (uint32_t a = into[t->order[done]]; a; a = next[a - 1])
			if (!--left[t->arcs[a - 1].from])
				t->order[t->order_count++] = t->arcs[a - 1].from;
	free(left);
	free(next);
	free(into);
	return ok;
}

/* NP and Val in one pass (figure 2). */
static void paths_number_arcs(struct path_tables *t)
{
	for (uint32_t i = 0; i < t->order_count; i++) {
		const uint32_t v = t->order[i];
		uint64_t paths = v == PATH_EXIT;
		for (uint32_t a = t->first[v]; a < t->first[v + 1]; a++) {
			t->arcs[a].value = paths;
			paths += t->paths[t->arcs[a].to];
		}
		t->paths[v] = paths;
	}
}

/* ---- chords ---- */
struct joined {
	uint32_t *parent; /* [vertices]: sets of vertices that the tree connects */
};

static uint32_t paths_find_tree_root(struct joined *j, uint32_t v)
{
	while (j->parent[v] != v) {
		j->parent[v] = j->parent[j->parent[v]];
		v = j->parent[v];
	}
	return v;
}

static uint64_t weight_of(const struct path_graph *g, const struct arc *a)
{
	return g->edges[a->edge].weight;
}

struct ranked {
	uint64_t weight;
	uint32_t arc;
};

static int paths_compare_by_weight(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;
	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	return x->arc < y->arc ? -1 : x->arc > y->arc;
}

/* Grows a spanning tree of greatest weight that joins the exit to the entry; cut edges, which need
 * code anyhow, come last. */
static bool grow_tree(const struct path_graph *g, struct path_tables *t)
{
	struct joined j = {alloc_bytes(g->vertices * sizeof *j.parent)};
	struct ranked *rank = alloc_bytes((t->arc_count + 1) * sizeof *rank);
	bool ok = j.parent && rank;
	for (uint32_t v = 0; ok && v < g->vertices; v++)
		j.parent[v] = v;
	if (ok)
		j.parent[PATH_EXIT] = PATH_ENTRY;
	for (uint32_t a = 0; ok && a < t->arc_count; a++)
		rank[a] = (struct ranked){
			g->edges[t->arcs[a].edge].cut ? 0 : weight_of(g, &t->arcs[a]) + 1, a};
	if (ok)
		sort_stable(rank, t->arc_count, sizeof *rank, paths_compare_by_weight);
	for (uint32_t i = 0; ok && i < t->arc_count; i++) {
		struct arc *a = &t->arcs[rank[i].arc];
		uint32_t from = paths_find_tree_root(&j, a->from),
			 to = paths_find_tree_root(&j, a->to);
		a->in_tree = from != to;
		if (a->in_tree)
			j.parent[from] = to;
	}
	free(j.parent);
	free(rank);
	return ok;
}

/* The tree's arcs by vertex, at both ends: those of vertex v from list[first[v]] to list[first[v +
 * 1]]. */
struct tree {
	uint32_t *first; /* [vertices + 2], owned */
	uint32_t *list;  /* owned: arcs */
};

static bool tree_init(struct tree *tree, const struct path_graph *g, const struct path_tables *t)
{
	*tree = (struct tree){alloc_zeroed(g->vertices + 2, sizeof *tree->first),
	                      alloc_bytes(2 * ((size_t)t->arc_count + 1) * sizeof *tree->list)};
	if (!tree->first || !tree->list)
		return false;
	/* As in tables_new(). */
	for (uint32_t a = 0; a < t->arc_count; a++)
		if (t->arcs[a].in_tree) {
			tree->first[t->arcs[a].from + 1]++;
			tree->first[t->arcs[a].to + 1]++;
		}
	for (uint32_t v = 0; v < g->vertices; v++)
		tree->first[v + 1] += tree->first[v];
	memmove(tree->first + 1, tree->first, g->vertices * sizeof *tree->first);
	for (uint32_t a = 0; a < t->arc_count; a++)
		if (t->arcs[a].in_tree) {
			tree->list[tree->first[t->arcs[a].from + 1]++] = a;
			tree->list[tree->first[t->arcs[a].to + 1]++] = a;
		}
	return true;
}

/* Finds a potential for each vertex such that differences along the tree's edges are their values:
 * the rest of a value on a chord is its increment. The exit has the entry's potential, because the
 * tree joins them. */
static bool paths_compute_increments(const struct path_graph *g, struct path_tables *t)
{
	struct tree tree;
	/* modulo 2^64, as the path's register counts */
	uint64_t *potential = alloc_zeroed(g->vertices, sizeof *potential);
	uint8_t *known = alloc_zeroed(g->vertices, 1);
	uint32_t *queue = alloc_bytes(g->vertices * sizeof *queue), count = 0;
	const bool ok = tree_init(&tree, g, t) && potential && known && queue;
	/* Vertices not reachable from the entry have trees of their own. */
	for (uint32_t root = 0, done = 0; ok && root < g->vertices; root++) {
		if (known[root])
			continue;
		queue[count++] = root;
		known[root] = 1;
		if (root == PATH_ENTRY) {
			queue[count++] = PATH_EXIT;
			known[PATH_EXIT] = 1;
		}
		for (; done < count; done++) {
			const uint32_t v = queue[done];
			for (uint32_t k = tree.first[v]; k < tree.first[v + 1]; k++) {
				const struct arc *x = &t->arcs[tree.list[k]];
				const uint32_t other = x->from == v ? x->to : x->from;
				if (known[other])
					continue;
				potential[other] = x->from == v ? potential[v] + x->value
				                                : potential[v] - x->value;
				known[other] = 1;
				queue[count++] = other;
			}
		}
	}
	for (uint32_t a = 0; ok && a < t->arc_count; a++)
		t->arcs[a].inc = (int64_t)(t->arcs[a].value + potential[t->arcs[a].from] -
		                           potential[t->arcs[a].to]);
	free(tree.first);
	free(tree.list);
	free(potential);
	free(known);
	free(queue);
	return ok;
}

static bool place_on_chords(const struct path_graph *g, struct path_tables *t)
{
	for (uint32_t a = 0; a < t->arc_count; a++)
		t->arcs[a].inc = (int64_t)t->arcs[a].value;
	return grow_tree(g, t) && paths_compute_increments(g, t);
}

/* ---- numbering ---- */
static void hand_out(struct path_graph *g, const struct path_tables *t, bool chords)
{
	for (uint32_t a = 0; a < t->arc_count; a++) {
		const struct arc *x = &t->arcs[a];
		struct path_edge *e = &g->edges[x->edge];
		const int64_t n = chords ? x->inc : (int64_t)x->value;
		if (!e->cut)
			e->value = n;
		else if (x->begins)
			e->start = n;
		else
			e->end = n;
	}
	for (uint32_t k = 0; !g->apart && k < g->count; k++)
		if (g->edges[k].cut)
			g->edges[k].start = g->edges[t->begins[g->edges[k].to] - 1].start;
	g->paths = t->paths[PATH_ENTRY];
	g->first = g->last = 0;
}

/* The acyclic graph with the current cuts, in order. NULL: memory is out. */
static struct path_tables *tables_of(const struct path_graph *g)
{
	struct path_tables *t = tables_new(g);
	if (t && paths_sort_vertices(g, t))
		return t;
	tables_free(t);
	return NULL;
}

bool paths_number(struct path_graph *g, uint64_t most, bool chords, struct err *err)
{
	g->cut_for_size = 0;
	g->tables = NULL;
	for (uint32_t e = 0; e < g->count; e++)
		g->edges[e].forced = g->edges[e].cut;
	struct path_tables *t = paths_cut_cycles(g) ? tables_of(g) : NULL;
	if (!t)
		return err_set(err, "out of memory for paths");
	const bool fits = paths_cut_for_size(g, t, most);
	tables_free(t);
	if (!fits)
		return err_set(err, "more than %llu paths, however many edges are cut",
		               (unsigned long long)most);
	g->tables = t = tables_of(g);
	if (!t)
		return err_set(err, "out of memory for paths");
	paths_number_arcs(t);
	if (!t->paths[PATH_ENTRY]) {
		paths_free(g);
		return err_set(err, "no path leads from the entry to the exit");
	}
	if (chords && !place_on_chords(g, t)) {
		paths_free(g);
		return err_set(err, "out of memory for paths");
	}
	hand_out(g, t, chords);
	return true;
}

uint32_t paths_decode(const struct path_graph *g, uint64_t k, uint32_t *edges, uint32_t room)
{
	const struct path_tables *t = g->tables;
	uint32_t v = PATH_ENTRY, n = 0;
	while (v != PATH_EXIT) {
		uint32_t a = t->first[v + 1];
		while (a-- > t->first[v])
			if (t->arcs[a].value <= k && t->paths[t->arcs[a].to])
				break;
		k -= t->arcs[a].value;
		if (n < room)
			edges[n] = t->arcs[a].edge;
		n++;
		v = t->arcs[a].to;
	}
	return n;
}
