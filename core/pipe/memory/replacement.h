/* A replacement policy: one const descriptor and its functions, in replace_NAME.c, and a row of
 * core/defs/kinds.h.
 *
 * Its state is a table of words in the arena, cache.order. The policy is not notified when the line
 * used last in its set is used again, unless it sets each_use: such a use must not change the
 * policy's state. LRU needs only the clock in each line, and is inline (cache_search.h): it has no
 * functions. */
#ifndef CYCLOPS_CORE_PIPE_MEMORY_REPLACEMENT_H
#define CYCLOPS_CORE_PIPE_MEMORY_REPLACEMENT_H

#include "core/base/state_ranges.h"
#include "core/base/textbuf.h"
#include "core/pipe/memory/cache.h"

struct replacement {
	/* Words of its table, which is zero at first. NULL: none. */
	size_t (*words)(const struct cache *c);
	void (*reset)(const struct cache *c, uint64_t seed); /* may be NULL */
	/* The way of a full set to evict. Changes nothing: views call it, too. */
	uint32_t (*victim)(const struct hierarchy *h, const struct cache *c, uint32_t set);
	/* After a victim was evicted, before the fill. May be NULL. */
	void (*evicted)(const struct cache *c, uint32_t set, uint32_t way);
	/* A line was used, or filled; after its clock was set. Each may be NULL. */
	void (*used)(struct hierarchy *h, const struct cache *c, uint32_t set, uint32_t way);
	void (*filled)(struct hierarchy *h, const struct cache *c, uint32_t set, uint32_t way);
	bool each_use;
	bool unseen; /* a plug-in, which views don't call */
	/* Lists the valid ranges of its table. NULL: any contents are valid. */
	void (*ranges)(const struct cache *c, struct ranges *rs);
	/* For a set's row in cache views: the policy's state and its label. NULL: no state to show.
	 */
	const char *shows;
	void (*show)(const struct cache *c, uint32_t set, struct textbuf *out);
};

/* For show(): the valid ways of a set, those with smaller keys first. key: of a line, by its index
 * in the cache. */
void replacement_show_order(const struct cache *c, uint32_t set,
                            uint64_t (*key)(const struct cache *c, size_t line),
                            struct textbuf *out);

/* The policy of caches without one (cache.policy). */
extern const struct replacement replacement_lru;

#endif
