/* Accesses to the L1 caches that notify prefetchers (prefetch.h), for machines with prefetchers. */
#ifndef CYCLOPS_CORE_PIPE_MEMORY_PREFETCH_L1_H
#define CYCLOPS_CORE_PIPE_MEMORY_PREFETCH_L1_H

#include <stdbool.h>
#include <stdint.h>

#include "core/pipe/memory/cache.h"

/* The state that an access finds in its cache, before the access changes it. */
struct prefetch_access {
	bool store;
	unsigned lines;  /* 1, or 2 if it crosses; 0: no prefetcher */
	struct accessed_line {
		uint64_t number, addr;
		/* the access to this line needs the cache, not only the write buffer */
		bool asked;
		bool hit;        /* resident and settled */
		bool prefetched; /* prefetched, and this is its first use */
	} line[2];
};

/* As hierarchy_fetch(), hierarchy_load() and hierarchy_store(), notifying prefetchers; pc: the
 * instruction's. */
struct access hierarchy_heed_fetch(struct hierarchy *h, uint64_t pc, uint64_t now);
struct access hierarchy_heed_load(struct hierarchy *h, uint64_t pc, uint64_t addr, unsigned size,
                                  uint64_t now);
struct access hierarchy_heed_store(struct hierarchy *h, uint64_t pc, uint64_t addr, unsigned size,
                                   uint64_t now);

/* Call before and after an access in functional warm-up: prefetches take no time then, and are not
 * counted. */
void prefetch_begin(const struct cache *c, uint64_t addr, unsigned size, uint64_t now,
                    struct prefetch_access *out);
void prefetch_warm(struct hierarchy *h, struct cache *c, const struct prefetch_access *found);
/* The same for an aligned access to a resident line that has been used. */
void prefetch_warm_hit(struct hierarchy *h, uint64_t pc, uint64_t addr, bool store);

#endif
