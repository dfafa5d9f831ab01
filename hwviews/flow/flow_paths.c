#include "hwviews/flow/flow_paths.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/sort.h"
#include "hwviews/grid/order.h"
#include "loader/instrument/cct_paths.h"

enum { WAY_MAX = 4096 };

/* ---- paths counted in records of a calling context tree (cct+path), over all contexts ---- */

struct gathering {
	const struct path_profile *profile;
	struct path_counts *out;
	size_t room;
	bool failed;
};

static void path_records_collect_path(void *ctx, const struct path_function *f, uint64_t path,
                                      const uint64_t *words)
{
	struct gathering *g = ctx;
	g->failed |= !path_counts_add(g->out, &g->room, (uint64_t)(f - g->profile->functions), path,
	                              words);
}

ORDER(by_path, struct path_count, UP(function) ?: UP(path))

/* Sums up equal paths of all contexts. */
static void path_records_merge_duplicates(struct path_counts *c)
{
	uint64_t n = 0;
	if (c->n)
		sort_stable(c->all, c->n, sizeof *c->all, by_path);
	for (uint64_t i = 0; i < c->n; i++) {
		if (n && by_path(&c->all[n - 1], &c->all[i]) == 0) {
			for (unsigned k = 0; k < PATH_WORDS_MAX; k++)
				c->all[n - 1].words[k] += c->all[i].words[k];
			continue;
		}
		c->all[n++] = c->all[i];
	}
	c->n = n;
}

/* Like path_counts_read(). profile: paths of the whole program or of one function. False with *err
 * if the records can't be read, or memory is out. */
static bool path_records_read(const struct session *s, const struct path_profile *profile,
                              struct path_counts *out, struct err *err)
{
	struct gathering g = {.profile = profile, .out = out};
	struct cct_paths paths = {.profile = *profile};
	const struct cct_source from = {
		.read = session_peek, .ctx = s->machine, .pc = machine_pc(s->machine)};
	struct context_tree tree;
	*out = (struct path_counts){0};
	if (!program_cct(s->program, &paths.cct))
		return err_set(err, "the program's description of its contexts is damaged");
	for (uint64_t i = 0; i < profile->count; i++)
		out->possible += (double)profile->functions[i].graph.paths;
	bool ok = cct_tree(s->program, &from, &tree, err);
	for (uint32_t i = 0; ok && i < tree.count; i++) {
		uint64_t lost;
		ok = cct_paths_each(&paths, &from, &tree.nodes[i], path_records_collect_path, &g,
		                    &lost, err);
		out->lost[0] += ok ? lost : 0;
	}
	context_tree_free(&tree);
	ok = ok && cct_paths_spare(&paths, &from, path_records_collect_path, &g, err);
	if (g.failed)
		ok = err_set(err, "out of memory for paths");
	if (ok)
		path_records_merge_duplicates(out);
	else
		path_counts_free(out);
	return ok;
}

static const struct path_block *flow_paths_vertex_block(const struct path_function *f,
                                                        uint32_t vertex)
{
	return &f->blocks[vertex - CFG_BLOCKS];
}

uint64_t *flow_path_leaders(const struct path_function *f, size_t *n)
{
	const uint32_t blocks = f->graph.vertices - CFG_BLOCKS;
	uint8_t *begins = alloc_zeroed(blocks + (size_t)1, 1);
	uint64_t *all = alloc_bytes((blocks + (size_t)1) * sizeof *all);
	*n = 0;
	for (uint32_t k = 0; begins && k < f->graph.count; k++) {
		const struct path_edge *e = &f->edges[k];
		if (e->to >= CFG_BLOCKS &&
		    (e->from < CFG_BLOCKS || flow_paths_vertex_block(f, e->from)->end !=
		                                     flow_paths_vertex_block(f, e->to)->start))
			begins[e->to - CFG_BLOCKS] = 1;
	}
	for (uint32_t k = 0; begins && all && k < blocks; k++)
		if (begins[k] && f->blocks[k].end)
			all[(*n)++] = f->blocks[k].start;
	if (!begins) {
		free(all);
		all = NULL;
	}
	free(begins);
	return all;
}

struct path_edge *flow_plain_labels(const struct path_function *f)
{
	struct path_edge *edges = alloc_bytes((f->graph.count + (size_t)1) * sizeof *edges);
	struct path_graph g = {.vertices = f->graph.vertices, .count = f->graph.count,
	                       .edges = edges, .apart = f->graph.apart};
	if (!edges)
		return NULL;
	memcpy(edges, f->edges, f->graph.count * sizeof *edges);
	if (!paths_number(&g, PATHS_MOST, false, NULL)) {
		free(edges);
		return NULL;
	}
	paths_free(&g);
	return edges;
}

/* ---- the program's ---- */
struct path_cache {
	const struct program *of; /* NULL: not requested yet */
	bool there;
	struct path_profile profile;
};

