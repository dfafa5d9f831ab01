/* Builds caches, TLBs, prefetchers and bus from the configuration, and connects them. */
#include "core/pipe/memory/cache.h"

#include <string.h>

#include "core/defs/config_fields.h"
#include "core/defs/kinds.h"
#include "core/defs/stats_fields.h"
#include "core/pipe/memory/l1.h"
#include "core/pipe/memory/prefetch.h"

static uint32_t limit_of(int64_t entries, uint32_t none)
{
	return entries ? (uint32_t)entries : none;
}

void hierarchy_place(struct hierarchy *h, const struct config *cfg, struct stats *stats,
                     struct arena *a)
{
	*h = (struct hierarchy){
		.cfg = cfg,
		.stats = stats,
		.counts = stats ? &stats->counts : NULL, /* NULL while sizing */
		.perfect_l1i = cfg->l1i_perfect,
		.perfect_l1d = cfg->l1d_perfect,
		.perfect_l2 = cfg->l2_perfect,
		.l1i_latency = (uint32_t)cfg->l1i_latency,
		.l1d_latency = (uint32_t)cfg->l1d_latency,
		.l2_latency = (uint32_t)cfg->l2_latency,
		.mem_latency = (uint32_t)cfg->mem_latency,
		.tlb_penalty = (uint32_t)cfg->tlb_penalty,
		.forward_latency = (uint32_t)cfg->lsq_forward,
		.transfer = (uint32_t)((cfg->l2_line + cfg->bus_bytes - 1) / cfg->bus_bytes *
	                               cfg->bus_cycles),
		.mshr_limit = limit_of(cfg->l1d_mshrs, MSHR_MAX),
		.target_limit = limit_of(cfg->l1d_targets, UINT32_MAX),
		.wbuf_limit = limit_of(cfg->l1d_wbuf, WBUF_MAX),
		.l1d_ports = (uint32_t)cfg->l1d_ports,
		.l2_ports = (uint32_t)cfg->l2_ports,
		.l2_mshrs = (uint32_t)cfg->l2_mshrs,
		.synonyms = (uint64_t)cfg->lsq_replay_synonym,
	};
	h->st = arena_take(a, "memory system", 1, sizeof *h->st);
	h->recent = arena_take(a, "accesses of warming", 1, sizeof *h->recent);
	h->recent_marks = arena_marked(a);
	if (cfg->l2_ports || cfg->l2_mshrs)
		h->l2_limits = arena_take(a, "l2 limits", 1, sizeof *h->l2_limits);
	cache_place(&h->l1i, "l1i", cfg->l1i_size, cfg->l1i_ways, cfg->l1i_line, a);
	cache_place(&h->l1d, "l1d", cfg->l1d_size, cfg->l1d_ways, cfg->l1d_line, a);
	cache_place(&h->l2, "l2", cfg->l2_size, cfg->l2_ways, cfg->l2_line, a);
	h->l2.marks = arena_marked(a);
	h->l1i.id = CACHE_L1I;
	h->l1d.id = CACHE_L1D;
	h->l2.id = CACHE_L2;
	replace_place(&h->l1i, "l1i replacement", cfg->l1i_replacement, a);
	replace_place(&h->l1d, "l1d replacement", cfg->l1d_replacement, a);
	replace_place(&h->l2, "l2 replacement", cfg->l2_replacement, a);
	h->heeds = cfg->l1i_replacement == REPLACE_EXTERNAL ||
	           cfg->l1d_replacement == REPLACE_EXTERNAL ||
	           cfg->l2_replacement == REPLACE_EXTERNAL;
	prefetch_place(h, a);
	tlb_place(&h->itlb, "itlb", cfg->itlb_sets, cfg->itlb_ways, cfg->tlb_page, a);
	tlb_place(&h->dtlb, "dtlb", cfg->dtlb_sets, cfg->dtlb_ways, cfg->tlb_page, a);
}

void hierarchy_reset(struct hierarchy *h)
{
	memset(h->st, 0, sizeof *h->st);
	memset(h->recent, 0, sizeof *h->recent);
	arena_mark_all(&h->recent_marks, h->recent, sizeof *h->recent);
	if (h->l2_limits)
		memset(h->l2_limits, 0, sizeof *h->l2_limits);
	h->st->last_l1i.ready = h->st->last_l1d.ready = UINT64_MAX;
	cache_clear(&h->l1i);
	cache_clear(&h->l1d);
	cache_clear(&h->l2);
	replace_reset(&h->l1i, (uint64_t)h->cfg->seed);
	replace_reset(&h->l1d, (uint64_t)h->cfg->seed);
	replace_reset(&h->l2, (uint64_t)h->cfg->seed);
	prefetch_reset(h);
	tlb_clear(&h->itlb);
	tlb_clear(&h->dtlb);
}

struct cache_line *l1i_place(struct hierarchy *h, uint64_t number, struct fill fill)
{
	struct cache_line *line = cache_victim(h, &h->l1i, number);
	*line = (struct cache_line){.tag = number + 1, .ready = fill.ready};
	line->flags = fill.level == LEVEL_MEMORY ? CL_FROM_MEMORY : 0;
	cache_fill(h, &h->l1i, line);
	return line;
}

struct cache_line *l1d_place(struct hierarchy *h, uint64_t number, struct fill fill, uint64_t at,
                             uint64_t now, bool timed)
{
	struct cache_line *line = cache_victim(h, &h->l1d, number);
	hierarchy_note_change(h, number << h->l1d.line_log2, 1);
	if (line->tag)
		hierarchy_note_change(h, (line->tag - 1) << h->l1d.line_log2, 1);
	if (line->flags & CL_DIRTY) {
		if (timed)
			h->stats->l1d_writebacks++;
		l2_settle(h, (line->tag - 1) << h->l1d.line_log2, line->ready, at, now, timed);
	}
	*line = (struct cache_line){.tag = number + 1, .ready = fill.ready};
	line->flags = fill.level == LEVEL_MEMORY ? CL_FROM_MEMORY : 0;
	cache_fill(h, &h->l1d, line);
	return line;
}

void l1i_install(struct hierarchy *h, uint64_t number, struct fill fill)
{
	struct cache_line *line = l1i_place(h, number, fill);
	l1_record_last_line(&h->st->last_l1i, &h->st->last_ipage, &h->l1i, line);
	replace_forget_last(h, &h->l1i);
}

void l1d_install(struct hierarchy *h, uint64_t number, struct fill fill, uint64_t at, uint64_t now,
                        bool timed)
{
	struct cache_line *line = l1d_place(h, number, fill, at, now, timed);
	l1_record_last_line(&h->st->last_l1d, &h->st->last_dpage, &h->l1d, line);
	replace_forget_last(h, &h->l1d);
}

