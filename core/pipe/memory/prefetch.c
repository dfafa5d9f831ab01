#include "core/pipe/memory/prefetch.h"

#include <string.h>

#include "core/defs/config_fields.h"
#include "core/defs/kinds.h"
#include "core/defs/stats_fields.h"
#include "core/pipe/memory/cache_search.h"
#include "core/pipe/memory/prefetch_kind.h"

#define DECLARE(id, name, ...) extern const struct prefetch_kind prefetcher_##name;
PREFETCH_ROWS(DECLARE, DECLARE)

/* By enum prefetch. */
static const struct prefetch_kind *const prefetch_kinds[PREFETCH_KINDS] = {
#define ROW(id, name, ...) &prefetcher_##name,
	PREFETCH_ROWS(ROW, ROW)
};

static void prefetch_init_cache(struct hierarchy *h, struct cache *c, int64_t kind, int64_t degree,
                                int64_t entries, const char *name, struct arena *a)
{
	struct prefetcher *p = &c->prefetcher;
	const struct prefetch_kind *by = prefetch_kinds[kind];
	*p = (struct prefetcher){.degree = (uint32_t)degree, .mask = (uint32_t)entries - 1};
	if (!by->access)
		return;
	h->heeds = true;
	p->by = by;
	p->bytes = by->bytes ? by->bytes(p) : 0;
	if (p->bytes)
		p->table = arena_take(a, name, p->bytes, 1);
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
		memset(p->table, 0, p->bytes);
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

void prefetch_issue(struct hierarchy *h, struct cache *c, const uint64_t *line, uint32_t lines,
                    uint64_t from, struct prefetch_moment m, prefetch_fill *fill)
{
	for (uint32_t i = 0; i < lines; i++)
		prefetch_issue_line(h, c, line[i], from, m, fill);
}

/* Notes the first use of a prefetched line. */
static __attribute__((noinline)) void prefetch_first_use(const struct cache *c,
                                                         const struct plugin_access *a, bool timed)
{
	struct cache_line *used = cache_find(c, a->line);
	if (used) {
		cache_mark(c, used);
		used->flags &= ~CL_PREFETCHED & 0xff;
	}
	if (timed) {
		++*c->prefetcher.useful;
		*c->prefetcher.late += !a->hit;
	}
}

void prefetch_use(struct hierarchy *h, struct cache *c, const struct plugin_access *a,
                  struct prefetch_moment m, prefetch_fill *fill)
{
	uint64_t line[PLUGIN_LINES_MAX];
	if (a->prefetched)
		prefetch_first_use(c, a, m.timed);
	const uint32_t n = c->prefetcher.by->access(h, c, a, line);
	if (n)
		prefetch_issue(h, c, line, n, a->addr, m, fill);
}
