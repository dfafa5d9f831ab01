#include "core/pipe/cache.h"

#include <string.h>

#include "core/pipe/l1.h"
#include "core/pipe/mshr.h"

static uint32_t limit_of(int64_t entries, uint32_t none)
{
	return entries ? (uint32_t)entries : none;
}

void hierarchy_place(struct hierarchy *h, const struct config *cfg, struct stats *stats, struct arena *a)
{
	*h = (struct hierarchy){
		.cfg = cfg,
		.stats = stats,
		.l1i_latency = (uint32_t)cfg->l1i_latency,
		.l1d_latency = (uint32_t)cfg->l1d_latency,
		.l2_latency = (uint32_t)cfg->l2_latency,
		.mem_latency = (uint32_t)cfg->mem_latency,
		.tlb_penalty = (uint32_t)cfg->tlb_penalty,
		.forward_latency = (uint32_t)cfg->lsq_forward,
		.transfer = (uint32_t)((cfg->l2_line + cfg->bus_bytes - 1) / cfg->bus_bytes * cfg->bus_cycles),
		.mshr_limit = limit_of(cfg->l1d_mshrs, MSHR_MAX),
		.target_limit = limit_of(cfg->l1d_targets, UINT32_MAX),
		.wbuf_limit = limit_of(cfg->l1d_wbuf, WBUF_MAX),
	};
	h->st = arena_take(a, "memory system", 1, sizeof *h->st);
	cache_place(&h->l1i, "l1i", cfg->l1i_size, cfg->l1i_ways, cfg->l1i_line, a);
	cache_place(&h->l1d, "l1d", cfg->l1d_size, cfg->l1d_ways, cfg->l1d_line, a);
	cache_place(&h->l2, "l2", cfg->l2_size, cfg->l2_ways, cfg->l2_line, a);
	tlb_place(&h->itlb, "itlb", cfg->itlb_sets, cfg->itlb_ways, cfg->tlb_page, a);
	tlb_place(&h->dtlb, "dtlb", cfg->dtlb_sets, cfg->dtlb_ways, cfg->tlb_page, a);
}

void hierarchy_reset(struct hierarchy *h)
{
	memset(h->st, 0, sizeof *h->st);
	h->st->last_l1i.ready = h->st->last_l1d.ready = UINT64_MAX;
	cache_clear(&h->l1i);
	cache_clear(&h->l1d);
	cache_clear(&h->l2);
	tlb_clear(&h->itlb);
	tlb_clear(&h->dtlb);
}

void l1i_install(struct hierarchy *h, uint64_t number, struct fill fill)
{
	struct cache_line *line = cache_victim(&h->l1i, number);
	*line = (struct cache_line){.tag = number + 1, .ready = fill.ready};
	line->flags = fill.level == LEVEL_MEMORY ? CL_FROM_MEMORY : 0;
	use_l1i(h, line);
}

void l1d_install(struct hierarchy *h, uint64_t number, struct fill fill, uint64_t at, uint64_t now,
                        bool timed)
{
	struct cache_line *line = cache_victim(&h->l1d, number);
	if (line->flags & CL_DIRTY) {
		if (timed)
			h->stats->l1d_writebacks++;
		l2_settle(h, (line->tag - 1) << h->l1d.line_log2, line->ready, at, now, timed);
	}
	*line = (struct cache_line){.tag = number + 1, .ready = fill.ready};
	line->flags = fill.level == LEVEL_MEMORY ? CL_FROM_MEMORY : 0;
	use_l1d(h, line);
}

uint64_t hierarchy_next_free(const struct hierarchy *h, uint64_t now)
{
	uint64_t miss = mshr_next_free(h->st, now), write = wbuf_next_free(&h->st->wbuf, h->wbuf_limit, now);
	return miss < write ? miss : write;
}

void hierarchy_warm_fetch(struct hierarchy *h, uint64_t pc)
{
	struct hierarchy_state *st = h->st;
	uint64_t number = pc >> h->l1i.line_log2;
	if (pc - st->last_l1i.addr < h->l1i.line_bytes && st->last_l1i.ready != UINT64_MAX)
		return;
	(void)tlb_use(&h->itlb, &st->last_ipage, &st->clock, pc >> h->itlb.page_log2, 0, 0);
	struct cache_line *line = cache_find(&h->l1i, number);
	if (line)
		use_l1i(h, line);
	else
		l1i_install(h, number, l2_warm(h, pc));
}

static void warm_line(struct hierarchy *h, uint64_t number, bool store)
{
	struct hierarchy_state *st = h->st;
	uint64_t addr = number << h->l1d.line_log2;
	if (addr != st->last_l1d.addr || st->last_l1d.ready == UINT64_MAX) {
		(void)tlb_use(&h->dtlb, &st->last_dpage, &st->clock, addr >> h->dtlb.page_log2, 0, 0);
		struct cache_line *line = cache_find(&h->l1d, number);
		if (line)
			use_l1d(h, line);
		else
			l1d_install(h, number, l2_warm(h, addr), 0, 0, false);
	}
	if (store)
		h->l1d.lines[st->last_l1d.index].flags |= CL_DIRTY;
}

void hierarchy_warm_data(struct hierarchy *h, uint64_t addr, unsigned size, bool store)
{
	uint64_t first = addr >> h->l1d.line_log2, last = (addr + size - 1) >> h->l1d.line_log2;
	warm_line(h, first, store);
	if (last != first)
		warm_line(h, last, store);
}
