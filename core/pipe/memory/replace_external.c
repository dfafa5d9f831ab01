/* A plug-in decides. The table has the clock of each line's fill, which the plug-in can read. */
#include "core/pipe/memory/replacement.h"
#include "core/pipe/plugin.h"

static size_t external_words(const struct cache *c)
{
	return (size_t)c->sets * c->ways;
}

static uint32_t external_victim(const struct hierarchy *h, const struct cache *c, uint32_t set)
{
	struct plugin_way way[PLUGIN_WAYS_MAX];
	const size_t first = (size_t)set * c->ways;
	for (uint32_t w = 0; w < c->ways; w++) {
		const struct cache_line *line = &c->lines[first + w];
		way[w] = (struct plugin_way){
			.addr = (line->tag - 1) << c->line_log2,
			.used = line->used,
			.inserted = c->order[first + w],
			.dirty = (line->flags & CL_DIRTY) != 0,
		};
	}
	return plugins_victim(h->plugins, PLUGIN_L1I_REPLACEMENT + c->id, set, way, c->ways,
	                      h->pc);
}

static void external_used(struct hierarchy *h, const struct cache *c, uint32_t set, uint32_t way)
{
	plugins_used(h->plugins, PLUGIN_L1I_REPLACEMENT + c->id, set, way, false, h->pc);
}

static void external_filled(struct hierarchy *h, const struct cache *c, uint32_t set, uint32_t way)
{
	const size_t line = (size_t)set * c->ways + way;
	c->order[line] = c->lines[line].used;
	plugins_used(h->plugins, PLUGIN_L1I_REPLACEMENT + c->id, set, way, true, h->pc);
}

const struct replacement replacement_external = {
	.words = external_words,
	.victim = external_victim,
	.used = external_used,
	.filled = external_filled,
	.each_use = true,
	.unseen = true,
};
