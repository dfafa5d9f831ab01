#include "core/pipe/cache.h"

#include <string.h>

#include "core/pipe/bus.h"
#include "core/pipe/lines.h"
#include "core/pipe/mshr.h"

/* Where a line comes from and when it is there. */
struct fill {
	uint64_t ready;
	enum mem_level level;
};

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

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

/* Puts a line into L2. `at` is the cycle in which a dirty victim is ready for the bus; timed = false
 * (warm-up) moves lines without time and statistics. */
static void l2_install(struct hierarchy *h, uint64_t number, unsigned flags, uint64_t ready, uint64_t at,
                       uint64_t now, bool timed)
{
	struct cache_line *line = cache_victim(&h->l2, number);
	if (timed && (line->flags & CL_DIRTY)) {
		h->stats->l2_writebacks++;
		h->stats->bus_busy += h->transfer;
		bus_book(h->st, at, h->transfer, now);
	}
	*line = (struct cache_line){.tag = number + 1, .ready = ready};
	line->flags = flags & 0xff;
	cache_touch(line, ++h->st->clock);
}

/* Asks L2 for the line at this byte address in cycle `at`. */
static struct fill l2_read(struct hierarchy *h, uint64_t addr, uint64_t at, uint64_t now)
{
	uint64_t number = addr >> h->l2.line_log2;
	uint64_t known = at + h->l2_latency;
	h->stats->l2_accesses++;
	struct cache_line *line = cache_find(&h->l2, number);
	if (line) {
		cache_touch(line, ++h->st->clock);
		if (line->ready <= at)
			return (struct fill){known, LEVEL_L2};
		h->stats->l2_misses++;
		return (struct fill){later(line->ready, known), LEVEL_MEMORY};
	}
	h->stats->l2_misses++;
	h->stats->bus_busy += h->transfer;
	uint64_t ready = bus_book(h->st, known + h->mem_latency, h->transfer, now);
	l2_install(h, number, CL_FROM_MEMORY, ready, known, now, true);
	return (struct fill){ready, LEVEL_MEMORY};
}

/* A dirty line has left L1D: it settles in L2 at once. */
static void l2_settle(struct hierarchy *h, uint64_t addr, uint64_t at, uint64_t now, bool timed)
{
	uint64_t number = addr >> h->l2.line_log2;
	struct cache_line *line = cache_find(&h->l2, number);
	if (line) {
		line->flags |= CL_DIRTY;
		cache_touch(line, ++h->st->clock);
	} else {
		l2_install(h, number, CL_DIRTY, 0, at, now, timed);
	}
}

static inline void remember(struct last_line *last, const struct cache *c, const struct cache_line *line)
{
	last->addr = (line->tag - 1) << c->line_log2;
	last->ready = line->ready;
	last->index = (uint32_t)(line - c->lines);
}

/* The most recent line of its cache from now on. */
static inline void use(struct hierarchy_state *st, struct last_line *last, const struct cache *c,
                       struct cache_line *line)
{
	cache_touch(line, ++st->clock);
	remember(last, c, line);
}

/* Translates: true if the page was there; if not, it is filled in. */
static inline bool tlb_use(struct hierarchy_state *st, struct tlb *t, uint64_t *last_page, uint64_t page)
{
	if (*last_page == page + 1)
		return true;
	*last_page = page + 1;
	struct tlb_entry *e = tlb_find(t, page);
	if (e)
		e->used = ++st->clock;
	else
		tlb_fill(t, page, ++st->clock);
	return e;
}

static void l1i_install(struct hierarchy *h, uint64_t number, struct fill fill)
{
	struct cache_line *line = cache_victim(&h->l1i, number);
	*line = (struct cache_line){.tag = number + 1, .ready = fill.ready};
	line->flags = fill.level == LEVEL_MEMORY ? CL_FROM_MEMORY : 0;
	use(h->st, &h->st->last_l1i, &h->l1i, line);
}

