/* The write buffer: committed stores on their way to L1D, merged by line.
 *
 * An entry holds bytes of one line from the commit of the first store to it until the line has
 * arrived and is written. A store to a held line joins its entry: it needs no entry and no access
 * to the cache, and `until` stays. A load whose bytes are all held takes them from here. Entries
 * are found by virtual address, as in the load/store queue, so neither needs a translation. At most
 * one live entry holds a line. Part of the arena. */
#ifndef CYCLOPS_CORE_PIPE_MEMORY_WBUF_H
#define CYCLOPS_CORE_PIPE_MEMORY_WBUF_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

enum { WBUF_MAX = 64, WBUF_LINE_MAX = 256 /* bytes */ };

struct wbuf_entry {
	uint64_t line;  /* its number: byte address / line size */
	uint64_t until; /* first cycle in which it is free; 0 if never used */
	uint64_t bytes[WBUF_LINE_MAX / 64]; /* bit i: byte i of the line is held */
};

struct wbuf {
	struct wbuf_entry entry[WBUF_MAX];
	uint64_t until;  /* latest of all entries: the buffer is empty from this cycle on */
	uint64_t filter; /* bit line & 63 is set for every line held, and for some no longer held */
	uint32_t next;   /* entry tried first */
	uint32_t last;   /* entry taken last */
};

/* False: no store to this line is held. */
static inline bool wbuf_may_hold(const struct wbuf *w, uint64_t line, uint64_t now)
{
	return w->until > now && w->filter >> (line & 63) & 1;
}

/* wbuf_find() for a line that may be held. */
uint32_t wbuf_search(const struct wbuf *w, uint32_t limit, uint64_t line, uint64_t now);

/* Index of the live entry of this line, `limit` if there is none. limit, here and below: entries
 * that the buffer has. */
static inline uint32_t wbuf_find(const struct wbuf *w, uint32_t limit, uint64_t line, uint64_t now)
{
	return wbuf_may_hold(w, line, now) ? wbuf_search(w, limit, line, now) : limit;
}

/* Adds bytes offset..offset + size - 1 of its line, at most 8, to an entry. */
static inline void wbuf_hold(struct wbuf_entry *e, unsigned offset, unsigned size)
{
	const uint64_t bits = (UINT64_C(1) << size) - 1;
	const unsigned at = offset & 63, word = offset >> 6;
	assert(size <= 8 && offset + size <= WBUF_LINE_MAX);
	e->bytes[word] |= bits << at;
	if (at + size > 64)
		e->bytes[word + 1] |= bits >> (64 - at);
}

/* True if all these bytes are held. */
bool wbuf_covers(const struct wbuf_entry *e, unsigned offset, unsigned size);

/* wbuf_free() if the entry tried first is not free. */
uint32_t wbuf_free_other(const struct wbuf *w, uint32_t limit, uint64_t now);

/* Index of a free entry, `limit` if there is none. */
static inline uint32_t wbuf_free(const struct wbuf *w, uint32_t limit, uint64_t now)
{
	return w->entry[w->next].until <= now ? w->next : wbuf_free_other(w, limit, now);
}

/* Number of free entries. */
uint32_t wbuf_free_count(const struct wbuf *w, uint32_t limit, uint64_t now);

/* Takes the free entry i for a line, with no bytes yet, until the cycle `until`. */
void wbuf_take(struct wbuf *w, uint32_t limit, uint32_t i, uint64_t line, uint64_t until,
               uint64_t now);

/* The earliest cycle after now in which an entry becomes free, UINT64_MAX if all are free. */
uint64_t wbuf_next_free(const struct wbuf *w, uint32_t limit, uint64_t now);

#endif
