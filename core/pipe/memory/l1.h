/* Shared by the two L1 caches: uses of resident lines and fills of others. */
#ifndef CYCLOPS_CORE_PIPE_MEMORY_L1_H
#define CYCLOPS_CORE_PIPE_MEMORY_L1_H

#include "core/pipe/memory/cache.h"
#include "core/pipe/memory/cache_search.h"
#include "core/pipe/memory/l2.h"

static inline uint64_t l1_max_cycle(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Records the line of the current access; its page is the last one translated. */
static inline void l1_record_last_line(struct last_line *last, const struct last_page *page,
                                       const struct cache *c, const struct cache_line *line)
{
	last->addr = (line->tag - 1) << c->line_log2;
	last->ready = l1_max_cycle(line->ready, page->ready);
	last->index = (uint32_t)(line - c->lines);
}

static inline void use_l1i(struct hierarchy *h, struct cache_line *line)
{
	l1_record_last_line(&h->st->last_l1i, &h->st->last_ipage, &h->l1i, line);
	cache_use(h, &h->l1i, line);
}

static inline void use_l1d(struct hierarchy *h, struct cache_line *line)
{
	l1_record_last_line(&h->st->last_l1d, &h->st->last_dpage, &h->l1d, line);
	cache_use(h, &h->l1d, line);
}

static inline enum mem_level level_of(const struct cache_line *line)
{
	return line->flags & CL_FROM_MEMORY ? LEVEL_MEMORY : LEVEL_L2;
}

/* Places a fill in the cache and returns its line. For L1D, `at` is when the miss is known, the
 * earliest cycle for the victim's write-back; timed = false (warm-up) moves lines without time and
 * statistics. */
struct cache_line *l1i_place(struct hierarchy *h, uint64_t number, struct fill fill);
struct cache_line *l1d_place(struct hierarchy *h, uint64_t number, struct fill fill, uint64_t at,
                             uint64_t now, bool timed);
/* The same, and records it as the line used last. */
void l1i_install(struct hierarchy *h, uint64_t number, struct fill fill);
void l1d_install(struct hierarchy *h, uint64_t number, struct fill fill, uint64_t at, uint64_t now,
                 bool timed);

#endif