/* `at`: when the miss is known, the earliest cycle for whatever the victim sets off. */
static void l1d_install(struct hierarchy *h, uint64_t number, struct fill fill, uint64_t at, uint64_t now,
                        bool timed)
{
	struct cache_line *line = cache_victim(&h->l1d, number);
	if (line->flags & CL_DIRTY) {
		if (timed)
			h->stats->l1d_writebacks++;
		l2_settle(h, (line->tag - 1) << h->l1d.line_log2, at, now, timed);
	}
	*line = (struct cache_line){.tag = number + 1, .ready = fill.ready};
	line->flags = fill.level == LEVEL_MEMORY ? CL_FROM_MEMORY : 0;
	use(h->st, &h->st->last_l1d, &h->l1d, line);
}

static enum mem_level level_of(const struct cache_line *line)
{
	return line->flags & CL_FROM_MEMORY ? LEVEL_MEMORY : LEVEL_L2;
}

static __attribute__((noinline)) struct access other_fetch(struct hierarchy *h, uint64_t pc, uint64_t now)
{
	struct hierarchy_state *st = h->st;
	uint64_t number = pc >> h->l1i.line_log2;
	struct access acc = {.accepted = true, .level = LEVEL_L1, .ready = now + h->l1i_latency - 1};
	h->stats->itlb_accesses++;
	h->stats->l1i_accesses++;
	if (!tlb_use(st, &h->itlb, &st->last_ipage, pc >> h->itlb.page_log2)) {
		h->stats->itlb_misses++;
		acc.tlb_miss = true;
		acc.ready += h->tlb_penalty;
	}
	struct cache_line *line = cache_find(&h->l1i, number);
	if (!line) {
		h->stats->l1i_misses++;
		struct fill fill = l2_read(h, number << h->l1i.line_log2, acc.ready, now);
		l1i_install(h, number, fill);
		acc.ready = fill.ready;
		acc.level = fill.level;
		return acc;
	}
	use(st, &st->last_l1i, &h->l1i, line);
	if (line->ready > now) {
		h->stats->l1i_misses++;
		acc.ready = later(line->ready, acc.ready);
		acc.level = level_of(line);
	}
	return acc;
}

struct access hierarchy_fetch(struct hierarchy *h, uint64_t pc, uint64_t now)
{
	const struct last_line *last = &h->st->last_l1i;
	if (pc - last->addr >= h->l1i.line_bytes || last->ready > now)
		return other_fetch(h, pc, now);
	h->stats->itlb_accesses++;
	h->stats->l1i_accesses++;
	return (struct access){.accepted = true, .level = LEVEL_L1, .ready = now + h->l1i_latency - 1};
}

/* Cycles that translating this address adds before the cache. */
static inline uint32_t translate(struct hierarchy *h, uint64_t addr, bool *missed)
{
	h->stats->dtlb_accesses++;
	if (tlb_use(h->st, &h->dtlb, &h->st->last_dpage, addr >> h->dtlb.page_log2))
		return 0;
	h->stats->dtlb_misses++;
	*missed = true;
	return h->tlb_penalty;
}

/* A load of this line, resident or NULL, can go ahead in cycle now. Changes nothing. */
static inline bool load_fits(const struct hierarchy *h, const struct cache_line *line, uint64_t number,
                             uint64_t now)
{
	if (!line)
		return mshr_available(h->st, h->mshr_limit, now);
	if (line->ready <= now)
		return true;
	const struct mshr *m = mshr_find(h->st, number << h->l1d.line_log2, now);
	return !m || m->targets < h->target_limit;
}

static __attribute__((noinline)) struct fill l1d_miss(struct hierarchy *h, uint64_t number, uint64_t start,
                                                      uint64_t now)
{
	struct hierarchy_state *st = h->st;
	h->stats->l1d_misses++;
	uint64_t since = mshr_reserve(st, h->mshr_limit, now);
	uint64_t known = later(start, since) + h->l1d_latency;
	struct fill fill = l2_read(h, number << h->l1d.line_log2, known, now);
	l1d_install(h, number, fill, known, now, true);
	struct mshr miss = {.line = number << h->l1d.line_log2, .since = since, .ready = fill.ready, .targets = 1};
	miss.level = (uint16_t)fill.level;
	mshr_open(st, &miss, now);
	return fill;
}

