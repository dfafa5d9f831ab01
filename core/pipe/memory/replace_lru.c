/* The line used longest ago (cache_search.h). */
#include "core/pipe/memory/replacement.h"

static uint64_t lru_clock(const struct cache *c, size_t line)
{
	return c->lines[line].used;
}

static void lru_show(const struct cache *c, uint32_t set, struct textbuf *out)
{
	replacement_show_order(c, set, lru_clock, out);
}

const struct replacement replacement_lru = {
	.shows = "ways, used longest ago first",
	.show = lru_show,
};
