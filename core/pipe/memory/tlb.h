/* Translation look-aside buffers: which pages are translated, and from which cycle on.
 *
 * A miss fills its entry at once, with the cycle in which the walk ends; an access to the page
 * before that waits for the same walk. Walks make no memory accesses, and any number of them run in
 * parallel. Set-associative, true LRU; entries live in the arena. M-mode's memory needs no
 * translation and no entry. Small enough to be inlined in fast paths. */
#ifndef CYCLOPS_CORE_PIPE_MEMORY_TLB_H
#define CYCLOPS_CORE_PIPE_MEMORY_TLB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/arena.h"

struct tlb_entry {
	uint64_t tag;   /* page number + 1; 0 if invalid */
	uint64_t used;  /* access clock, for LRU */
	uint64_t ready; /* cycle in which the walk has ended; in the past for a settled entry */
};

struct tlb {
	struct tlb_entry *entries; /* [sets * ways], ways of a set adjacent */
	uint32_t sets, ways, page_log2, set_mask;
	uint32_t set_bytes;        /* of `entries` */
	/* pages from this number on are M-mode's, which are not translated, except the shadow of
	 * the program's stack: */
	uint64_t bare;
	uint64_t shadow, shadow_pages;
};

/* The page that the last access used: the most recent of its set, so that using it again changes no
 * order. */
struct last_page {
	uint64_t tag;   /* page number + 1; 0 if none */
	uint64_t ready; /* as the entry's */
};

enum walk { WALK_NONE, WALK_BEGUN, WALK_JOINED };

/* page_bytes and sets are powers of two; name: of its section of the arena. */
void tlb_place(struct tlb *t, const char *name, int64_t sets, int64_t ways, int64_t page_bytes,
               struct arena *a);
void tlb_clear(struct tlb *t);

static inline struct tlb_entry *tlb_set(const struct tlb *t, uint64_t page)
{
	const size_t at = (size_t)((uint32_t)page & t->set_mask) * t->set_bytes;
	return (struct tlb_entry *)(void *)((uint8_t *)t->entries + at);
}

/* The entry that translates this page, or will; NULL if there is none. */
static inline struct tlb_entry *tlb_find(const struct tlb *t, uint64_t page)
{
	struct tlb_entry *e = tlb_set(t, page);
	const void *end = (const uint8_t *)e + t->set_bytes;
	do {
		if (e->tag == page + 1)
			return e;
	} while ((const void *)++e != end);
	return NULL;
}

/* Enters a page that is not resident, in place of the least recently used of its set. */
static inline void tlb_fill(struct tlb *t, uint64_t page, uint64_t clock, uint64_t ready)
{
	struct tlb_entry *e = tlb_set(t, page), *victim = e;
	for (uint32_t w = 1; w < t->ways; w++) {
		if ((++e)->used < victim->used)
			victim = e;
	}
	*victim = (struct tlb_entry){.tag = page + 1, .used = clock, .ready = ready};
}

/* Uses the translation of a page in cycle now: last->ready is the cycle from which it is available.
 * A walk that begins takes `penalty` cycles. clock: of the hierarchy, incremented when the order of
 * use changes. */
static inline enum walk tlb_use(struct tlb *t, struct last_page *last, uint64_t *clock,
                                uint64_t page, uint64_t now, uint32_t penalty)
{
	if (last->tag != page + 1) {
		if (page >= t->bare && page - t->shadow >= t->shadow_pages) {
			*last = (struct last_page){page + 1, now};
			return WALK_NONE;
		}
		struct tlb_entry *e = tlb_find(t, page);
		if (!e) {
			*last = (struct last_page){page + 1, now + penalty};
			tlb_fill(t, page, ++*clock, last->ready);
			return WALK_BEGUN;
		}
		e->used = ++*clock;
		*last = (struct last_page){page + 1, e->ready};
	}
	return last->ready > now ? WALK_JOINED : WALK_NONE;
}

#endif
