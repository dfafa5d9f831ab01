#include "tests/stats/memory.h"

#include <stdlib.h>

#include "core/pipe/memory/cache_search.h"

static void size_up(struct model_cache *c, const struct cache *real, int64_t sets, int64_t ways,
                    int64_t bytes, bool prefetches)
{
	c->real = real;
	c->sets = (unsigned)sets;
	c->ways = (unsigned)ways;
	c->bytes = (unsigned)bytes;
	c->prefetches = prefetches;
	if (c->sets * c->ways > LINES_MAX)
		abort();
}

struct memory *memory_new(const struct config *c, const struct hierarchy *h)
{
	struct memory *m = calloc(1, sizeof *m);
	if (!m)
		abort();
	m->cfg = c;
	size_up(&m->l1i, &h->l1i, c->l1i_size / c->l1i_line / c->l1i_ways, c->l1i_ways, c->l1i_line,
	        c->l1i_prefetch != 0);
	size_up(&m->l1d, &h->l1d, c->l1d_size / c->l1d_line / c->l1d_ways, c->l1d_ways, c->l1d_line,
	        c->l1d_prefetch != 0);
	size_up(&m->l2, &h->l2, c->l2_size / c->l2_line / c->l2_ways, c->l2_ways, c->l2_line,
	        c->l2_prefetch != 0);
	size_up(&m->itlb, NULL, c->itlb_sets, c->itlb_ways, c->tlb_page, false);
	size_up(&m->dtlb, NULL, c->dtlb_sets, c->dtlb_ways, c->tlb_page, false);
	return m;
}

static struct model_line *stats_memory_find_line(struct model_cache *c, uint64_t number)
{
	struct model_line *set = &c->line[number % c->sets * c->ways];
	for (unsigned w = 0; w < c->ways; w++)
		if (set[w].there && set[w].number == number)
			return &set[w];
	return NULL;
}

/* Replaces the oldest of its set, and returns its former contents. */
static struct model_line stats_memory_insert_line(struct memory *m, struct model_cache *c,
                                                  uint64_t number, struct model_line **at)
{
	struct model_line *set = &c->line[number % c->sets * c->ways], *old = set;
	for (unsigned w = 1; w < c->ways; w++)
		if (old->there && (!set[w].there || set[w].used < old->used))
			old = &set[w];
	const struct model_line was = *old;
	*old = (struct model_line){.number = number, .used = ++m->clock, .there = true};
	*at = old;
	return was;
}

/* Cycle in which the machine's line of this number arrives; 0: present before, or evicted in the
 * same cycle. */
static uint64_t stats_memory_line_ready(const struct model_cache *c, uint64_t number)
{
	const struct cache_line *line = cache_find(c->real, number);
	return line ? line->ready : 0;
}

