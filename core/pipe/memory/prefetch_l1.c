#include "core/pipe/memory/prefetch_l1.h"

#include "core/pipe/memory/l1.h"
#include "core/pipe/memory/mshr.h"
#include "core/pipe/memory/prefetch.h"
#include "core/pipe/memory/prefetch_kind.h"
#include "core/pipe/plugin.h"

/* ---- fetching lines ---- */

/* Makes the next access look its line up, because the order in the set of this line has changed. */
static void forget_last(struct last_line *last, struct recent *warming, const struct cache *c,
                        uint64_t number)
{
	if (!(((last->addr >> c->line_log2) ^ number) & c->set_mask))
		last->ready = UINT64_MAX;
	if (warming)
		warming->line[number & c->set_mask & (RECENT_LINES - 1)] = 0;
}

static void into_l1i(struct hierarchy *h, uint64_t number, struct prefetch_moment m)
{
	uint64_t addr = number << h->l1i.line_log2;
	struct fill fill =
		m.timed ? l2_read(h, addr, m.start + h->l1i_latency - 1, m.now) : l2_warm(h, addr);
	l1i_place(h, number, fill)->flags |= CL_PREFETCHED;
	forget_last(&h->st->last_l1i, m.timed ? NULL : &h->recent->code, &h->l1i, number);
}

static bool into_l1d(struct hierarchy *h, uint64_t number, struct prefetch_moment m)
{
	struct hierarchy_state *st = h->st;
	uint64_t addr = number << h->l1d.line_log2, known = m.start + h->l1d_latency;
	if (m.timed && !mshr_available(st, h->mshr_limit, m.now))
		return false;
	struct fill fill = m.timed ? l2_read(h, addr, known, m.now) : l2_warm(h, addr);
	l1d_place(h, number, fill, known, m.now, m.timed)->flags |= CL_PREFETCHED;
	forget_last(&st->last_l1d, m.timed ? NULL : &h->recent->data, &h->l1d, number);
	if (m.timed)
		mshr_open(st,
		          &(struct mshr){.line = addr,
		                         .since = m.now,
		                         .ready = fill.ready,
		                         .level = (uint16_t)fill.level},
		          m.now);
	return true;
}

static bool fill_l1(struct hierarchy *h, const struct cache *c, uint64_t number,
                    struct prefetch_moment m)
{
	if (c->id == CACHE_L1D)
		return into_l1d(h, number, m);
	into_l1i(h, number, m);
	return true;
}

/* ---- notifying ---- */

void prefetch_begin(const struct cache *c, uint64_t addr, unsigned size, uint64_t now,
                    struct prefetch_access *out)
{
	uint64_t first = addr >> c->line_log2, last = (addr + size - 1) >> c->line_log2;
	*out = (struct prefetch_access){0};
	if (!c->prefetcher.by)
		return;
	for (uint64_t number = first; number <= last; number++) {
		const struct cache_line *line = cache_find(c, number);
		out->line[out->lines++] = (struct accessed_line){
			.number = number,
			.addr = number == first ? addr : number << c->line_log2,
			.asked = true,
			.hit = line && line->ready <= now,
			.prefetched = line && (line->flags & CL_PREFETCHED),
		};
	}
}

static void prefetch_l1_notify_access(struct hierarchy *h, struct cache *c,
                                      const struct prefetch_access *found, struct prefetch_moment m)
{
	for (unsigned i = 0; i < found->lines; i++) {
		const struct accessed_line *l = &found->line[i];
		const struct plugin_access a = {
			.pc = h->pc,
			.addr = l->addr,
			.line = l->number,
			.set = (uint32_t)l->number & c->set_mask,
			.hit = l->hit,
			.prefetched = l->prefetched,
			.store = found->store,
		};
		if (l->asked)
			prefetch_use(h, c, &a, m, fill_l1);
	}
}

void prefetch_warm(struct hierarchy *h, struct cache *c, const struct prefetch_access *found)
{
	prefetch_l1_notify_access(h, c, found, (struct prefetch_moment){0});
}

void prefetch_warm_hit(struct hierarchy *h, uint64_t pc, uint64_t addr, bool store)
{
	const uint64_t number = addr >> h->l1d.line_log2;
	const struct plugin_access a = {
		.pc = pc,
		.addr = addr,
		.line = number,
		.set = (uint32_t)number & h->l1d.set_mask,
		.hit = true,
		.store = store,
	};
	/* prefetch_use() of a line that was not prefetched */
	uint64_t next[PLUGIN_LINES_MAX];
	const uint32_t n = h->l1d.prefetcher.by->access(h, &h->l1d, &a, next);
	if (n)
		prefetch_issue(h, &h->l1d, next, n, addr, (struct prefetch_moment){0}, fill_l1);
}

struct access hierarchy_heed_fetch(struct hierarchy *h, uint64_t pc, uint64_t now)
{
	struct prefetch_access found;
	h->pc = pc;
	prefetch_begin(&h->l1i, pc, 1, now, &found);
	struct access a = hierarchy_fetch(h, pc, now);
	prefetch_l1_notify_access(
		h, &h->l1i, &found,
		(struct prefetch_moment){l1_max_cycle(now, h->st->last_ipage.ready), now, true});
	return a;
}

struct access hierarchy_heed_load(struct hierarchy *h, uint64_t pc, uint64_t addr, unsigned size,
                                  uint64_t now)
{
	struct prefetch_access found;
	h->pc = pc;
	prefetch_begin(&h->l1d, addr, size, now, &found);
	struct access a = hierarchy_load(h, addr, size, now);
	if (a.accepted && a.level != LEVEL_BUFFER)
		prefetch_l1_notify_access(
			h, &h->l1d, &found,
			(struct prefetch_moment){l1_max_cycle(now, h->st->last_dpage.ready), now,
		                                 true});
	return a;
}

struct access hierarchy_heed_store(struct hierarchy *h, uint64_t pc, uint64_t addr, unsigned size,
                                   uint64_t now)
{
	struct prefetch_access found;
	h->pc = pc;
	prefetch_begin(&h->l1d, addr, size, now, &found);
	found.store = true;
	for (unsigned i = 0; i < found.lines; i++)
		found.line[i].asked = wbuf_find(&h->st->wbuf, h->wbuf_limit, found.line[i].number,
		                                now) == h->wbuf_limit;
	struct access a = hierarchy_store(h, addr, size, now);
	if (a.accepted)
		prefetch_l1_notify_access(
			h, &h->l1d, &found,
			(struct prefetch_moment){l1_max_cycle(now, h->st->last_dpage.ready), now,
		                                 true});
	return a;
}
