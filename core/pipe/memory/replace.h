/* Selects the line of a full set to evict (l1i.replacement, l1d.replacement, l2.replacement).
 *
 * Empty ways are filled first, lowest first, whatever the policy (replacement.h). LRU, the common
 * one, is inline (cache_search.h). A prefetched line counts as used when it is filled. */
#ifndef CYCLOPS_CORE_PIPE_MEMORY_REPLACE_H
#define CYCLOPS_CORE_PIPE_MEMORY_REPLACE_H

#include <stdint.h>

struct arena;
struct cache;
struct cache_line;
struct hierarchy;

/* Call after cache_place(). name: of the section of the arena. */
void replace_place(struct cache *c, const char *name, int64_t policy, struct arena *a);
/* Call after cache_clear(). */
void replace_reset(struct cache *c, uint64_t seed);

/* Not for LRU: the line that a fill replaces, in the set that begins with `set`, whose ways are all
 * valid. */
struct cache_line *replace_victim(struct hierarchy *h, const struct cache *c,
                                  struct cache_line *set);
/* Not for LRU: record that a line was used, or filled. Call after its clock was set. */
void replace_used(struct hierarchy *h, const struct cache *c, struct cache_line *line);
void replace_filled(struct hierarchy *h, const struct cache *c, struct cache_line *line);
/* With a plug-in, which is notified of every use: makes the next access look up the line used last,
 * too. Call after that line was set. */
void replace_forget_last(struct hierarchy *h, const struct cache *c);

#endif
