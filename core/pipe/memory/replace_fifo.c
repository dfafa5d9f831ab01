/* The line filled first. The table has the clock of each line's fill. */
#include "core/pipe/memory/replacement.h"

static size_t fifo_words(const struct cache *c)
{
	return (size_t)c->sets * c->ways;
}

static uint32_t fifo_victim(const struct hierarchy *h, const struct cache *c, uint32_t set)
{
	const uint64_t *inserted = &c->order[(size_t)set * c->ways];
	uint32_t first = 0;
	(void)h;
	for (uint32_t w = 1; w < c->ways; w++)
		if (inserted[w] < inserted[first])
			first = w;
	return first;
}

static void fifo_filled(struct hierarchy *h, const struct cache *c, uint32_t set, uint32_t way)
{
	const size_t line = (size_t)set * c->ways + way;
	(void)h;
	c->order[line] = c->lines[line].used;
}

const struct replacement replacement_fifo = {
	.words = fifo_words,
	.victim = fifo_victim,
	.filled = fifo_filled,
};
