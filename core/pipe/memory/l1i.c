/* Instruction fetches: ITLB and L1I. */
#include "core/defs/stats_fields.h"
#include "core/pipe/frontend/fetch_same_line.h"
#include "core/pipe/memory/l1.h"

/* The cycle from which code at this address is translated. */
static inline uint64_t translate_code(struct hierarchy *h, uint64_t pc, uint64_t now,
                                      struct access *acc)
{
	struct hierarchy_state *st = h->st;
	enum walk walk = tlb_use(&h->itlb, &st->last_ipage, &st->clock, pc >> h->itlb.page_log2,
	                         now, h->tlb_penalty);
	h->stats->itlb_accesses++;
	if (walk == WALK_NONE)
		return now;
	h->stats->itlb_misses++;
	h->stats->itlb_merges += walk == WALK_JOINED;
	acc->tlb_miss = true;
	const uint64_t took = st->last_ipage.ready - now;
	acc->walk = took < UINT16_MAX ? (uint16_t)took : UINT16_MAX;
	return st->last_ipage.ready;
}

struct access hierarchy_fetch(struct hierarchy *h, uint64_t pc, uint64_t now)
{
	uint64_t number = pc >> h->l1i.line_log2;
	struct access acc = {.accepted = true, .level = LEVEL_L1};
	if (hierarchy_fetch_again(h, pc, now)) {
		h->counts->itlb_accesses++;
		h->counts->l1i_accesses++;
		acc.ready = now + h->l1i_latency - 1;
		return acc;
	}
	h->stats->l1i_accesses++;
	acc.ready = translate_code(h, pc, now, &acc) + h->l1i_latency - 1;
	if (h->perfect_l1i)
		return acc;
	struct cache_line *line = cache_find(&h->l1i, number);
	if (!line) {
		h->stats->l1i_misses++;
		struct fill fill = l2_read(h, number << h->l1i.line_log2, acc.ready, now);
		l1i_install(h, number, fill);
		acc.ready = fill.ready;
		acc.level = fill.level;
		return acc;
	}
	use_l1i(h, line);
	if (line->ready > now) {
		h->stats->l1i_misses++;
		acc.ready = l1_max_cycle(line->ready, acc.ready);
		acc.level = level_of(line);
	}
	return acc;
}

void hierarchy_drop_code(struct hierarchy *h, uint64_t pc)
{
	struct cache_line *line = cache_find(&h->l1i, pc >> h->l1i.line_log2);
	if (line)
		*line = (struct cache_line){0};
	if (pc - h->st->last_l1i.addr < h->l1i.line_bytes)
		h->st->last_l1i.ready = UINT64_MAX;
}
