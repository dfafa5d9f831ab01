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

static uint64_t fifo_clock(const struct cache *c, size_t line)
{
	return c->order[line];
}

static void fifo_show(const struct cache *c, uint32_t set, struct textbuf *out)
{
	replacement_show_order(c, set, fifo_clock, out);
}

const struct replacement replacement_fifo = {
	.words = fifo_words,
	.victim = fifo_victim,
	.filled = fifo_filled,
	.shows = "ways, in the order of their fills",
	.show = fifo_show,
};
