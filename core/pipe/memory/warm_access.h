/* Functional warm-up of the memory system: lines and translations become resident as if accesses
 * were sequential; no time passes, and no statistics are counted. Inlined, as it runs for every
 * instruction. */
#ifndef CYCLOPS_CORE_PIPE_MEMORY_WARM_ACCESS_H
#define CYCLOPS_CORE_PIPE_MEMORY_WARM_ACCESS_H

#include "core/pipe/memory/l1.h"
#include "core/pipe/memory/prefetch_l1.h"

/* ---- lines and pages used last in their sets ---- */
/* One more access to the line used last in its set, in the page used last in its set, changes no
 * order: warming does not look it up. This maps the machine's lines and pages to slots. */
struct recent_slots {
	struct recent *recent;         /* borrowed */
	uint32_t line_log2, page_log2;
	uint64_t line_mask, page_mask; /* slots in use - 1 */
};

/* True if an access within one line changes nothing; for a store the line must be dirty. */
static inline bool warm_recently_used(const struct recent_slots *s, uint64_t addr, bool store)
{
	const uint64_t line = addr >> s->line_log2, page = addr >> s->page_log2;
	return (s->recent->line[line & s->line_mask] | !store) == ((line + 1) << 1 | 1) &&
	       s->recent->page[page & s->page_mask] == page + 1;
}

/* Records the line at addr, and its page, as the last used of their sets. */
static inline void warm_mark_used(const struct recent_slots *s, uint64_t addr, bool dirty)
{
	const uint64_t line = addr >> s->line_log2, page = addr >> s->page_log2;
	s->recent->line[line & s->line_mask] = (line + 1) << 1 | dirty;
	s->recent->page[page & s->page_mask] = page + 1;
}

/* ---- code ---- */
static inline void warm_fetch(struct hierarchy *h, uint64_t addr)
{
	struct hierarchy_state *st = h->st;
	const uint64_t number = addr >> h->l1i.line_log2;
	if (addr - st->last_l1i.addr < h->l1i.line_bytes && st->last_l1i.ready != UINT64_MAX)
		return;
	(void)tlb_use(&h->itlb, &st->last_ipage, &st->clock, addr >> h->itlb.page_log2, 0, 0);
	if (h->perfect_l1i)
		return;
	struct cache_line *line = cache_find(&h->l1i, number);
	if (line)
		use_l1i(h, line);
	else
		l1i_install(h, number, l2_warm(h, addr));
}

/* Warms an instruction's fetch from the line at this byte address. Call before its data access. */
static inline void hierarchy_warm_fetch(struct hierarchy *h, uint64_t line)
{
	struct prefetch_access found;
	if (!h->heeds) {
		warm_fetch(h, line);
		return;
	}
	h->pc = line;
	prefetch_begin(&h->l1i, line, 1, 0, &found);
	warm_fetch(h, line);
	prefetch_warm(h, &h->l1i, &found);
}

/* ---- data ---- */
static inline void warm_line(struct hierarchy *h, uint64_t number, bool store)
{
	struct hierarchy_state *st = h->st;
	const uint64_t addr = number << h->l1d.line_log2;
	if (addr != st->last_l1d.addr || st->last_l1d.ready == UINT64_MAX) {
		(void)tlb_use(&h->dtlb, &st->last_dpage, &st->clock, addr >> h->dtlb.page_log2, 0,
		              0);
		if (h->perfect_l1d)
			return;
		struct cache_line *line = cache_find(&h->l1d, number);
		if (line)
			use_l1d(h, line);
		else
			l1d_install(h, number, l2_warm(h, addr), 0, 0, false);
	}
	if (store)
		h->l1d.lines[st->last_l1d.index].flags |= CL_DIRTY;
}

static inline void warm_data(struct hierarchy *h, uint64_t addr, unsigned size, bool store)
{
	const uint64_t first = addr >> h->l1d.line_log2,
		       last = (addr + size - 1) >> h->l1d.line_log2;
	warm_line(h, first, store);
	if (last != first)
		warm_line(h, last, store);
}

static __attribute__((noinline, unused)) void heed_data(struct hierarchy *h, uint64_t pc,
                                                        uint64_t addr, unsigned size, bool store)
{
	struct prefetch_access found;
	h->pc = pc;
	prefetch_begin(&h->l1d, addr, size, 0, &found);
	found.store = store;
	warm_data(h, addr, size, store);
	prefetch_warm(h, &h->l1d, &found);
}

static inline void hierarchy_warm_data(struct hierarchy *h, uint64_t pc, uint64_t addr,
                                       unsigned size, bool store)
{
	if (__builtin_expect(h->heeds, 0))
		heed_data(h, pc, addr, size, store);
	else
		warm_data(h, addr, size, store);
}

#endif
