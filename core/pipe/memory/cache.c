#include "core/pipe/memory/cache.h"

#include <string.h>

static uint32_t log2_of(int64_t power_of_two)
{
	return (uint32_t)__builtin_ctzll((uint64_t)power_of_two);
}

void cache_place(struct cache *c, const char *name, int64_t bytes, int64_t ways, int64_t line_bytes,
                 struct arena *a)
{
	c->ways = (uint32_t)ways;
	c->line_bytes = (uint32_t)line_bytes;
	c->line_log2 = log2_of(line_bytes);
	c->sets = (uint32_t)(bytes / (ways * line_bytes));
	c->set_mask = c->sets - 1;
	c->set_bytes = c->ways * (uint32_t)sizeof *c->lines;
	c->lines = arena_take(a, name, (size_t)c->sets * c->ways, sizeof *c->lines);
}

void cache_clear(struct cache *c)
{
	size_t n = (size_t)c->sets * c->ways;
	memset(c->lines, 0, n * sizeof *c->lines);
	for (size_t i = 0; i < n; i++)
		arena_mark(&c->marks, &c->lines[i], sizeof *c->lines);
}

uint64_t cache_line_addr(const struct cache *c, uint32_t set, uint32_t way)
{
	return (c->lines[(size_t)set * c->ways + way].tag - 1) << c->line_log2;
}
