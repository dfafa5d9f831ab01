/* L2 as the L1 caches see it: asked for lines, given dirty ones. Fills go through the memory bus.
 */
#ifndef CYCLOPS_CORE_PIPE_MEMORY_L2_H
#define CYCLOPS_CORE_PIPE_MEMORY_L2_H

#include <stdint.h>

#include "core/pipe/memory/cache.h"

/* Where a line comes from and when it is there. */
struct fill {
	uint64_t ready;
	enum mem_level level : 8;
	/* cycles at its end in which it waits for the bus and is on it, if it comes from memory now
	 */
	uint16_t bus;
};

/* Asks for the line at this byte address in cycle `at`, now or later. */
struct fill l2_read(struct hierarchy *h, uint64_t addr, uint64_t at, uint64_t now);

/* A dirty line has left L1D: it settles in L2 at once. ready: when its own fill is complete, which
 * nobody can see it before; at: the earliest cycle for whatever this sets off. timed = false
 * (warm-up) moves lines without time and statistics. */
void l2_settle(struct hierarchy *h, uint64_t addr, uint64_t ready, uint64_t at, uint64_t now,
               bool timed);

/* Warm-up: the line becomes resident for L1. Returns what L1 would see: a settled fill. */
struct fill l2_warm(struct hierarchy *h, uint64_t addr);

#endif
