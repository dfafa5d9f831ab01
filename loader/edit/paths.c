#include "loader/edit/paths.h"

#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

/* An edge of the acyclic graph: one of the procedure's, or half of a cut one. */
struct arc {
	uint32_t from, to;
	uint32_t edge;   /* of the procedure */
	uint64_t value;  /* label: paths that leave `from` before it */
	int64_t inc;     /* with chords: what is added there; 0 in the tree */
	bool begins;     /* the second half of a cut edge: a path begins with it */
	bool in_tree;
};

struct path_tables {
	struct arc *arcs;      /* [arc_count], owned: those of a vertex one behind the other */
	uint32_t arc_count;
	uint32_t *first;       /* [vertices + 1], owned: of a vertex's arcs */
	uint32_t *order;       /* [vertices], owned: reverse topological, what can be reached */
	uint32_t order_count;
	uint64_t *paths;       /* [vertices], owned: from a vertex to the exit */
};

static void tables_free(struct path_tables *t)
{
	if (!t)
		return;
	free(t->arcs);
	free(t->first);
	free(t->order);
	free(t->paths);
	free(t);
}

void paths_free(struct path_graph *g)
{
	tables_free(g->tables);
	g->tables = NULL;
}

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
	s->first = malloc(g->vertices * sizeof *s->first);
	s->next = malloc((g->count + 1) * sizeof *s->next);
	s->stack = malloc(g->vertices * sizeof *s->stack);
	s->at = malloc(g->vertices * sizeof *s->at);
	s->colour = calloc(g->vertices, 1);
	if (!s->first || !s->next || !s->stack || !s->at || !s->colour)
		return false;
	memset(s->first, 0xff, g->vertices * sizeof *s->first);
	for (uint32_t e = g->count; e-- > 0;) {
		s->next[e] = s->first[g->edges[e].from];
		s->first[g->edges[e].from] = e;
	}
	return true;
}

/* Cuts each edge to a vertex that is being visited. A vertex that is reached over cut edges only is visited all the same. */
static void visit(struct search *s, struct path_graph *g, uint32_t root)
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

static bool cut_cycles(struct path_graph *g)
{
	struct search s = {0};
	bool ok = search_init(&s, g);
	if (ok) {
		visit(&s, g, PATH_ENTRY);
		for (uint32_t v = 0; v < g->vertices; v++)
			if (s.colour[v] == WHITE)
				visit(&s, g, v);
	}
	search_free(&s);
	return ok;
}

/* ---- the acyclic graph ---- */
/* Those of a vertex come in the order of its edges; the entry has, behind its own, one for each cut edge. */
static struct path_tables *tables_new(const struct path_graph *g)
{
	struct path_tables *t = calloc(1, sizeof *t);
	if (!t)
		return NULL;
	t->arcs = calloc(2 * (size_t)g->count + 1, sizeof *t->arcs);
	t->first = calloc(g->vertices + 2, sizeof *t->first);
	t->order = calloc(g->vertices + 1, sizeof *t->order);
	t->paths = calloc(g->vertices + 1, sizeof *t->paths);
	if (!t->arcs || !t->first || !t->order || !t->paths) {
		tables_free(t);
		return NULL;
	}
	/* first[v + 1] counts, then says where the next arc of v goes, then where they end. */
	for (uint32_t e = 0; e < g->count; e++) {
		t->first[g->edges[e].from + 1]++;
		t->first[PATH_ENTRY + 1] += g->edges[e].cut;
	}
	for (uint32_t v = 0; v < g->vertices; v++)
		t->first[v + 1] += t->first[v];
	t->arc_count = t->first[g->vertices];
	memmove(t->first + 1, t->first, g->vertices * sizeof *t->first);
	for (uint32_t e = 0; e < g->count; e++) {
		const struct path_edge *edge = &g->edges[e];
		t->arcs[t->first[edge->from + 1]++] = (struct arc){.from = edge->from, .to = edge->cut ? (uint32_t)PATH_EXIT : edge->to, .edge = e};
	}
	for (uint32_t e = 0; e < g->count; e++)
		if (g->edges[e].cut)
			t->arcs[t->first[PATH_ENTRY + 1]++] = (struct arc){.from = PATH_ENTRY, .to = g->edges[e].to, .edge = e, .begins = true};
	return t;
}

