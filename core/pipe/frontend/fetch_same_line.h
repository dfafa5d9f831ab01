/* The common fetch, inlined: it goes on in the line that was fetched from last. */
#ifndef CYCLOPS_CORE_PIPE_FRONTEND_FETCH_SAME_LINE_H
#define CYCLOPS_CORE_PIPE_FRONTEND_FETCH_SAME_LINE_H

#include "core/defs/counts.h"
#include "core/pipe/memory/cache.h"

/* The commonest fetch, inlined: true if it is a hit in the line that the last fetch used. False:
 * nothing happened. */
static inline bool hierarchy_fetch_again(struct hierarchy *h, uint64_t pc, uint64_t now)
{
	const struct last_line *last = &h->st->last_l1i;
	if (pc - last->addr >= h->l1i.line_bytes || last->ready > now)
		return false;
	h->counts->itlb_accesses++;
	h->counts->l1i_accesses++;
	return true;
}

#endif