/* One line of an accepted access, resident or NULL. It begins in cycle start, after translation; the line
 * is the last one used afterwards. */
static inline struct fill l1d_access(struct hierarchy *h, struct cache_line *line, uint64_t number,
                                     uint64_t start, uint64_t now, bool load)
{
	struct hierarchy_state *st = h->st;
	h->stats->l1d_accesses++;
	if (line) {
		uint64_t hit = start + h->l1d_latency;
		use(st, &st->last_l1d, &h->l1d, line);
		if (line->ready <= now)
			return (struct fill){hit, LEVEL_L1};
		h->stats->l1d_misses++;
		h->stats->mshr_merges++;
		struct mshr *m = mshr_find(st, number << h->l1d.line_log2, now);
		if (m && load)
			m->targets++;
		return (struct fill){later(line->ready, hit), level_of(line)};
	}
	return l1d_miss(h, number, start, now);
}

/* Any access, one or two lines. */
static __attribute__((noinline)) struct access data_access(struct hierarchy *h, uint64_t addr, unsigned size,
                                                           uint64_t now, bool load)
{
	uint64_t first = addr >> h->l1d.line_log2, last = (addr + size - 1) >> h->l1d.line_log2;
	struct cache_line *line = cache_find(&h->l1d, first);
	if (load && (!load_fits(h, line, first, now) ||
	             (last != first && !load_fits(h, cache_find(&h->l1d, last), last, now)))) {
		h->stats->mshr_full++;
		return (struct access){0};
	}
	struct access acc = {.accepted = true};
	uint64_t start = now + translate(h, addr, &acc.tlb_miss);
	struct fill fill = l1d_access(h, line, first, start, now, load);
	if (!load)
		h->l1d.lines[h->st->last_l1d.index].flags |= CL_DIRTY;
	if (last != first) {
		uint64_t page = last << h->l1d.line_log2 >> h->dtlb.page_log2;
		if (page != addr >> h->dtlb.page_log2)
			start = now + translate(h, page << h->dtlb.page_log2, &acc.tlb_miss);
		line = cache_find(&h->l1d, last); /* the first fill may have driven it out */
		struct fill second = l1d_access(h, line, last, start, now, load);
		if (!load)
			h->l1d.lines[h->st->last_l1d.index].flags |= CL_DIRTY;
		if (second.ready > fill.ready)
			fill = second;
	}
	acc.ready = fill.ready;
	acc.level = fill.level;
	return acc;
}

/* An access within the line used last, settled: nothing to look up. */
static inline bool same_line(const struct hierarchy *h, uint64_t addr, unsigned size, uint64_t now)
{
	const struct last_line *last = &h->st->last_l1d;
	return addr - last->addr <= h->l1d.line_bytes - size && last->ready <= now;
}

/* An access within another settled line and a translated page, which are made the most recent; NULL,
 * and nothing done, if it is not of that kind. */
static inline struct cache_line *near_line(struct hierarchy *h, uint64_t addr, unsigned size, uint64_t now)
{
	struct hierarchy_state *st = h->st;
	if ((addr & (h->l1d.line_bytes - 1)) > h->l1d.line_bytes - size)
		return NULL;
	struct cache_line *line = cache_find(&h->l1d, addr >> h->l1d.line_log2);
	if (!line || line->ready > now)
		return NULL;
	uint64_t page = addr >> h->dtlb.page_log2;
	if (st->last_dpage != page + 1) {
		struct tlb_entry *e = tlb_find(&h->dtlb, page);
		if (!e)
			return NULL;
		e->used = ++st->clock;
		st->last_dpage = page + 1;
	}
	use(st, &st->last_l1d, &h->l1d, line);
	return line;
}

static inline struct access l1d_hit(struct hierarchy *h, uint64_t now)
{
	h->stats->l1d_accesses++;
	h->stats->dtlb_accesses++;
	return (struct access){.accepted = true, .level = LEVEL_L1, .ready = now + h->l1d_latency};
}

