/* Searches the sets of caches: small enough to be inlined in fast paths. */
#ifndef CYCLOPS_CORE_PIPE_MEMORY_CACHE_SEARCH_H
#define CYCLOPS_CORE_PIPE_MEMORY_CACHE_SEARCH_H

#include <stddef.h>
#include <stdint.h>

#include "core/pipe/memory/cache.h"
#include "core/pipe/memory/replace.h"

#define USED_MASK ((UINT64_C(1) << 56) - 1)

static inline struct cache_line *cache_set(const struct cache *c, uint64_t number)
{
	const size_t at = (size_t)((uint32_t)number & c->set_mask) * c->set_bytes;
	return (struct cache_line *)(void *)((uint8_t *)c->lines + at);
}

/* The resident line with this number (address / line size), NULL if there is none. */
static inline struct cache_line *cache_find(const struct cache *c, uint64_t number)
{
	struct cache_line *line = cache_set(c, number);
	const void *end = (const uint8_t *)line + c->set_bytes;
	do {
		if (line->tag == number + 1)
			return line;
	} while ((const void *)++line != end);
	return NULL;
}

/* The line that a fill of this number replaces: an invalid one, else the policy's victim. */
static inline struct cache_line *cache_victim(struct hierarchy *h, const struct cache *c,
                                              uint64_t number)
{
	struct cache_line *set = cache_set(c, number), *line = set, *victim = line;
	for (uint32_t w = 1; w < c->ways; w++) {
		if ((++line)->used < victim->used)
			victim = line;
	}
	return !c->policy || !victim->tag ? victim : replace_victim(h, c, set);
}

/* Marks a line that is about to be written, in a cache with marks. */
static inline void cache_mark(const struct cache *c, const struct cache_line *line)
{
	arena_mark(&c->marks, line, sizeof *line);
}

static inline void cache_touch(struct cache_line *line, uint64_t clock)
{
	line->used = clock & USED_MASK;
}

/* Makes a used line the most recent; cache_fill() a line just filled. */
static inline void cache_use(struct hierarchy *h, const struct cache *c, struct cache_line *line)
{
	cache_touch(line, ++h->st->clock);
	if (__builtin_expect(c->policy != NULL, 0))
		replace_used(h, c, line);
}

static inline void cache_fill(struct hierarchy *h, const struct cache *c, struct cache_line *line)
{
	cache_touch(line, ++h->st->clock);
	if (c->policy)
		replace_filled(h, c, line);
}

#endif
