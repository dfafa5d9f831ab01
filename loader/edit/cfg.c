#include "loader/edit/cfg.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"

uint8_t *cfg_entered(const struct edit *e)
{
	uint32_t n;
	const struct edit_inst *insts = edit_insts(e, &n);
	uint8_t *entered = alloc_zeroed(n + 1, 1);
	for (uint32_t i = 0; entered && i < n; i++) {
		uint32_t to =
			insts[i].ref == REF_NEAR ? edit_inst_at(e, insts[i].target) : EDIT_NONE;
		if (to != EDIT_NONE && insts[to].function != insts[i].function)
			entered[to] = CFG_JUMPED;
		/* Code that falls through into the next function. */
		if (i + 1 < n && insts[i + 1].function != insts[i].function)
			entered[i + 1] = CFG_JUMPED;
	}
	return entered;
}

void cfg_free(struct cfg *g)
{
	free(g->blocks);
	free(g->edges);
	*g = (struct cfg){0};
}

struct builder {
	const struct edit *e;
	const struct edit_inst *insts;
	const struct edit_function *f;
	struct cfg *g;
	const struct ways *ways;
	uint32_t first_way, ways_end; /* of the function */
	uint32_t first_set;
};

static bool cfg_inst_is_inside(const struct builder *b, uint32_t i)
{
	return i != EDIT_NONE && i - b->f->first < b->f->count && !(b->insts[i].flags & EDIT_DATA);
}

static struct cfg_block cfg_init_block(const struct builder *b, uint32_t i, unsigned entered)
{
	const bool aimed = b->ways->aimed[i],
		   known = i == b->f->first || (b->insts[i].flags & (EDIT_TAKEN | EDIT_PAD));
	/* control may arrive through a way, or otherwise */
	const bool start = (entered & CFG_BEGINS) || (aimed && entered);
	return (struct cfg_block){
		.first = i, .start = start, .entry = !start && !aimed && (known || entered)};
}

static void cfg_find_blocks(struct builder *b, const uint8_t *entered)
{
	struct cfg *g = b->g;
	bool open = false;
	for (uint32_t i = b->f->first; i < b->f->first + b->f->count; i++) {
		if (b->insts[i].flags & EDIT_DATA) {
			open = false;
			continue;
		}
		if (!open || edit_begins_block(b->e, i))
			g->blocks[g->block_count++] = cfg_init_block(b, i, entered[i]);
		g->blocks[g->block_count - 1].last = i;
		open = true;
	}
}

/* The vertex of the block that begins with instruction i. */
static uint32_t vertex_at(const struct cfg *g, uint32_t i)
{
	uint32_t lo = 0, hi = g->block_count;
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		if (g->blocks[mid].first < i)
			lo = mid + 1;
		else
			hi = mid;
	}
	return CFG_BLOCKS + lo;
}

static void cfg_append_inst_edge(struct builder *b, uint32_t from, enum cfg_edge_kind kind,
                                 uint32_t lead)
{
	uint32_t to = CFG_EXIT;
	if (cfg_inst_is_inside(b, lead)) {
		to = vertex_at(b->g, lead);
		if (b->g->blocks[to - CFG_BLOCKS].start && kind != CFG_START)
			to = CFG_EXIT;
	}
	b->g->edges[b->g->edge_count++] = (struct cfg_edge){
		.from = from, .to = to, .lead = lead, .at = EDIT_NONE, .kind = (uint8_t)kind};
}

static void cfg_append_edge(struct builder *b, struct cfg_edge e)
{
	b->g->edges[b->g->edge_count++] = e;
}

/* Whether no place of a way's set is a start; *any: some place is none. */
static bool leads_to_edges(const struct builder *b, const struct way *w, bool *any)
{
	bool all = true;
	*any = false;
	const struct way_set *s = &b->ways->sets[w->set];
	for (uint32_t k = 0; k < s->count; k++) {
		const bool start =
			b->g->blocks[vertex_at(b->g, b->ways->targets[s->first + k]) - CFG_BLOCKS]
				.start;
		all &= !start;
		*any |= !start;
	}
	return all;
}

