#include "core/pipe/memory/prefetch.h"

#include <string.h>

#include "core/defs/config_fields.h"
#include "core/defs/stats_fields.h"
#include "core/pipe/memory/l1.h"
#include "core/pipe/memory/mshr.h"
#include "core/pipe/plugin.h"

/* When what is asked for begins. */
struct moment {
	uint64_t start; /* the access, after its translation */
	uint64_t now;
	bool timed;
};

static void place(struct hierarchy *h, struct cache *c, int64_t kind, int64_t degree,
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
	place(h, &h->l1i, h->perfect_l1i ? PREFETCH_NONE : cfg->l1i_prefetch,
	      cfg->l1i_prefetch_degree, 1, "l1i prefetcher", a);
	place(h, &h->l1d, h->perfect_l1d ? PREFETCH_NONE : cfg->l1d_prefetch,
	      cfg->l1d_prefetch_degree, cfg->l1d_prefetch_table, "l1d prefetcher", a);
	place(h, &h->l2, h->perfect_l2 ? PREFETCH_NONE : cfg->l2_prefetch, cfg->l2_prefetch_degree,
	      cfg->l2_prefetch_table, "l2 prefetcher", a);
	if (!h->stats) /* while sizing */
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

static void forget(struct prefetcher *p)
{
	if (p->table)
		memset(p->table, 0, ((size_t)p->mask + 1) * sizeof *p->table);
}

void prefetch_reset(struct hierarchy *h)
{
	forget(&h->l1i.prefetcher);
	forget(&h->l1d.prefetcher);
	forget(&h->l2.prefetcher);
}

/* ---- bringing lines in ---- */

/* The order in the set of the line used last has changed: the next access looks it up again. */
static void forget_last(struct last_line *last, const struct cache *c, uint64_t number)
{
	if (!(((last->addr >> c->line_log2) ^ number) & c->set_mask))
		last->ready = UINT64_MAX;
}

static bool translated(const struct tlb *t, uint64_t page, uint64_t when)
{
	const struct tlb_entry *e = tlb_find(t, page);
	return e && e->ready <= when;
}

static void into_l1i(struct hierarchy *h, uint64_t number, struct moment m)
{
	uint64_t addr = number << h->l1i.line_log2;
	struct fill fill =
		m.timed ? l2_read(h, addr, m.start + h->l1i_latency - 1, m.now) : l2_warm(h, addr);
	l1i_place(h, number, fill)->flags |= CL_PREFETCHED;
	forget_last(&h->st->last_l1i, &h->l1i, number);
}

static bool into_l1d(struct hierarchy *h, uint64_t number, struct moment m)
{
	struct hierarchy_state *st = h->st;
	uint64_t addr = number << h->l1d.line_log2, known = m.start + h->l1d_latency;
	if (m.timed && !mshr_available(st, h->mshr_limit, m.now))
		return false;
	struct fill fill = m.timed ? l2_read(h, addr, known, m.now) : l2_warm(h, addr);
	l1d_place(h, number, fill, known, m.now, m.timed)->flags |= CL_PREFETCHED;
	forget_last(&st->last_l1d, &h->l1d, number);
	if (m.timed)
		mshr_open(st,
		          &(struct mshr){.line = addr,
		                         .since = m.now,
		                         .ready = fill.ready,
		                         .level = (uint16_t)fill.level},
		          m.now);
	return true;
}

/* False: there is no room for a miss. */
static bool begin(struct hierarchy *h, const struct cache *c, uint64_t number, struct moment m)
{
	if (c->id == CACHE_L1D)
		return into_l1d(h, number, m);
	if (c->id == CACHE_L1I)
		into_l1i(h, number, m);
	else if (m.timed && !l2_may_prefetch(h, m.start))
		return false;
	else
		l2_prefetch(h, number, m.start, m.now, m.timed);
	return true;
}

/* The line with this number, for an access of the page at `from`. */
static void bring(struct hierarchy *h, struct cache *c, uint64_t number, uint64_t from,
                  struct moment m)
{
	const struct tlb *t = c->id == CACHE_L1I ? &h->itlb : &h->dtlb;
	uint64_t page = number << c->line_log2 >> t->page_log2;
	bool there = number <= UINT64_MAX >> c->line_log2;
	if (there && cache_find(c, number))
		return;
	if (there && page != from >> t->page_log2)
		there = c->id != CACHE_L2 && translated(t, page, m.start);
	bool begun = there && begin(h, c, number, m);
	if (m.timed)
		++*(begun ? c->prefetcher.issued : c->prefetcher.dropped);
}

/* ---- deciding ---- */

static uint32_t next_lines(const struct prefetcher *p, const struct plugin_access *a,
                           uint64_t *line)
{
	if (a->hit && !a->prefetched)
		return 0;
	for (uint32_t i = 0; i < p->degree; i++)
		line[i] = a->line + 1 + i;
	return p->degree;
}

/* What the entry has learnt of an access at this distance from the one before. */
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

static uint32_t strides(const struct cache *c, const struct plugin_access *a, uint64_t *line)
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

/* One line of an access was used: the prefetcher hears of it and asks. */
static void use(struct hierarchy *h, struct cache *c, const struct plugin_access *a,
                struct moment m)
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
		n = strides(c, a, line);
		break;
	case PREFETCH_EXTERNAL:
		n = plugins_access(h->plugins, PLUGIN_L1I_PREFETCHER + c->id, a, line);
		break;
	case PREFETCH_NONE:
		break;
	}
	for (uint32_t i = 0; i < n; i++)
		bring(h, c, line[i], a->addr, m);
}

