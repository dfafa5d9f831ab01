#include "core/pipe/l2.h"

#include "core/pipe/bus.h"
#include "core/pipe/lines.h"

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* `at` is the cycle in which a dirty victim is ready for the bus, if it has itself arrived by then. */
static void install(struct hierarchy *h, uint64_t number, unsigned flags, uint64_t ready, uint64_t at, uint64_t now,
                    bool timed)
{
	struct cache_line *line = cache_victim(&h->l2, number);
	if (timed && (line->flags & CL_DIRTY)) {
		h->stats->l2_writebacks++;
		h->stats->bus_busy += h->transfer;
		bus_book(h->st, later(at, line->ready), h->transfer, now);
	}
	*line = (struct cache_line){.tag = number + 1, .ready = ready};
	line->flags = flags & 0xff;
	cache_touch(line, ++h->st->clock);
}

struct fill l2_read(struct hierarchy *h, uint64_t addr, uint64_t at, uint64_t now)
{
	uint64_t number = addr >> h->l2.line_log2;
	uint64_t known = at + h->l2_latency;
	h->stats->l2_accesses++;
	struct cache_line *line = cache_find(&h->l2, number);
	if (line) {
		cache_touch(line, ++h->st->clock);
		if (line->ready <= at)
			return (struct fill){known, LEVEL_L2};
		h->stats->l2_misses++;
		return (struct fill){later(line->ready, known), LEVEL_MEMORY};
	}
	h->stats->l2_misses++;
	h->stats->bus_busy += h->transfer;
	uint64_t ready = bus_book(h->st, known + h->mem_latency, h->transfer, now);
	install(h, number, CL_FROM_MEMORY, ready, known, now, true);
	return (struct fill){ready, LEVEL_MEMORY};
}

void l2_settle(struct hierarchy *h, uint64_t addr, uint64_t ready, uint64_t at, uint64_t now, bool timed)
{
	uint64_t number = addr >> h->l2.line_log2;
	struct cache_line *line = cache_find(&h->l2, number);
	if (line) {
		line->flags |= CL_DIRTY;
		cache_touch(line, ++h->st->clock);
	} else {
		install(h, number, CL_DIRTY, ready, at, now, timed);
	}
}

struct fill l2_warm(struct hierarchy *h, uint64_t addr)
{
	uint64_t number = addr >> h->l2.line_log2;
	struct cache_line *line = cache_find(&h->l2, number);
	if (line)
		cache_touch(line, ++h->st->clock);
	else
		install(h, number, CL_FROM_MEMORY, 0, 0, 0, false);
	return (struct fill){0, line ? LEVEL_L2 : LEVEL_MEMORY};
}