/* Appends the edge of the indirect jump that ends a block. */
static void cfg_append_indirect_jump(struct builder *b, uint32_t from, uint32_t jump)
{
	const uint32_t k = ways_from(b->ways, jump);
	const struct way *w =
		k < b->ways_end && b->ways->all[k].jump == jump ? &b->ways->all[k] : NULL;
	bool any = false;
	const bool all = w && leads_to_edges(b, w, &any);
	if (any)
		cfg_append_edge(
			b, (struct cfg_edge){.from = from,
		                             .to = CFG_BLOCKS + b->g->block_count +
		                                   (w->set - b->first_set),
		                             .lead = EDIT_NONE,
		                             .at = EDIT_NONE,
		                             .kind = CFG_WAY,
		                             .cut = !all || !w->certain});
	else
		cfg_append_inst_edge(b, from, CFG_LEAVE, EDIT_NONE);
}

/* Appends the edges from the vertices of ways to their places. */
static void add_arrivals(struct builder *b)
{
	struct cfg *g = b->g;
	for (uint32_t set = 0; set < g->way_count; set++) {
		const struct way_set *s = &b->ways->sets[b->first_set + set];
		for (uint32_t t = 0; t < s->count; t++) {
			const uint32_t lead = b->ways->targets[s->first + t],
				       to = vertex_at(g, lead);
			if (!g->blocks[to - CFG_BLOCKS].start)
				cfg_append_edge(
					b,
					(struct cfg_edge){.from = CFG_BLOCKS + g->block_count + set,
				                          .to = to,
				                          .lead = lead,
				                          .at = EDIT_NONE,
				                          .kind = CFG_ARRIVE});
		}
	}
}

/* The taken edges of a block: of its last instruction, and of branches that leave a sequence. */
static void cfg_append_branches(struct builder *b, const struct cfg_block *block, uint32_t from)
{
	for (uint32_t i = block->first; i <= block->last; i++) {
		if (!(inst_flags(&b->insts[i].in) & OPF_BRANCH) || !edit_may_insert_taken(b->e, i))
			continue;
		cfg_append_inst_edge(b, from, CFG_TAKEN, edit_inst_at(b->e, b->insts[i].target));
		b->g->edges[b->g->edge_count - 1].at = i;
	}
}

static void find_edges(struct builder *b)
{
	struct cfg *g = b->g;
	for (uint32_t k = 0; k < g->block_count; k++)
		if (g->blocks[k].start || g->blocks[k].entry)
			cfg_append_inst_edge(b, CFG_ENTRY, CFG_START, g->blocks[k].first);
	for (uint32_t k = 0; k < g->block_count; k++) {
		const uint32_t last = g->blocks[k].last, from = CFG_BLOCKS + k;
		const struct edit_inst *at = &b->insts[last];
		const unsigned flags = inst_flags(&at->in);
		cfg_append_branches(b, &g->blocks[k], from);
		if ((flags & OPF_JUMP) && at->in.rd == REG_SINK) {
			if (flags & OPF_INDIRECT)
				cfg_append_indirect_jump(b, from, last);
			else
				cfg_append_inst_edge(b, from, CFG_JUMP,
				                     edit_inst_at(b->e, at->target));
			continue;
		}
		cfg_append_inst_edge(b, from, CFG_NEXT,
		                     cfg_inst_is_inside(b, last + 1) ? last + 1 : EDIT_NONE);
	}
	add_arrivals(b);
}

bool cfg_of(const struct edit *e, const struct edit_function *f, const uint8_t *entered,
            const struct ways *ways, struct cfg *out, struct err *err)
{
	uint32_t n;
	struct builder b = {.e = e,
	                    .insts = edit_insts(e, &n),
	                    .f = f,
	                    .g = out,
	                    .ways = ways,
	                    .first_way = ways_from(ways, f->first)};
	size_t edges = 3 * ((size_t)f->count + 1);
	*out = (struct cfg){0};
	for (b.ways_end = b.first_way;
	     b.ways_end < ways->count && ways->all[b.ways_end].jump - f->first < f->count;
	     b.ways_end++) {
		const struct way *w = &ways->all[b.ways_end];
		edges += w->count;
		b.first_set = b.ways_end == b.first_way ? w->set : b.first_set;
		out->way_count = w->set + 1 - b.first_set > out->way_count
		                         ? w->set + 1 - b.first_set
		                         : out->way_count;
	}
	out->blocks = alloc_bytes((f->count + (size_t)1) * sizeof *out->blocks);
	out->edges = alloc_bytes(edges * sizeof *out->edges);
	if (!out->blocks || !out->edges) {
		cfg_free(out);
		return err_set(err, "out of memory for the graph of %s", f->name);
	}
	cfg_find_blocks(&b, entered);
	find_edges(&b);
	return true;
}