/* ---- hearing ---- */

void prefetch_begin(const struct cache *c, uint64_t addr, unsigned size, uint64_t now,
                    struct heard *out)
{
	uint64_t first = addr >> c->line_log2, last = (addr + size - 1) >> c->line_log2;
	*out = (struct heard){0};
	if (c->prefetcher.kind == PREFETCH_NONE)
		return;
	for (uint64_t number = first; number <= last; number++) {
		const struct cache_line *line = cache_find(c, number);
		out->line[out->lines++] = (struct heard_line){
			.number = number,
			.addr = number == first ? addr : number << c->line_log2,
			.asked = true,
			.hit = line && line->ready <= now,
			.prefetched = line && (line->flags & CL_PREFETCHED),
		};
	}
}

static void tell(struct hierarchy *h, struct cache *c, const struct heard *heard, struct moment m)
{
	for (unsigned i = 0; i < heard->lines; i++) {
		const struct heard_line *l = &heard->line[i];
		const struct plugin_access a = {
			.pc = h->pc,
			.addr = l->addr,
			.line = l->number,
			.set = (uint32_t)l->number & c->set_mask,
			.hit = l->hit,
			.prefetched = l->prefetched,
			.store = heard->store,
		};
		if (l->asked)
			use(h, c, &a, m);
	}
}

void prefetch_warm(struct hierarchy *h, struct cache *c, const struct heard *heard)
{
	tell(h, c, heard, (struct moment){0});
}

struct access hierarchy_heed_fetch(struct hierarchy *h, uint64_t pc, uint64_t now)
{
	struct heard heard;
	h->pc = pc;
	prefetch_begin(&h->l1i, pc, 1, now, &heard);
	struct access a = hierarchy_fetch(h, pc, now);
	tell(h, &h->l1i, &heard, (struct moment){later(now, h->st->last_ipage.ready), now, true});
	return a;
}

struct access hierarchy_heed_load(struct hierarchy *h, uint64_t pc, uint64_t addr, unsigned size,
                                  uint64_t now)
{
	struct heard heard;
	h->pc = pc;
	prefetch_begin(&h->l1d, addr, size, now, &heard);
	struct access a = hierarchy_load(h, addr, size, now);
	if (a.accepted && a.level != LEVEL_BUFFER)
		tell(h, &h->l1d, &heard,
		     (struct moment){later(now, h->st->last_dpage.ready), now, true});
	return a;
}

struct access hierarchy_heed_store(struct hierarchy *h, uint64_t pc, uint64_t addr, unsigned size,
                                   uint64_t now)
{
	struct heard heard;
	h->pc = pc;
	prefetch_begin(&h->l1d, addr, size, now, &heard);
	heard.store = true;
	for (unsigned i = 0; i < heard.lines; i++)
		heard.line[i].asked = wbuf_find(&h->st->wbuf, h->wbuf_limit, heard.line[i].number,
		                                now) == h->wbuf_limit;
	struct access a = hierarchy_store(h, addr, size, now);
	if (a.accepted)
		tell(h, &h->l1d, &heard,
		     (struct moment){later(now, h->st->last_dpage.ready), now, true});
	return a;
}

void prefetch_l2(struct hierarchy *h, uint64_t addr, struct cache_line *line, uint64_t at,
                 uint64_t now, bool timed)
{
	uint64_t number = addr >> h->l2.line_log2;
	const struct plugin_access a = {
		.pc = h->pc,
		.addr = addr,
		.line = number,
		.set = (uint32_t)number & h->l2.set_mask,
		.hit = line && line->ready <= at,
		.prefetched = line && (line->flags & CL_PREFETCHED),
	};
	use(h, &h->l2, &a, (struct moment){at, now, timed});
}