struct path_cache *path_cache_new(void)
{
	return alloc_zeroed(1, sizeof(struct path_cache));
}

static void flow_paths_clear_cache(struct path_cache *c)
{
	if (c->there)
		path_profile_free(&c->profile);
	*c = (struct path_cache){0};
}

void path_cache_free(struct path_cache *c)
{
	if (c)
		flow_paths_clear_cache(c);
	free(c);
}

const struct path_profile *session_paths(const struct session *s)
{
	struct path_cache *c = s->path_cache;
	if (c->of != s->program) {
		flow_paths_clear_cache(c);
		c->there = program_paths(s->program, &c->profile);
		c->of = s->program;
	}
	return c->there ? &c->profile : NULL;
}

/* ---- counts ---- */
static bool flow_paths_read_memory(void *ctx, uint64_t at, void *out, size_t n)
{
	return machine_peek(ctx, at, out, n);
}

bool session_counts_paths(const struct session *s)
{
	struct counters c;
	return program_counters_of(s->program, INSTRUMENT_PATH, &c) ||
	       program_counters_of(s->program, INSTRUMENT_PATH_HW, &c) ||
	       program_counters_of(s->program, INSTRUMENT_CCT_PATH, &c);
}

bool session_path_counts(const struct session *s, const struct path_profile *profile,
                         struct path_counts *out, struct err *err)
{
	struct counters c;
	if (program_counters_of(s->program, INSTRUMENT_CCT_PATH, &c))
		return path_records_read(s, profile, out, err);
	if (!program_counters_of(s->program, INSTRUMENT_PATH, &c) &&
	    !program_counters_of(s->program, INSTRUMENT_PATH_HW, &c))
		return err_set(err, "the program counts no paths; use --instrument path, or one "
		                    "that `cyclops instrument --kind path` has made");
	return path_counts_read(profile, &c, flow_paths_read_memory, s->machine, out, err);
}

/* Counts of the edges of the function's graph: [graph.count], malloc'd. NULL: memory is out, or the
 * paths can't be read. */
static uint64_t *flow_paths_count_path_edges(const struct session *s,
                                             const struct path_profile *one)
{
	const struct path_function *f = &one->functions[0];
	uint64_t *n = alloc_zeroed(f->graph.count + (size_t)1, sizeof *n);
	uint32_t *way = alloc_bytes(WAY_MAX * sizeof *way);
	struct path_counts counts;
	struct err err;
	bool ok = n && way && session_path_counts(s, one, &counts, &err);
	for (uint64_t i = 0; ok && i < counts.n; i++) {
		const uint32_t length = paths_decode(&f->graph, counts.all[i].path, way, WAY_MAX);
		/* A cut edge at its start was counted by the previous path, which it ended. */
		for (uint32_t k = f->edges[way[0]].cut && length > 1; k < length && k < WAY_MAX;
		     k++)
			n[way[k]] += counts.all[i].words[0];
	}
	if (ok)
		path_counts_free(&counts);
	free(way);
	if (!ok) {
		free(n);
		n = NULL;
	}
	return n;
}

/* ---- mapping to the flow graph ---- */
/* The flow graph's block with the same end as the vertex; FLOW_NONE if the block continues after a
 * call. */
static uint32_t flow_paths_find_flow_block(const struct flow *g, const struct path_function *f,
                                           uint32_t vertex)
{
	const uint32_t k = flow_block_at(g, flow_paths_vertex_block(f, vertex)->start);
	return k != FLOW_NONE && g->blocks[k].end == flow_paths_vertex_block(f, vertex)->end
	               ? k
	               : FLOW_NONE;
}

/* The n-th edge that leaves a block, numbered as in loader/edit/cfg.h: jumps through a register are
 * one. */
static uint32_t edge_number(const struct flow *g, uint32_t block, uint32_t n)
{
	const struct flow_block *b = &g->blocks[block];
	if (!b->edges || n >= b->edges)
		return FLOW_NONE;
	return (inst_flags(&b->inst) & OPF_INDIRECT) && (inst_flags(&b->inst) & OPF_JUMP)
	               ? b->edge + b->edges - 1 : b->edge + n;
}

static void flow_paths_set_edge_count(struct flow_picture *p, uint32_t edge,
                                      const struct path_edge *label, uint64_t n)
{
	struct flow_edge *e = &p->graph.edges[edge];
	const struct flow_block *b = &p->graph.blocks[e->from];
	/* Subtracts known counts of other targets of the same jump. */
	for (uint32_t i = b->edge; i < edge && p->graph.edges[i].kind == FLOW_SEEN; i++)
		n -= p->graph.edges[i].count.n < n ? p->graph.edges[i].count.n : n;
	e->count = (struct flow_count){n, true, false};
	p->labels[edge] =
		(struct flow_label){true, label->cut, label->value, label->end, label->start};
}

