#include "core/pipe/memory/prefetch.h"

#include <string.h>

#include "core/defs/config_fields.h"
#include "core/defs/stats_fields.h"
#include "core/pipe/memory/cache_search.h"
#include "core/pipe/plugin.h"

static void prefetch_init_cache(struct hierarchy *h, struct cache *c, int64_t kind, int64_t degree,
                                int64_t entries, const char *name, struct arena *a)
{
	c->prefetcher =
		(struct prefetcher){.kind = (enum prefetch_kind)kind, .degree = (uint32_t)degree};
	h->heeds |= kind != PREFETCH_NONE;
	if (kind != PREFETCH_STRIDE)
		return;
	c->prefetcher.mask = (uint32_t)entries - 1;
	c->prefetcher.table = arena_take(a, name, (size_t)entries, sizeof *c->prefetcher.table);
}

void prefetch_place(struct hierarchy *h, struct arena *a)
{
	const struct config *cfg = h->cfg;
	prefetch_init_cache(h, &h->l1i, h->perfect_l1i ? PREFETCH_NONE : cfg->l1i_prefetch,
	                    cfg->l1i_prefetch_degree, 1, "l1i prefetcher", a);
	prefetch_init_cache(h, &h->l1d, h->perfect_l1d ? PREFETCH_NONE : cfg->l1d_prefetch,
	                    cfg->l1d_prefetch_degree, cfg->l1d_prefetch_table, "l1d prefetcher", a);
	prefetch_init_cache(h, &h->l2, h->perfect_l2 ? PREFETCH_NONE : cfg->l2_prefetch,
	                    cfg->l2_prefetch_degree, cfg->l2_prefetch_table, "l2 prefetcher", a);
	if (!h->stats) /* NULL while sizing */
		return;
#define COUNT_IN(c) \
	h->c.prefetcher.issued = &h->stats->c##_prefetches; \
	h->c.prefetcher.useful = &h->stats->c##_prefetch_useful; \
	h->c.prefetcher.late = &h->stats->c##_prefetch_late; \
	h->c.prefetcher.dropped = &h->stats->c##_prefetch_dropped
	COUNT_IN(l1i);
	COUNT_IN(l1d);
	COUNT_IN(l2);
#undef COUNT_IN
}

static void prefetch_clear_table(struct prefetcher *p)
{
	if (p->table)
		memset(p->table, 0, ((size_t)p->mask + 1) * sizeof *p->table);
}

void prefetch_reset(struct hierarchy *h)
{
	prefetch_clear_table(&h->l1i.prefetcher);
	prefetch_clear_table(&h->l1d.prefetcher);
	prefetch_clear_table(&h->l2.prefetcher);
}

/* ---- fetching lines ---- */

static bool prefetch_page_is_translated(const struct tlb *t, uint64_t page, uint64_t when)
{
	const struct tlb_entry *e = tlb_find(t, page);
	return e && e->ready <= when;
}

/* Prefetches the line with this number, for an access to address `from`. */
static void prefetch_issue_line(struct hierarchy *h, struct cache *c, uint64_t number,
                                uint64_t from, struct prefetch_moment m, prefetch_fill *fill)
{
	const struct tlb *t = c->id == CACHE_L1I ? &h->itlb : &h->dtlb;
	uint64_t page = number << c->line_log2 >> t->page_log2;
	bool there = number <= UINT64_MAX >> c->line_log2;
	if (there && cache_find(c, number))
		return;
	if (there && page != from >> t->page_log2)
		there = c->id != CACHE_L2 && prefetch_page_is_translated(t, page, m.start);
	bool begun = there && fill(h, c, number, m);
	if (m.timed)
		++*(begun ? c->prefetcher.issued : c->prefetcher.dropped);
}

/* ---- selecting lines ---- */

static uint32_t next_lines(const struct prefetcher *p, const struct plugin_access *a,
                           uint64_t *line)
{
	if (a->hit && !a->prefetched)
		return 0;
	for (uint32_t i = 0; i < p->degree; i++)
		line[i] = a->line + 1 + i;
	return p->degree;
}

/* Updates the entry with an access at this distance from the previous one. */
static void learn_stride(struct stride_entry *e, int64_t distance)
{
	static const uint64_t right[] = {STRIDE_STEADY, STRIDE_STEADY, STRIDE_STEADY,
	                                 STRIDE_TRANSIENT};
	static const uint64_t wrong[] = {STRIDE_TRANSIENT, STRIDE_NONE, STRIDE_INITIAL,
	                                 STRIDE_NONE};
	bool as_before = distance == e->stride;
	if (!as_before && e->state != STRIDE_STEADY)
		e->stride = distance;
	e->state = as_before ? right[e->state] : wrong[e->state];
}

static uint32_t prefetch_stride_lines(const struct cache *c, const struct plugin_access *a,
                                      uint64_t *line)
{
	const struct prefetcher *p = &c->prefetcher;
	struct stride_entry *e = &p->table[a->pc >> 1 & p->mask];
	uint32_t n = 0;
	if (e->pc != a->pc) {
		*e = (struct stride_entry){.pc = a->pc, .last = a->addr};
		return 0;
	}
	learn_stride(e, (int64_t)(a->addr - e->last));
	e->last = a->addr;
	if (e->state != STRIDE_STEADY || !e->stride)
		return 0;
	for (uint32_t i = 1; i <= p->degree; i++)
		line[n++] = (a->addr + (uint64_t)e->stride * i) >> c->line_log2;
	return n;
}

void prefetch_use(struct hierarchy *h, struct cache *c, const struct plugin_access *a,
                  struct prefetch_moment m, prefetch_fill *fill)
{
	struct prefetcher *p = &c->prefetcher;
	uint64_t line[PLUGIN_LINES_MAX];
	uint32_t n = 0;
	if (a->prefetched) {
		struct cache_line *used = cache_find(c, a->line);
		if (used) {
			cache_mark(c, used);
			used->flags &= ~CL_PREFETCHED & 0xff;
		}
		if (m.timed) {
			++*p->useful;
			*p->late += !a->hit;
		}
	}
	switch (p->kind) {
	case PREFETCH_NEXT_LINE:
		n = next_lines(p, a, line);
		break;
	case PREFETCH_STRIDE:
		n = prefetch_stride_lines(c, a, line);
		break;
	case PREFETCH_EXTERNAL:
		n = plugins_access(h->plugins, PLUGIN_L1I_PREFETCHER + c->id, a, line);
		break;
	case PREFETCH_NONE:
		break;
	}
	for (uint32_t i = 0; i < n; i++)
		prefetch_issue_line(h, c, line[i], a->addr, m, fill);
}
