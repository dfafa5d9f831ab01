/* Textbook caches, TLBs and a bus, for the expected counts of each access. Least recently used,
 * write-back, write-allocate, next-line prefetch as Smith's. The arrival time of a line in flight
 * is read from the machine; presence, victims and dirty lines are modelled here. */
#ifndef CYCLOPS_TESTS_STATS_MEMORY_H
#define CYCLOPS_TESTS_STATS_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "core/defs/config.h"
#include "core/pipe/memory/cache.h"

enum { LINES_MAX = 4096 };

struct level_counts {
	uint64_t accesses, misses, writebacks, prefetches, useful, late, dropped;
};

struct model_line {
	uint64_t number, used, ready; /* ready: of a TLB's entry */
	bool there, dirty, prefetched;
};

struct model_cache {
	const struct cache *real; /* to ask when lines arrive; NULL: a TLB */
	unsigned sets, ways, bytes;
	bool prefetches;
	struct level_counts n;
	struct model_line line[LINES_MAX];
};

struct memory {
	const struct config *cfg;
	struct model_cache l1i, l1d, l2, itlb, dtlb;
	uint64_t clock;
	uint64_t read_misses, write_misses, merges, itlb_merges, dtlb_merges, lines_on_bus;
};

struct memory *memory_new(const struct config *cfg, const struct hierarchy *h);
void memory_fetch(struct memory *m, uint64_t addr, uint64_t now);
/* A load that reached L1D. */
void memory_load(struct memory *m, uint64_t addr, unsigned size, uint64_t now);
/* The n parts of a store, each in a line, that the write buffer did not hold. */
void memory_store(struct memory *m, const uint64_t *addr, unsigned n, uint64_t now);

#endif
