/* Which line of a full set goes when another comes (l1i.replacement, l1d.replacement,
 * l2.replacement).
 *
 * Empty ways are filled first, lowest first, whatever the policy. LRU, the common one, needs
 * nothing but the clock in each line and is inline (cache_search.h); what the others need lies in a
 * table of the arena that exists with them. A prefetched line counts as used when it is brought in.
 */
#ifndef CYCLOPS_CORE_PIPE_MEMORY_REPLACE_H
#define CYCLOPS_CORE_PIPE_MEMORY_REPLACE_H

#include <stdint.h>

struct arena;
struct cache;
struct cache_line;
struct hierarchy;

/* c has its lines; name: of the section of the arena. */
void replace_place(struct cache *c, const char *name, int64_t policy, struct arena *a);
/* After cache_clear(). */
void replace_reset(struct cache *c, uint64_t seed);

/* Not for LRU: whom a fill replaces in the set that begins with this line, all of whose ways are
 * valid. */
struct cache_line *replace_victim(struct hierarchy *h, const struct cache *c,
                                  struct cache_line *set);
/* Not for LRU: a line was used, after its clock was set, or filled. */
void replace_used(struct hierarchy *h, const struct cache *c, struct cache_line *line);
void replace_filled(struct hierarchy *h, const struct cache *c, struct cache_line *line);
/* A plug-in hears of every use: the next one of the line used last is looked up too. After that
 * line was set. */
void replace_forget_last(struct hierarchy *h, const struct cache *c);

#endif
