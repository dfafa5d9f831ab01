/* Prefetchers: lines brought in before anything asks for them (l1i.prefetch, l1d.prefetch,
 * l2.prefetch).
 *
 * A prefetcher hears of each access of its cache when the access takes place, wrong paths included,
 * and asks for lines. A line that is not there takes the way of a demand miss that begins with the
 * access: through a free miss register (L1D), L2 and the bus, into the cache as the line used last.
 * It is dropped if no register is free, or if its page is neither that of the access nor, for L1,
 * in the TLB. L1's requests are accesses of L2 to everybody there, its prefetcher included; L2's
 * are not.
 *
 * next-line is Smith's tagged prefetch (Computing Surveys 1982): a miss, and the first use of a
 * prefetched line, ask for the lines behind. stride is the reference prediction table of Chen and
 * Baer (IEEE Transactions on Computers 1995), by the address of the instruction: in its steady
 * state an entry asks for the addresses that follow. The table lies in the arena.
 *
 * Here a prefetcher decides. How a line gets into a cache its owner says: prefetch_l1.c, l2.c. */
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

/* When what is asked for begins. */
struct prefetch_moment {
	uint64_t start; /* the access, after its translation */
	uint64_t now;
	bool timed;     /* false: in functional warm-up, where nothing takes time or is counted */
};

/* Brings the line with this number, which is not there, into a cache. False: there is no room for a
 * miss. */
typedef bool prefetch_fill(struct hierarchy *h, const struct cache *c, uint64_t number,
                           struct prefetch_moment m);

/* One line of an access was used: the prefetcher of c hears of it, and what it asks for is filled
 * in. */
void prefetch_use(struct hierarchy *h, struct cache *c, const struct plugin_access *a,
                  struct prefetch_moment m, prefetch_fill *fill);

#endif