static uint64_t stats_memory_max(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* The cycle from which the address is translated. */
static uint64_t stats_memory_translate(struct memory *m, struct model_cache *tlb, uint64_t *merges,
                                       uint64_t addr, uint64_t now)
{
	const uint64_t page = addr / tlb->bytes;
	struct model_line *e = stats_memory_find_line(tlb, page);
	tlb->n.accesses++;
	if (!e) {
		tlb->n.misses++;
		stats_memory_insert_line(m, tlb, page, &e);
		e->ready = now + (uint64_t)m->cfg->tlb_penalty;
	} else if (e->ready > now) {
		tlb->n.misses++;
		++*merges;
	}
	e->used = ++m->clock;
	return stats_memory_max(now, e->ready);
}

/* ---- L2 and the bus ---- */
static void into_l2(struct memory *m, uint64_t number, bool dirty, bool prefetched)
{
	struct model_line *e;
	const struct model_line out = stats_memory_insert_line(m, &m->l2, number, &e);
	e->dirty = dirty;
	e->prefetched = prefetched;
	if (out.there && out.dirty) {
		m->l2.n.writebacks++;
		m->lines_on_bus++;
	}
}

static void stats_memory_write_back_to_l2(struct memory *m, uint64_t addr)
{
	struct model_line *e = stats_memory_find_line(&m->l2, addr / m->l2.bytes);
	if (!e) {
		into_l2(m, addr / m->l2.bytes, true, false);
		return;
	}
	e->dirty = true;
	e->used = ++m->clock;
}

/* Smith: after a line that was missed, or is used for the first time since it was prefetched.
 * Which one that is; 0: none. */
static uint64_t next_of(struct model_cache *c, struct model_line *e, bool was_there, bool hit,
                        uint64_t number)
{
	const bool first_use = was_there && e->prefetched;
	if (first_use) {
		c->n.useful++;
		c->n.late += !hit;
	}
	if (e)
		e->prefetched = false;
	return c->prefetches && (!hit || first_use) ? number + 1 : 0;
}

static void read_l2(struct memory *m, uint64_t addr, uint64_t at)
{
	struct model_cache *c = &m->l2;
	const uint64_t number = addr / c->bytes;
	struct model_line *e = stats_memory_find_line(c, number);
	const bool was_there = e, hit = e && stats_memory_line_ready(c, number) <= at;
	c->n.accesses++;
	c->n.misses += !hit;
	if (e) {
		e->used = ++m->clock;
	} else {
		m->lines_on_bus++;
		into_l2(m, number, false, false);
	}
	const uint64_t next = next_of(c, stats_memory_find_line(c, number), was_there, hit, number);
	if (!next || stats_memory_find_line(c, next))
		return;
	if (next * c->bytes / (uint64_t)m->cfg->tlb_page != addr / (uint64_t)m->cfg->tlb_page) {
		c->n.dropped++;
		return;
	}
	c->n.prefetches++;
	m->lines_on_bus++;
	into_l2(m, next, false, true);
}

/* ---- L1 ---- */
static void stats_memory_fill_line(struct memory *m, struct model_cache *c, uint64_t number,
                                   uint64_t known, bool prefetched)
{
	struct model_line *e;
	read_l2(m, number * c->bytes, known);
	const struct model_line out = stats_memory_insert_line(m, c, number, &e);
	e->prefetched = prefetched;
	if (!out.there || !out.dirty)
		return;
	c->n.writebacks++;
	stats_memory_write_back_to_l2(m, out.number * c->bytes);
}

struct used {
	uint64_t number, next, from, start;
};

/* Handles one line of an access that begins in `start`. Prefetches follow the requests of all lines
 * of the access. */
static struct used stats_memory_access_line(struct memory *m, struct model_cache *c, uint64_t addr,
                                            uint64_t start, uint64_t latency, uint64_t now,
                                            bool *miss, bool *merge)
{
	const uint64_t number = addr / c->bytes;
	struct model_line *e = stats_memory_find_line(c, number);
	const bool was_there = e, hit = e && stats_memory_line_ready(c, number) <= now;
	c->n.accesses++;
	c->n.misses += !hit;
	*miss = !hit;
	*merge = !hit && e;
	if (e)
		e->used = ++m->clock;
	else
		stats_memory_fill_line(m, c, number, start + latency, false);
	return (struct used){number,
	                     next_of(c, stats_memory_find_line(c, number), was_there, hit, number),
	                     addr, start};
}

static void stats_memory_prefetch_line(struct memory *m, struct model_cache *c,
                                       struct model_cache *tlb, struct used u, uint64_t latency)
{
	if (!u.next || stats_memory_find_line(c, u.next))
		return;
	const uint64_t page = u.next * c->bytes / tlb->bytes;
	const struct model_line *e = stats_memory_find_line(tlb, page);
	if (page != u.from / tlb->bytes && (!e || e->ready > u.start)) {
		c->n.dropped++;
		return;
	}
	c->n.prefetches++;
	stats_memory_fill_line(m, c, u.next, u.start + latency, true);
}

void memory_fetch(struct memory *m, uint64_t addr, uint64_t now)
{
	bool miss, merge;
	const uint64_t latency = (uint64_t)m->cfg->l1i_latency - 1,
		       start = stats_memory_translate(m, &m->itlb, &m->itlb_merges, addr, now);
	stats_memory_prefetch_line(
		m, &m->l1i, &m->itlb,
		stats_memory_access_line(m, &m->l1i, addr, start, latency, now, &miss, &merge),
		latency);
}

void memory_load(struct memory *m, uint64_t addr, unsigned size, uint64_t now)
{
	const uint64_t latency = (uint64_t)m->cfg->l1d_latency, last = addr + size - 1;
	const uint64_t second = last / m->l1d.bytes * m->l1d.bytes;
	uint64_t start = stats_memory_translate(m, &m->dtlb, &m->dtlb_merges, addr, now);
	struct used u[2];
	unsigned n = 0;
	bool miss, merge;
	u[n++] = stats_memory_access_line(m, &m->l1d, addr, start, latency, now, &miss, &merge);
	m->read_misses += miss;
	m->merges += merge;
	if (second > addr) {
		if (second / m->dtlb.bytes != addr / m->dtlb.bytes)
			start = stats_memory_translate(m, &m->dtlb, &m->dtlb_merges, second, now);
		u[n++] = stats_memory_access_line(m, &m->l1d, second, start, latency, now, &miss,
		                                  &merge);
		m->read_misses += miss;
		m->merges += merge;
	}
	for (unsigned i = 0; i < n; i++)
		stats_memory_prefetch_line(m, &m->l1d, &m->dtlb, u[i], latency);
}

void memory_store(struct memory *m, const uint64_t *addr, unsigned n, uint64_t now)
{
	const uint64_t latency = (uint64_t)m->cfg->l1d_latency;
	struct used u[2];
	bool miss, merge;
	for (unsigned i = 0; i < n; i++) {
		const uint64_t start =
			stats_memory_translate(m, &m->dtlb, &m->dtlb_merges, addr[i], now);
		u[i] = stats_memory_access_line(m, &m->l1d, addr[i], start, latency, now, &miss,
		                                &merge);
		m->write_misses += miss;
		m->merges += merge;
		stats_memory_find_line(&m->l1d, u[i].number)->dirty = true;
	}
	for (unsigned i = 0; i < n; i++)
		stats_memory_prefetch_line(m, &m->l1d, &m->dtlb, u[i], latency);
}