bool flow_take_paths(const struct session *s, struct flow_picture *p,
                     const struct path_profile *one)
{
	const struct path_function *f = &one->functions[0];
	uint64_t *n = flow_paths_count_path_edges(s, one);
	struct path_edge *labels = n ? flow_plain_labels(f) : NULL;
	p->labels =
		labels ? alloc_zeroed(p->graph.edge_count + (size_t)1, sizeof *p->labels) : NULL;
	uint32_t from = UINT32_MAX, nth = 0;
	for (uint32_t k = 0; p->labels && k < f->graph.count; k++) {
		const struct path_edge *e = &f->edges[k];
		nth = e->from == from ? nth + 1 : 0;
		from = e->from;
		const uint32_t to =
			e->to >= CFG_BLOCKS
				? flow_block_at(&p->graph, flow_paths_vertex_block(f, e->to)->start)
				: FLOW_NONE;
		if (to != FLOW_NONE &&
		    p->graph.blocks[to].start == flow_paths_vertex_block(f, e->to)->start) {
			p->graph.blocks[to].count.n += n[k];
			p->graph.blocks[to].count.known = true;
		}
		const uint32_t block = from >= CFG_BLOCKS
		                               ? flow_paths_find_flow_block(&p->graph, f, from)
		                               : FLOW_NONE;
		const uint32_t edge =
			block != FLOW_NONE ? edge_number(&p->graph, block, nth) : FLOW_NONE;
		if (edge != FLOW_NONE)
			flow_paths_set_edge_count(p, edge, &labels[k], n[k]);
	}
	p->paths = f->graph.paths;
	free(labels);
	free(n);
	return p->labels;
}

/* True if no other cut edge starts the same paths as this one. */
static bool is_only(const struct path_function *f, uint32_t edge)
{
	for (uint32_t k = 0; !f->graph.apart && k < f->graph.count; k++)
		if (k != edge && f->edges[k].cut && f->edges[k].to == f->edges[edge].to)
			return false;
	return true;
}

#define FLOW_SEVERAL (FLOW_NONE - 1)

/* Returns the number of blocks. *from: source of the cut edge that the path starts after;
 * FLOW_SEVERAL: one of several; FLOW_NONE: the path starts at an entry. *back: it ends with a cut
 * edge. */
static uint32_t blocks_of(const struct flow_picture *p, const struct path_function *f, uint64_t k,
                          uint32_t *blocks, uint32_t room, uint32_t *from, bool *back)
{
	uint32_t *way = alloc_bytes(WAY_MAX * sizeof *way), n = 0;
	uint32_t length = way ? paths_decode(&f->graph, k, way, WAY_MAX) : 0;
	*from = FLOW_NONE;
	*back = false;
	if (!length) {
		free(way);
		return 0;
	}
	length = length < WAY_MAX ? length : WAY_MAX;
	const struct path_edge *first = &f->edges[way[0]];
	if (first->cut && first->from >= CFG_BLOCKS)
		*from = is_only(f, way[0])
		                ? flow_block_at(&p->graph,
		                                flow_paths_vertex_block(f, first->from)->start)
		                : FLOW_SEVERAL;
	*back = length > 1 && f->edges[way[length - 1]].cut;
	for (uint32_t i = 0; i < length - *back; i++) {
		const struct path_edge *e = &f->edges[way[i]];
		const uint32_t block =
			e->to >= CFG_BLOCKS
				? flow_block_at(&p->graph, flow_paths_vertex_block(f, e->to)->start)
				: FLOW_NONE;
		/* A block that continues after a call is a single block here. */
		if (block == FLOW_NONE ||
		    p->graph.blocks[block].start != flow_paths_vertex_block(f, e->to)->start)
			continue;
		if (n < room)
			blocks[n] = block;
		n++;
	}
	free(way);
	return n;
}

uint32_t flow_path_text(const struct flow_picture *p, const struct path_function *f, uint64_t k,
                        uint32_t *blocks, uint32_t room, char *buf, size_t n)
{
	uint32_t from;
	bool back;
	const uint32_t all = blocks_of(p, f, k, blocks, room, &from, &back),
		       count = all < room ? all : room;
	size_t used = from == FLOW_SEVERAL ? (size_t)snprintf(buf, n, "↺ ")
	              : from != FLOW_NONE  ? (size_t)snprintf(buf, n, "%u↺ ", from)
	              : count && blocks[0] ? (size_t)snprintf(buf, n, "→ ")
	                                   : 0;
	for (uint32_t i = 0; i < count && used < n; i++)
		used += (size_t)snprintf(buf + used, n - used, "%s%u", i ? " " : "", blocks[i]);
	if (used < n)
		snprintf(buf + used, n - used, "%s%s", all > room ? " …" : "", back ? " ↺" : "");
	return count;
}
