/* L2 for the L1 caches: reads of lines, and write-backs of dirty ones. Fills go through the memory
 * bus.
 */
#ifndef CYCLOPS_CORE_PIPE_MEMORY_L2_H
#define CYCLOPS_CORE_PIPE_MEMORY_L2_H

#include <stdint.h>

#include "core/pipe/memory/cache.h"

/* Where a line comes from and when it arrives. */
struct fill {
	uint64_t ready;
	enum mem_level level : 8;
	/* L1D: its line was on its way already: a delayed hit, which began no fill */
	bool delayed;
	/* last cycles, in which it waits for the bus and is transferred, if this access reads it
	 * from memory
	 */
	uint16_t bus;
};

/* Requests the line at this byte address in cycle `at`, now or later. */
struct fill l2_read(struct hierarchy *h, uint64_t addr, uint64_t at, uint64_t now);

/* Settles a dirty line evicted from L1D in L2, at once. ready: when its own fill completes, and it
 * is available in L2; at: the earliest cycle for accesses that this causes. timed = false (warm-up)
 * moves lines without time and statistics. */
void l2_settle(struct hierarchy *h, uint64_t addr, uint64_t ready, uint64_t at, uint64_t now,
               bool timed);

/* Warm-up: makes the line resident. Returns a settled fill for L1. */
struct fill l2_warm(struct hierarchy *h, uint64_t addr);

#endif
