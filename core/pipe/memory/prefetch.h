/* Prefetchers: fetch lines before they are requested (l1i.prefetch, l1d.prefetch, l2.prefetch).
 *
 * A prefetcher is notified of each access to its cache when it takes place, wrong paths included,
 * and requests lines. A line that is not resident is fetched as by a demand miss that begins with
 * the access: through a free miss register (L1D), L2 and the bus, into the cache as the line used
 * last. The request is dropped if no register is free, or if its page is neither that of the access
 * nor, for L1, in the TLB. L1's requests are ordinary accesses for L2 and its prefetcher; L2's are
 * not.
 *
 * A kind of prefetcher selects lines (prefetch_kind.h); fills are in the caches' files:
 * prefetch_l1.c, l2.c. */
#ifndef CYCLOPS_CORE_PIPE_MEMORY_PREFETCH_H
#define CYCLOPS_CORE_PIPE_MEMORY_PREFETCH_H

#include <stdbool.h>
#include <stdint.h>

struct arena;
struct cache;
struct hierarchy;
struct plugin_access;

/* For hierarchy_place() and hierarchy_reset(). */
void prefetch_place(struct hierarchy *h, struct arena *a);
void prefetch_reset(struct hierarchy *h);

/* When prefetches begin. */
struct prefetch_moment {
	uint64_t start; /* the access, after its translation */
	uint64_t now;
	bool timed;     /* false: in functional warm-up, without time and statistics */
};

/* Fetches the line with this number, which is not resident, into a cache. False: no miss register
 * is free. */
typedef bool prefetch_fill(struct hierarchy *h, const struct cache *c, uint64_t number,
                           struct prefetch_moment m);

/* Notifies the prefetcher of c of the use of one line of an access, and fetches the lines that it
 * requests. */
void prefetch_use(struct hierarchy *h, struct cache *c, const struct plugin_access *a,
                  struct prefetch_moment m, prefetch_fill *fill);
/* The last part of prefetch_use(): fetches lines, for an access to address `from`. */
void prefetch_issue(struct hierarchy *h, struct cache *c, const uint64_t *line, uint32_t lines,
                    uint64_t from, struct prefetch_moment m, prefetch_fill *fill);

#endif
