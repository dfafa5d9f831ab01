/* Accesses of the L1 caches that prefetchers hear of (prefetch.h), for machines that have some. */
#ifndef CYCLOPS_CORE_PIPE_MEMORY_PREFETCH_L1_H
#define CYCLOPS_CORE_PIPE_MEMORY_PREFETCH_L1_H

#include <stdbool.h>
#include <stdint.h>

#include "core/pipe/memory/cache.h"

/* What an access finds in its cache before it changes anything there. */
struct heard {
	bool store;
	unsigned lines;  /* 1, or 2 if it crosses; 0: nobody wants to know */
	struct heard_line {
		uint64_t number, addr;
		bool asked;      /* the cache is asked for this line, not the write buffer */
		bool hit;        /* there */
		bool prefetched; /* a prefetch brought it, and this is its first use */
	} line[2];
};

/* As hierarchy_fetch(), hierarchy_load() and hierarchy_store(), heard by prefetchers; pc: the
 * instruction's. */
struct access hierarchy_heed_fetch(struct hierarchy *h, uint64_t pc, uint64_t now);
struct access hierarchy_heed_load(struct hierarchy *h, uint64_t pc, uint64_t addr, unsigned size,
                                  uint64_t now);
struct access hierarchy_heed_store(struct hierarchy *h, uint64_t pc, uint64_t addr, unsigned size,
                                   uint64_t now);

/* Around an access in functional warm-up: prefetches take no time then, and are not counted. */
void prefetch_begin(const struct cache *c, uint64_t addr, unsigned size, uint64_t now,
                    struct heard *out);
void prefetch_warm(struct hierarchy *h, struct cache *c, const struct heard *heard);
/* The same of an aligned access of a line that is there and has been used. */
void prefetch_warm_hit(struct hierarchy *h, uint64_t pc, uint64_t addr, bool store);

#endif
