#include "core/pipe/memory/wbuf.h"

#include <assert.h>

/* The word and bits for a range of bytes, and its bits in the next word. */
struct span {
	unsigned word;
	uint64_t bits, beyond;
};

static struct span wbuf_byte_span(unsigned offset, unsigned size)
{
	uint64_t bits = (UINT64_C(1) << size) - 1;
	unsigned at = offset & 63;
	assert(size <= 8 && offset + size <= WBUF_LINE_MAX);
	return (struct span){offset >> 6, bits << at, at ? bits >> (64 - at) : 0};
}

uint32_t wbuf_search(const struct wbuf *w, uint32_t limit, uint64_t line, uint64_t now)
{
	uint32_t i = 0;
	while (i < limit && (w->entry[i].line != line || w->entry[i].until <= now))
		i++;
	return i;
}

bool wbuf_covers(const struct wbuf_entry *e, unsigned offset, unsigned size)
{
	struct span s = wbuf_byte_span(offset, size);
	return (e->bytes[s.word] & s.bits) == s.bits &&
	       (!s.beyond || (e->bytes[s.word + 1] & s.beyond) == s.beyond);
}

uint32_t wbuf_free_other(const struct wbuf *w, uint32_t limit, uint64_t now)
{
	uint32_t i = 0;
	while (i < limit && w->entry[i].until > now)
		i++;
	return i;
}

uint32_t wbuf_free_count(const struct wbuf *w, uint32_t limit, uint64_t now)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < limit; i++)
		n += w->entry[i].until <= now;
	return n;
}

/* Rebuilds the filter from the live entries. */
static void renew_filter(struct wbuf *w, uint32_t limit, uint64_t now)
{
	w->filter = 0;
	for (uint32_t i = 0; i < limit && w->until > now; i++)
		if (w->entry[i].until > now)
			w->filter |= UINT64_C(1) << (w->entry[i].line & 63);
}

void wbuf_take(struct wbuf *w, uint32_t limit, uint32_t i, uint64_t line, uint64_t until,
               uint64_t now)
{
	if (i == 0 || w->until <= now)
		renew_filter(w, limit, now);
	w->entry[i] = (struct wbuf_entry){.line = line, .until = until};
	w->filter |= UINT64_C(1) << (line & 63);
	w->last = i;
	w->next = i + 1 == limit ? 0 : i + 1;
	if (until > w->until)
		w->until = until;
}

uint64_t wbuf_next_free(const struct wbuf *w, uint32_t limit, uint64_t now)
{
	uint64_t next = UINT64_MAX;
	for (uint32_t i = 0; i < limit; i++)
		if (w->entry[i].until > now && w->entry[i].until < next)
			next = w->entry[i].until;
	return next;
}