/* Reverse topological order: a vertex comes when all its successors have. */
static bool order(const struct path_graph *g, struct path_tables *t)
{
	uint32_t *left = calloc(g->vertices, sizeof *left), *next = calloc(t->arc_count + 1, sizeof *next), *into = calloc(g->vertices, sizeof *into);
	bool ok = left && next && into;
	/* Arcs by where they lead: into[vertex], next[arc], each the index + 1. */
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

/* NP and Val in one pass (figure 2). The vertex whose number of paths is first above `most`, NONE if none is. */
static uint32_t label(struct path_tables *t, uint64_t most)
{
	for (uint32_t i = 0; i < t->order_count; i++) {
		const uint32_t v = t->order[i];
		uint64_t paths = v == PATH_EXIT;
		for (uint32_t a = t->first[v]; a < t->first[v + 1]; a++) {
			t->arcs[a].value = paths;
			paths += t->paths[t->arcs[a].to];
			if (paths > most)
				return v;
		}
		t->paths[v] = paths;
	}
	return NONE;
}

/* Cuts the edge behind which most paths lie, of a vertex that has too many: of its own, or else of one that comes before. */
static bool cut_more(struct path_graph *g, const struct path_tables *t, uint32_t v)
{
	uint32_t best = NONE;
	for (uint32_t e = 0; e < g->count; e++) {
		const struct path_edge *edge = &g->edges[e];
		/* Cutting an edge of the entry's would change nothing. */
		if (edge->cut || edge->from == PATH_ENTRY || edge->to == PATH_EXIT || (v != PATH_ENTRY && edge->from != v))
			continue;
		if (best == NONE || t->paths[edge->to] > t->paths[g->edges[best].to])
			best = e;
	}
	if (best == NONE)
		return false;
	g->edges[best].cut = true;
	g->cut_for_size++;
	return true;
}

/* ---- chords ---- */
struct joined {
	uint32_t *parent; /* [vertices]: sets of vertices that the tree connects */
};

static uint32_t root_of(struct joined *j, uint32_t v)
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

static int by_weight(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;
	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	return x->arc < y->arc ? -1 : x->arc > y->arc;
}

/* A spanning tree of greatest weight, in which the exit and the entry are joined; cut edges, which are changed at anyhow, come last. */
static bool grow_tree(const struct path_graph *g, struct path_tables *t)
{
	struct joined j = {malloc(g->vertices * sizeof *j.parent)};
	struct ranked *rank = malloc((t->arc_count + 1) * sizeof *rank);
	bool ok = j.parent && rank;
	for (uint32_t v = 0; ok && v < g->vertices; v++)
		j.parent[v] = v;
	if (ok)
		j.parent[PATH_EXIT] = PATH_ENTRY;
	for (uint32_t a = 0; ok && a < t->arc_count; a++)
		rank[a] = (struct ranked){g->edges[t->arcs[a].edge].cut ? 0 : weight_of(g, &t->arcs[a]) + 1, a};
	if (ok)
		qsort(rank, t->arc_count, sizeof *rank, by_weight);
	for (uint32_t i = 0; ok && i < t->arc_count; i++) {
		struct arc *a = &t->arcs[rank[i].arc];
		uint32_t from = root_of(&j, a->from), to = root_of(&j, a->to);
		a->in_tree = from != to;
		if (a->in_tree)
			j.parent[from] = to;
	}
	free(j.parent);
	free(rank);
	return ok;
}

/* A number for each vertex such that along the tree's edges their difference is the edge's value: what is left of a value on a chord is
 * its increment. The exit has the entry's, as the tree joins them. */
static bool spread(const struct path_graph *g, struct path_tables *t)
{
	int64_t *potential = calloc(g->vertices, sizeof *potential);
	uint8_t *known = calloc(g->vertices, 1);
	bool ok = potential && known;
	if (ok)
		known[PATH_ENTRY] = known[PATH_EXIT] = 1;
	for (bool more = ok; more;) {
		more = false;
		for (uint32_t a = 0; a < t->arc_count; a++) {
			const struct arc *x = &t->arcs[a];
			if (!x->in_tree || known[x->from] == known[x->to])
				continue;
			if (known[x->from])
				potential[x->to] = potential[x->from] + (int64_t)x->value;
			else
				potential[x->from] = potential[x->to] - (int64_t)x->value;
			known[x->from] = known[x->to] = 1;
			more = true;
		}
	}
	for (uint32_t a = 0; ok && a < t->arc_count; a++)
		t->arcs[a].inc = (int64_t)t->arcs[a].value + potential[t->arcs[a].from] - potential[t->arcs[a].to];
	free(potential);
	free(known);
	return ok;
}

static bool place_on_chords(const struct path_graph *g, struct path_tables *t)
{
	for (uint32_t a = 0; a < t->arc_count; a++)
		t->arcs[a].inc = (int64_t)t->arcs[a].value;
	return grow_tree(g, t) && spread(g, t);
}

/* ---- all of it ---- */
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
	g->paths = t->paths[PATH_ENTRY];
	g->first = g->last = 0;
}

bool paths_number(struct path_graph *g, uint64_t most, bool chords, struct err *err)
{
	g->cut_for_size = 0;
	if (!cut_cycles(g))
		return err_set(err, "out of memory for paths");
	for (;;) {
		struct path_tables *t = tables_new(g);
		g->tables = t;
		if (!t || !order(g, t))
			break;
		const uint32_t over = label(t, most);
		if (over == NONE) {
			if (!t->paths[PATH_ENTRY]) {
				paths_free(g);
				return err_set(err, "no path leads from the entry to the exit");
			}
			if (chords && !place_on_chords(g, t))
				break;
			hand_out(g, t, chords);
			return true;
		}
		const bool cut = cut_more(g, t, over);
		paths_free(g);
		if (!cut)
			return err_set(err, "more than %llu paths, however many edges are cut", (unsigned long long)most);
	}
	paths_free(g);
	return err_set(err, "out of memory for paths");
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
