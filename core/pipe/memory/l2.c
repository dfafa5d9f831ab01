#include "core/pipe/memory/l2.h"

#include "core/defs/stats_fields.h"
#include "core/pipe/memory/bus.h"
#include "core/pipe/memory/cache_search.h"
#include "core/pipe/memory/prefetch.h"
#include "core/pipe/plugin.h"

static uint64_t l2_max_cycle(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Replaces a line of L2. A dirty victim is ready for the bus in cycle `at`, or when it has arrived
 * itself.
 */
static void l2_install_line(struct hierarchy *h, uint64_t number, unsigned flags, uint64_t ready,
                            uint64_t at, uint64_t now, bool timed)
{
	struct cache_line *line = cache_victim(h, &h->l2, number);
	if (timed && (line->flags & CL_DIRTY)) {
		h->stats->l2_writebacks++;
		h->stats->bus_busy += h->transfer;
		bus_book(h->st, l2_max_cycle(at, line->ready), h->transfer, now);
	}
	cache_mark(&h->l2, line);
	*line = (struct cache_line){.tag = number + 1, .ready = ready};
	line->flags = flags & 0xff;
	cache_fill(h, &h->l2, line);
}

/* The cycle in which an access requested in `at` begins. */
static uint64_t l2_begin_access(struct hierarchy *h, uint64_t at, uint64_t now)
{
	if (!h->l2_ports)
		return at;
	const uint64_t from = l2_book_port(h->l2_limits, h->l2_ports, at, now);
	h->stats->l2_port_waits += from - at;
	h->l2_held = from > at ? from : 0;
	h->l2_waited = from - at;
	return from;
}

/* Takes a register for a miss detected in cycle `known`; its `since` is when the register is
 * free. */
static struct l2_miss *take_register(struct hierarchy *h, uint64_t number, uint64_t known)
{
	struct l2_miss *m = l2_first_register(h->l2_limits, h->l2_mshrs);
	const uint64_t from = l2_max_cycle(known, m->until);
	h->stats->l2_mshr_waits += from - known;
	if (from > known) {
		h->l2_held = from;
		h->l2_waited += from - known;
	}
	*m = (struct l2_miss){.line = number << h->l2.line_log2, .since = from};
	return m;
}

/* Reads a line that misses from memory; `known` is the cycle in which the miss is detected. */
static struct fill l2_read_memory(struct hierarchy *h, uint64_t number, unsigned flags,
                                  uint64_t known, uint64_t now)
{
	struct l2_miss *miss = h->l2_mshrs ? take_register(h, number, known) : NULL;
	known = miss ? miss->since : known;
	h->stats->bus_busy += h->transfer;
	uint64_t ready = bus_book(h->st, known + h->mem_latency, h->transfer, now);
	const uint64_t bus = ready - known - h->mem_latency;
	if (miss)
		miss->until = ready;
	l2_install_line(h, number, CL_FROM_MEMORY | flags, ready, known, now, true);
	return (struct fill){.ready = ready,
	                     .level = LEVEL_MEMORY,
	                     .bus = bus < UINT16_MAX ? (uint16_t)bus : UINT16_MAX};
}

static inline struct fill l2_read_line(struct hierarchy *h, uint64_t number,
                                       struct cache_line *line, uint64_t at, uint64_t now)
{
	uint64_t known = at + h->l2_latency;
	h->stats->l2_accesses++;
	if (line) {
		cache_mark(&h->l2, line);
		cache_use(h, &h->l2, line);
		if (line->ready <= at)
			return (struct fill){.ready = known, .level = LEVEL_L2};
		h->stats->l2_misses++;
		return (struct fill){.ready = l2_max_cycle(line->ready, known),
		                     .level = LEVEL_MEMORY};
	}
	h->stats->l2_misses++;
	return l2_read_memory(h, number, 0, known, now);
}

/* Reads a prefetched line from memory, if a miss register is free. */
static bool fill_l2(struct hierarchy *h, const struct cache *c, uint64_t number,
                    struct prefetch_moment m)
{
	(void)c;
	const uint64_t known = m.start + h->l2_latency;
	if (!m.timed)
		l2_install_line(h, number, CL_FROM_MEMORY | CL_PREFETCHED, 0, 0, 0, false);
	else if (h->l2_mshrs && l2_first_register(h->l2_limits, h->l2_mshrs)->until > known)
		return false;
	else
		(void)l2_read_memory(h, number, CL_PREFETCHED, known, m.now);
	return true;
}

static __attribute__((noinline)) void tell_prefetcher(struct hierarchy *h, uint64_t addr,
                                                      const struct cache_line *found,
                                                      struct prefetch_moment m)
{
	const uint64_t number = addr >> h->l2.line_log2;
	const struct plugin_access a = {
		.pc = h->pc,
		.addr = addr,
		.line = number,
		.set = (uint32_t)number & h->l2.set_mask,
		.hit = found && found->ready <= m.start,
		.prefetched = found && (found->flags & CL_PREFETCHED),
	};
	prefetch_use(h, &h->l2, &a, m, fill_l2);
}

/* Notifies the prefetcher of an access; found: the line if it hit, else NULL; was: its former
 * contents. */
static void l2_notify_prefetcher(struct hierarchy *h, uint64_t addr, const struct cache_line *found,
                                 struct cache_line was, uint64_t at, uint64_t now, bool timed)
{
	if (h->l2.prefetcher.by)
		tell_prefetcher(h, addr, found ? &was : NULL,
		                (struct prefetch_moment){at, now, timed});
}

struct fill l2_read(struct hierarchy *h, uint64_t addr, uint64_t at, uint64_t now)
{
	h->l2_held = h->l2_waited = 0;
	at = l2_begin_access(h, at, now);
	if (h->perfect_l2) {
		h->stats->l2_accesses++;
		return (struct fill){.ready = at + h->l2_latency, .level = LEVEL_L2};
	}
	uint64_t number = addr >> h->l2.line_log2;
	struct cache_line *line = cache_find(&h->l2, number),
			  was = line ? *line : (struct cache_line){0};
	struct fill fill = l2_read_line(h, number, line, at, now);
	l2_notify_prefetcher(h, addr, line, was, at, now, true);
	return fill;
}

void l2_settle(struct hierarchy *h, uint64_t addr, uint64_t ready, uint64_t at, uint64_t now,
               bool timed)
{
	uint64_t number = addr >> h->l2.line_log2;
	struct cache_line *line = cache_find(&h->l2, number);
	if (timed)
		l2_begin_access(h, l2_max_cycle(at, ready), now);
	if (h->perfect_l2)
		return;
	if (line) {
		cache_mark(&h->l2, line);
		line->flags |= CL_DIRTY;
		cache_use(h, &h->l2, line);
	} else {
		l2_install_line(h, number, CL_DIRTY, ready, at, now, timed);
	}
}

struct fill l2_warm(struct hierarchy *h, uint64_t addr)
{
	uint64_t number = addr >> h->l2.line_log2;
	struct cache_line *line = cache_find(&h->l2, number),
			  was = line ? *line : (struct cache_line){0};
	if (line) {
		cache_mark(&h->l2, line);
		cache_use(h, &h->l2, line);
	} else {
		l2_install_line(h, number, CL_FROM_MEMORY, 0, 0, 0, false);
	}
	l2_notify_prefetcher(h, addr, line, was, 0, 0, false);
	return (struct fill){.level = line ? LEVEL_L2 : LEVEL_MEMORY};
}
