/* The common fetch, inlined: from the line fetched last, or another settled line. */
#ifndef CYCLOPS_CORE_PIPE_FRONTEND_FETCH_SAME_LINE_H
#define CYCLOPS_CORE_PIPE_FRONTEND_FETCH_SAME_LINE_H

#include "core/defs/counts.h"
#include "core/pipe/memory/cache_search.h"

/* True if the fetch hits in the line that the last fetch used. False: nothing happened. Callers
 * count the accesses. */
static inline bool hierarchy_fetch_again(struct hierarchy *h, uint64_t pc, uint64_t now)
{
	const struct last_line *last = &h->st->last_l1i;
	if (pc - last->addr >= h->l1i.line_bytes || last->ready > now)
		return false;
	return true;
}

/* True if L1I is not perfect, and a use of a line changes only its clock. */
static inline bool hierarchy_fetch_is_plain(const struct hierarchy *h)
{
	return !h->l1i.policy && !h->perfect_l1i;
}

/* If hierarchy_fetch_is_plain(): true if the fetch hits in another settled line, at this byte
 * address, in the page translated last; that line becomes the line used last. False: nothing
 * happened. */
static inline bool hierarchy_fetch_near(struct hierarchy *h, uint64_t addr, uint64_t now)
{
	struct hierarchy_state *st = h->st;
	const struct last_page *page = &st->last_ipage;
	if (page->tag != (addr >> h->itlb.page_log2) + 1 || page->ready > now)
		return false;
	struct cache_line *line = cache_find(&h->l1i, addr >> h->l1i.line_log2);
	if (!line || line->ready > now)
		return false;
	cache_touch(line, ++st->clock);
	st->last_l1i.addr = addr;
	st->last_l1i.ready = line->ready > page->ready ? line->ready : page->ready;
	return true;
}

#endif