/* Out of line, so that the commonest case saves no registers. */
static __attribute__((noinline)) struct access other_load(struct hierarchy *h, uint64_t addr, unsigned size,
                                                          uint64_t now)
{
	return near_line(h, addr, size, now) ? l1d_hit(h, now) : data_access(h, addr, size, now, true);
}

struct access hierarchy_load(struct hierarchy *h, uint64_t addr, unsigned size, uint64_t now)
{
	return same_line(h, addr, size, now) ? l1d_hit(h, now) : other_load(h, addr, size, now);
}

static __attribute__((noinline)) struct access other_store(struct hierarchy *h, uint64_t addr, unsigned size,
                                                           uint64_t now, uint32_t entry)
{
	struct cache_line *line = near_line(h, addr, size, now);
	struct access acc;
	if (line) {
		line->flags |= CL_DIRTY;
		acc = l1d_hit(h, now);
	} else {
		acc = data_access(h, addr, size, now, false);
	}
	h->st->wbuf[entry] = acc.ready;
	return acc;
}

struct access hierarchy_store(struct hierarchy *h, uint64_t addr, unsigned size, uint64_t now)
{
	struct hierarchy_state *st = h->st;
	uint32_t entry = st->wbuf_next;
	if (st->wbuf[entry] > now) {
		for (entry = 0; entry < h->wbuf_limit && st->wbuf[entry] > now; entry++)
			;
		if (entry == h->wbuf_limit)
			return (struct access){0};
	}
	st->wbuf_addr[entry] = addr;
	st->wbuf_next = entry + 1 == h->wbuf_limit ? 0 : entry + 1;
	if (!same_line(h, addr, size, now))
		return other_store(h, addr, size, now, entry);
	h->l1d.lines[st->last_l1d.index].flags |= CL_DIRTY;
	st->wbuf[entry] = now + h->l1d_latency;
	return l1d_hit(h, now);
}

uint64_t hierarchy_next_free(const struct hierarchy *h, uint64_t now)
{
	const struct hierarchy_state *st = h->st;
	uint64_t next = UINT64_MAX;
	for (uint32_t i = 0; i < st->mshr_count; i++) {
		if (st->mshr[i].ready > now && st->mshr[i].ready < next)
			next = st->mshr[i].ready;
	}
	for (uint32_t i = 0; i < h->wbuf_limit; i++) {
		if (st->wbuf[i] > now && st->wbuf[i] < next)
			next = st->wbuf[i];
	}
	return next;
}

/* L2 makes the line resident for L1; returns what L1 would see: a settled fill. */
static struct fill l2_warm(struct hierarchy *h, uint64_t addr)
{
	uint64_t number = addr >> h->l2.line_log2;
	struct cache_line *line = cache_find(&h->l2, number);
	if (line)
		cache_touch(line, ++h->st->clock);
	else
		l2_install(h, number, CL_FROM_MEMORY, 0, 0, 0, false);
	return (struct fill){0, line ? LEVEL_L2 : LEVEL_MEMORY};
}

void hierarchy_warm_fetch(struct hierarchy *h, uint64_t pc)
{
	struct hierarchy_state *st = h->st;
	uint64_t number = pc >> h->l1i.line_log2;
	if (pc - st->last_l1i.addr < h->l1i.line_bytes && st->last_l1i.ready != UINT64_MAX)
		return;
	tlb_use(st, &h->itlb, &st->last_ipage, pc >> h->itlb.page_log2);
	struct cache_line *line = cache_find(&h->l1i, number);
	if (line)
		use(st, &st->last_l1i, &h->l1i, line);
	else
		l1i_install(h, number, l2_warm(h, pc));
}

static void warm_line(struct hierarchy *h, uint64_t number, bool store)
{
	struct hierarchy_state *st = h->st;
	uint64_t addr = number << h->l1d.line_log2;
	if (addr != st->last_l1d.addr || st->last_l1d.ready == UINT64_MAX) {
		tlb_use(st, &h->dtlb, &st->last_dpage, addr >> h->dtlb.page_log2);
		struct cache_line *line = cache_find(&h->l1d, number);
		if (line)
			use(st, &st->last_l1d, &h->l1d, line);
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
