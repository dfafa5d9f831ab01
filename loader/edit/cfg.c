#include "loader/edit/cfg.h"

#include <stdlib.h>
#include <string.h>

uint8_t *cfg_entered(const struct edit *e)
{
	uint32_t n;
	const struct edit_inst *insts = edit_insts(e, &n);
	uint8_t *entered = calloc(n + 1, 1);
	for (uint32_t i = 0; entered && i < n; i++) {
		uint32_t to = insts[i].ref == REF_NEAR ? edit_inst_at(e, insts[i].target) : EDIT_NONE;
		if (to != EDIT_NONE && insts[to].function != insts[i].function)
			entered[to] = 1;
		/* Code that goes on into the next function without a jump. */
		if (i + 1 < n && insts[i + 1].function != insts[i].function)
			entered[i + 1] = 1;
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
};

static bool inside(const struct builder *b, uint32_t i)
{
	return i != EDIT_NONE && i - b->f->first < b->f->count && !(b->insts[i].flags & EDIT_DATA);
}

static void find_blocks(struct builder *b, const uint8_t *entered)
{
	struct cfg *g = b->g;
	bool open = false;
	for (uint32_t i = b->f->first; i < b->f->first + b->f->count; i++) {
		if (b->insts[i].flags & EDIT_DATA) {
			open = false;
			continue;
		}
		if (!open || edit_is_leader(b->e, i))
			g->blocks[g->block_count++] = (struct cfg_block){
				.first = i, .start = i == b->f->first || (b->insts[i].flags & EDIT_TAKEN) || entered[i],
			};
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

static void add_edge(struct builder *b, uint32_t from, enum cfg_edge_kind kind, uint32_t lead)
{
	uint32_t to = CFG_EXIT;
	if (inside(b, lead)) {
		to = vertex_at(b->g, lead);
		if (b->g->blocks[to - CFG_BLOCKS].start && kind != CFG_START)
			to = CFG_EXIT;
	}
	b->g->edges[b->g->edge_count++] = (struct cfg_edge){from, to, lead, (uint8_t)kind};
}

static void find_edges(struct builder *b)
{
	struct cfg *g = b->g;
	for (uint32_t k = 0; k < g->block_count; k++)
		if (g->blocks[k].start)
			add_edge(b, CFG_ENTRY, CFG_START, g->blocks[k].first);
	for (uint32_t k = 0; k < g->block_count; k++) {
		const uint32_t last = g->blocks[k].last, from = CFG_BLOCKS + k;
		const struct edit_inst *at = &b->insts[last];
		const unsigned flags = inst_flags(&at->in);
		if (flags & OPF_BRANCH)
			add_edge(b, from, CFG_TAKEN, edit_inst_at(b->e, at->target));
		if ((flags & OPF_JUMP) && at->in.rd == REG_SINK) {
			if (flags & OPF_INDIRECT)
				add_edge(b, from, CFG_LEAVE, EDIT_NONE);
			else
				add_edge(b, from, CFG_JUMP, edit_inst_at(b->e, at->target));
			continue;
		}
		add_edge(b, from, CFG_NEXT, inside(b, last + 1) ? last + 1 : EDIT_NONE);
	}
}

bool cfg_of(const struct edit *e, const struct edit_function *f, const uint8_t *entered, struct cfg *out, struct err *err)
{
	uint32_t n;
	struct builder b = {.e = e, .insts = edit_insts(e, &n), .f = f, .g = out};
	*out = (struct cfg){
		.blocks = malloc((f->count + 1) * sizeof *out->blocks), .edges = malloc(3 * ((size_t)f->count + 1) * sizeof *out->edges),
	};
	if (!out->blocks || !out->edges) {
		cfg_free(out);
		return err_set(err, "out of memory for the graph of %s", f->name);
	}
	find_blocks(&b, entered);
	find_edges(&b);
	return true;
}
