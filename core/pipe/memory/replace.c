#include "core/pipe/memory/replace.h"

#include <string.h>

#include "core/base/hash.h"
#include "core/pipe/memory/cache.h"
#include "core/pipe/plugin.h"

/* Words of the policy's table. */
static size_t replace_table_words(const struct cache *c)
{
	switch (c->policy) {
	case REPLACE_FIFO:
	case REPLACE_EXTERNAL:
		return (size_t)c->sets * c->ways; /* clock of the fill */
	case REPLACE_TREE_PLRU:
		/* bit i: node i, whose children are 2i and 2i + 1; set: the next victim is in the
		 * right half */
		return c->sets;
	case REPLACE_RANDOM:
		return 1; /* the generator */
	case REPLACE_LRU:
		break;
	}
	return 0;
}

void replace_place(struct cache *c, const char *name, int64_t policy, struct arena *a)
{
	c->policy = (enum replacement)policy;
	if (replace_table_words(c))
		c->order = arena_take(a, name, replace_table_words(c), sizeof *c->order);
}

void replace_reset(struct cache *c, uint64_t seed)
{
	if (!replace_table_words(c))
		return;
	memset(c->order, 0, replace_table_words(c) * sizeof *c->order);
	if (c->policy == REPLACE_RANDOM)
		*c->order = seed;
}

static uint32_t replace_set_index(const struct cache *c, const struct cache_line *line)
{
	assert(c->ways);
	return (uint32_t)((size_t)(line - c->lines) / c->ways);
}

static uint32_t replace_oldest_way(const uint64_t *inserted, uint32_t ways)
{
	uint32_t first = 0;
	for (uint32_t w = 1; w < ways; w++)
		if (inserted[w] < inserted[first])
			first = w;
	return first;
}

static uint32_t follow_tree(uint64_t tree, uint32_t ways)
{
	uint32_t node = 1;
	while (node < ways)
		node = 2 * node + (uint32_t)(tree >> node & 1);
	return node - ways;
}

/* Makes the nodes above a way point to the other half. */
static void point_away(uint64_t *tree, uint32_t ways, uint32_t way)
{
	for (uint32_t node = ways + way; node > 1; node /= 2) {
		uint64_t bit = UINT64_C(1) << node / 2;
		*tree = node & 1 ? *tree & ~bit : *tree | bit;
	}
}

static uint32_t replace_query_plugin(struct hierarchy *h, const struct cache *c,
                                     const struct cache_line *set)
{
	struct plugin_way way[PLUGIN_WAYS_MAX];
	for (uint32_t w = 0; w < c->ways; w++)
		way[w] = (struct plugin_way){
			.addr = (set[w].tag - 1) << c->line_log2,
			.used = set[w].used,
			.inserted = c->order[set - c->lines + w],
			.dirty = (set[w].flags & CL_DIRTY) != 0,
		};
	return plugins_victim(h->plugins, PLUGIN_L1I_REPLACEMENT + c->id, replace_set_index(c, set),
	                      way, c->ways);
}

struct cache_line *replace_victim(struct hierarchy *h, const struct cache *c,
                                  struct cache_line *set)
{
	switch (c->policy) {
	case REPLACE_FIFO:
		return set + replace_oldest_way(&c->order[set - c->lines], c->ways);
	case REPLACE_RANDOM:
		return set + hash_splitmix64_next(c->order) % c->ways;
	case REPLACE_TREE_PLRU:
		return set + follow_tree(c->order[replace_set_index(c, set)], c->ways);
	case REPLACE_EXTERNAL:
		return set + replace_query_plugin(h, c, set);
	case REPLACE_LRU:
		break;
	}
	return set;
}

/* Records a use for policies that track uses. */
static void replace_record_use(struct hierarchy *h, const struct cache *c,
                               const struct cache_line *line, bool fill)
{
	uint32_t set = replace_set_index(c, line),
		 way = (uint32_t)((size_t)(line - c->lines) % c->ways);
	if (c->policy == REPLACE_TREE_PLRU)
		point_away(&c->order[set], c->ways, way);
	else if (c->policy == REPLACE_EXTERNAL)
		plugins_used(h->plugins, PLUGIN_L1I_REPLACEMENT + c->id, set, way, fill);
}

void replace_forget_last(struct hierarchy *h, const struct cache *c)
{
	if (c->policy != REPLACE_EXTERNAL)
		return;
	if (c->id == CACHE_L1I)
		h->st->last_l1i.ready = UINT64_MAX;
	else if (c->id == CACHE_L1D)
		h->st->last_l1d.ready = UINT64_MAX;
}

void replace_used(struct hierarchy *h, const struct cache *c, struct cache_line *line)
{
	replace_record_use(h, c, line, false);
	replace_forget_last(h, c);
}

void replace_filled(struct hierarchy *h, const struct cache *c, struct cache_line *line)
{
	if (c->policy == REPLACE_FIFO || c->policy == REPLACE_EXTERNAL)
		c->order[line - c->lines] = line->used;
	replace_record_use(h, c, line, true);
}
