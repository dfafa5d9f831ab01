/* Loads and stores: DTLB, L1D, its miss registers and the write buffer. */
#include "core/defs/stats_fields.h"
#include "core/pipe/memory/l1.h"
#include "core/pipe/memory/mshr.h"

/* The cycle from which data at this address is translated. */
static inline uint64_t l1d_translate_address(struct hierarchy *h, uint64_t addr, uint64_t now,
                                             struct access *acc)
{
	struct hierarchy_state *st = h->st;
	enum walk walk = tlb_use(&h->dtlb, &st->last_dpage, &st->clock, addr >> h->dtlb.page_log2,
	                         now, h->tlb_penalty);
	h->stats->dtlb_accesses++;
	if (walk == WALK_NONE)
		return now;
	h->stats->dtlb_misses++;
	h->stats->dtlb_merges += walk == WALK_JOINED;
	acc->tlb_miss = true;
	const uint64_t took = st->last_dpage.ready - now;
	if (took > acc->walk)
		acc->walk = took < UINT16_MAX ? (uint16_t)took : UINT16_MAX;
	return st->last_dpage.ready;
}

/* True if a load of this line (NULL: not resident) is accepted in cycle now. */
static inline bool load_fits(struct hierarchy *h, const struct cache_line *line, uint64_t number,
                             uint64_t now)
{
	if (!line && h->full_until > now)
		return false;
	if (!line && !mshr_available(h->st, h->mshr_limit, now)) {
		h->full_until = mshr_next_free(h->st, now);
		return false;
	}
	if (!line)
		return true;
	if (line->ready <= now)
		return true;
	const struct mshr *m = mshr_find(h->st, number << h->l1d.line_log2, now);
	return !m || m->targets < h->target_limit;
}

static inline void count_miss(struct stats *s, bool load)
{
	s->l1d_misses++;
	s->l1d_read_misses += load;
	s->l1d_write_misses += !load;
}

static __attribute__((noinline)) struct fill l1d_miss(struct hierarchy *h, uint64_t number,
                                                      uint64_t start, uint64_t now, bool load)
{
	struct hierarchy_state *st = h->st;
	count_miss(h->stats, load);
	uint64_t since = mshr_reserve(st, h->mshr_limit, now);
	uint64_t known = l1_max_cycle(start, since) + h->l1d_latency;
	struct fill fill = l2_read(h, number << h->l1d.line_log2, known, now);
	const uint64_t held = h->l2_held, waited = h->l2_waited;
	l1d_install(h, number, fill, known, now, true);
	struct mshr miss = {.line = number << h->l1d.line_log2,
	                    .since = since,
	                    .ready = fill.ready,
	                    .targets = 1};
	miss.level = (uint16_t)fill.level;
	miss.held = held;
	miss.waited = waited;
	miss.bus = fill.bus;
	miss.seq = h->owner_seq;
	miss.pc = h->owner_pc;
	mshr_open(st, &miss, now);
	return fill;
}

/* Accesses one line (NULL: not resident) of an accepted access, from cycle start on, after
 * translation. The line becomes the line used last. */
static inline struct fill l1d_access(struct hierarchy *h, struct cache_line *line, uint64_t number,
                                     uint64_t start, uint64_t now, bool load)
{
	struct hierarchy_state *st = h->st;
	h->stats->l1d_accesses++;
	if (line) {
		uint64_t hit = start + h->l1d_latency;
		use_l1d(h, line);
		if (line->ready <= now)
			return (struct fill){.ready = hit, .level = LEVEL_L1};
		count_miss(h->stats, load);
		h->stats->mshr_merges++;
		struct mshr *m = mshr_find(st, number << h->l1d.line_log2, now);
		if (m && load)
			m->targets++;
		return (struct fill){.ready = l1_max_cycle(line->ready, hit),
		                     .level = level_of(line),
		                     .delayed = true};
	}
	return l1d_miss(h, number, start, now, load);
}

/* An access to a perfect L1D. */
static __attribute__((noinline)) struct access perfect_access(struct hierarchy *h, uint64_t addr,
                                                              unsigned size, uint64_t now)
{
	struct access acc = {.accepted = true, .level = LEVEL_L1};
	const uint64_t last = addr + size - 1;
	uint64_t start = l1d_translate_address(h, addr, now, &acc);
	if (last >> h->dtlb.page_log2 != addr >> h->dtlb.page_log2)
		start = l1_max_cycle(start, l1d_translate_address(h, last, now, &acc));
	h->stats->l1d_accesses += last >> h->l1d.line_log2 == addr >> h->l1d.line_log2 ? 1 : 2;
	acc.ready = start + h->l1d_latency;
	return acc;
}

void hierarchy_refuse_again(struct hierarchy *h, uint64_t registers, uint64_t targets)
{
	h->stats->mshr_full += registers;
	h->stats->line_full += targets;
	h->refused_registers += registers;
	h->refused_targets += targets;
}

/* Refuses a load of this line, which is in flight; NULL: a miss, which would need a register. */
static struct access refuse_load(struct hierarchy *h, const struct cache_line *line)
{
	hierarchy_refuse_again(h, !line, line != NULL);
	return (struct access){.on_way = line != NULL, .ready = line ? line->ready : h->full_until};
}

/* A load from one line or two. */
static __attribute__((noinline)) struct access data_load(struct hierarchy *h, uint64_t addr,
                                                         unsigned size, uint64_t now)
{
	if (h->perfect_l1d)
		return perfect_access(h, addr, size, now);
	uint64_t first = addr >> h->l1d.line_log2, last = (addr + size - 1) >> h->l1d.line_log2;
	struct cache_line *line = cache_find(&h->l1d, first);
	if (!load_fits(h, line, first, now))
		return refuse_load(h, line);
	if (last != first) {
		const struct cache_line *second = cache_find(&h->l1d, last);
		if (!load_fits(h, second, last, now))
			return refuse_load(h, second);
	}
	struct access acc = {.accepted = true};
	uint64_t start = l1d_translate_address(h, addr, now, &acc);
	struct fill fill = l1d_access(h, line, first, start, now, true);
	bool began = fill.level > LEVEL_L1 && !fill.delayed;
	if (last != first) {
		uint64_t page = last << h->l1d.line_log2 >> h->dtlb.page_log2;
		if (page != addr >> h->dtlb.page_log2)
			start = l1d_translate_address(h, page << h->dtlb.page_log2, now, &acc);
		line = cache_find(&h->l1d, last); /* the first fill may have evicted it */
		struct fill second = l1d_access(h, line, last, start, now, true);
		began |= second.level > LEVEL_L1 && !second.delayed;
		if (second.ready > fill.ready)
			fill = second;
	}
	acc.ready = fill.ready;
	acc.level = fill.level;
	acc.bus = fill.bus;
	acc.on_way = fill.delayed && !began;
	return acc;
}

/* True for an access within the line used last, settled: it needs no look-up. */
static inline bool l1d_is_last_line(const struct hierarchy *h, uint64_t addr, unsigned size,
                                    uint64_t now)
{
	const struct last_line *last = &h->st->last_l1d;
	return addr - last->addr <= h->l1d.line_bytes - size && last->ready <= now;
}

/* The line of an access within another settled line and a translated page, which become the most
 * recent; NULL, and nothing changed, for other accesses. */
static inline struct cache_line *near_line(struct hierarchy *h, uint64_t addr, unsigned size,
                                           uint64_t now)
{
	struct hierarchy_state *st = h->st;
	if ((addr & (h->l1d.line_bytes - 1)) > h->l1d.line_bytes - size)
		return NULL;
	struct cache_line *line = cache_find(&h->l1d, addr >> h->l1d.line_log2);
	if (!line || line->ready > now)
		return NULL;
	uint64_t page = addr >> h->dtlb.page_log2;
	if (st->last_dpage.tag != page + 1) {
		struct tlb_entry *e = tlb_find(&h->dtlb, page);
		if (!e || e->ready > now)
			return NULL;
		e->used = ++st->clock;
		st->last_dpage = (struct last_page){page + 1, e->ready};
	} else if (st->last_dpage.ready > now) {
		return NULL;
	}
	use_l1d(h, line);
	return line;
}

static inline struct access l1d_hit(struct hierarchy *h, uint64_t now)
{
	h->stats->l1d_accesses++;
	h->stats->dtlb_accesses++;
	return (struct access){.accepted = true, .level = LEVEL_L1, .ready = now + h->l1d_latency};
}

/* Out of line, so that the most common case saves no registers. */
static __attribute__((noinline)) struct access other_load(struct hierarchy *h, uint64_t addr,
                                                          unsigned size, uint64_t now)
{
	return near_line(h, addr, size, now) ? l1d_hit(h, now) : data_load(h, addr, size, now);
}

/* True if all its bytes are in the write buffer. */
static bool l1d_wbuf_covers_access(const struct hierarchy *h, uint64_t addr, unsigned size,
                                   uint64_t now)
{
	const struct wbuf *w = &h->st->wbuf;
	uint64_t line = addr >> h->l1d.line_log2;
	unsigned offset = (unsigned)addr & (h->l1d.line_bytes - 1),
		 room = h->l1d.line_bytes - offset;
	uint32_t limit = h->wbuf_limit, i = wbuf_find(w, limit, line, now);
	if (i == limit || !wbuf_covers(&w->entry[i], offset, size < room ? size : room))
		return false;
	if (size <= room)
		return true;
	i = wbuf_find(w, limit, line + 1, now);
	return i < limit && wbuf_covers(&w->entry[i], 0, size - room);
}

/* A load from a line of which the write buffer may hold bytes. */
static __attribute__((noinline)) struct access buffered_load(struct hierarchy *h, uint64_t addr,
                                                             unsigned size, uint64_t now)
{
	if (l1d_wbuf_covers_access(h, addr, size, now)) {
		h->stats->wbuf_forwards++;
		return (struct access){
			.accepted = true, .level = LEVEL_BUFFER, .ready = now + h->forward_latency};
	}
	return l1d_is_last_line(h, addr, size, now) ? l1d_hit(h, now)
	                                            : other_load(h, addr, size, now);
}

struct access hierarchy_load(struct hierarchy *h, uint64_t addr, unsigned size, uint64_t now)
{
	if (wbuf_may_hold(&h->st->wbuf, addr >> h->l1d.line_log2, now))
		return buffered_load(h, addr, size, now);
	return l1d_is_last_line(h, addr, size, now) ? l1d_hit(h, now)
	                                            : other_load(h, addr, size, now);
}

/* The miss with which a miss of this line would conflict in cycle now; NULL if none, or if the line
 * is resident. */
static const struct mshr *line_synonym(const struct hierarchy *h, uint64_t number, uint64_t now)
{
	const uint64_t index = (h->synonyms - 1) & ~(uint64_t)(h->l1d.line_bytes - 1),
		       line = number << h->l1d.line_log2;
	if (cache_find(&h->l1d, number))
		return NULL;
	for (uint32_t i = 0; i < h->st->mshr_count; i++) {
		const struct mshr *m = &h->st->mshr[i];
		if (m->since <= now && m->ready > now && m->line != line &&
		    !((m->line ^ line) & index))
			return m;
	}
	return NULL;
}

const struct mshr *hierarchy_synonym(const struct hierarchy *h, uint64_t addr, unsigned size,
                                     uint64_t now)
{
	const uint64_t first = addr >> h->l1d.line_log2,
		       last = (addr + size - 1) >> h->l1d.line_log2;
	if (wbuf_may_hold(&h->st->wbuf, first, now) && l1d_wbuf_covers_access(h, addr, size, now))
		return NULL;
	const struct mshr *m = line_synonym(h, first, now);
	return m || last == first ? m : line_synonym(h, last, now);
}

/* Requests the line of a store from L1D; the write buffer does not hold it. */
static __attribute__((noinline)) struct access other_store(struct hierarchy *h, uint64_t addr,
                                                           unsigned size, uint64_t now)
{
	if (near_line(h, addr, size, now))
		return l1d_hit(h, now);
	if (h->perfect_l1d)
		return perfect_access(h, addr, size, now);
	uint64_t number = addr >> h->l1d.line_log2;
	struct access acc = {.accepted = true};
	uint64_t start = l1d_translate_address(h, addr, now, &acc);
	struct fill fill = l1d_access(h, cache_find(&h->l1d, number), number, start, now, false);
	acc.ready = fill.ready;
	acc.level = fill.level;
	return acc;
}

static inline struct access l1d_store(struct hierarchy *h, uint64_t addr, unsigned size,
                                      uint64_t now)
{
	struct access acc = l1d_is_last_line(h, addr, size, now) ? l1d_hit(h, now)
	                                                         : other_store(h, addr, size, now);
	if (!h->perfect_l1d)
		h->l1d.lines[h->st->last_l1d.index].flags |= CL_DIRTY;
	return acc;
}

/* True if the write buffer holds this line. */
static inline bool l1d_wbuf_holds_line(const struct hierarchy *h, uint64_t line, uint64_t now)
{
	return wbuf_find(&h->st->wbuf, h->wbuf_limit, line, now) < h->wbuf_limit;
}

bool hierarchy_asks_l1d(const struct hierarchy *h, uint64_t addr, unsigned size, uint64_t now,
                        bool store)
{
	if (!store)
		return !l1d_wbuf_covers_access(h, addr, size, now);
	const uint64_t first = addr >> h->l1d.line_log2,
		       last = (addr + size - 1) >> h->l1d.line_log2;
	return !l1d_wbuf_holds_line(h, first, now) || !l1d_wbuf_holds_line(h, last, now);
}

bool hierarchy_port_left(struct hierarchy *h, uint64_t now)
{
	const bool left = !hierarchy_ports_taken(h, now);
	h->stats->port_waits += !left;
	return left;
}

void hierarchy_take_port(struct hierarchy *h, uint64_t now)
{
	if (h->st->port_cycle != now)
		h->st->port_used = 0;
	h->st->port_cycle = now;
	h->st->port_used++;
}

bool hierarchy_store_fits(const struct hierarchy *h, uint64_t addr, unsigned size, uint64_t now)
{
	uint64_t first = addr >> h->l1d.line_log2, last = (addr + size - 1) >> h->l1d.line_log2;
	uint32_t needed = !l1d_wbuf_holds_line(h, first, now);
	if (last != first)
		needed += !l1d_wbuf_holds_line(h, last, now);
	return wbuf_free_count(&h->st->wbuf, h->wbuf_limit, now) >=
	       (needed < h->wbuf_limit ? needed : h->wbuf_limit);
}

/* A store across two lines is two stores that are accepted together. A buffer of a single entry
 * can't hold both: the entry is the first one's, until both lines have arrived. */
static __attribute__((noinline)) struct access store_across(struct hierarchy *h, uint64_t addr,
                                                            unsigned size, uint64_t now)
{
	struct wbuf *w = &h->st->wbuf;
	if (!hierarchy_store_fits(h, addr, size, now))
		return (struct access){0};
	unsigned room = h->l1d.line_bytes - ((unsigned)addr & (h->l1d.line_bytes - 1));
	bool alone = h->wbuf_limit == 1 &&
	             !l1d_wbuf_holds_line(h, (addr + room) >> h->l1d.line_log2, now);
	struct access first = hierarchy_store(h, addr, room, now);
	struct access second = alone ? l1d_store(h, addr + room, size - room, now)
	                             : hierarchy_store(h, addr + room, size - room, now);
	if (second.ready <= first.ready)
		return first;
	if (alone)
		w->until = w->entry[0].until = second.ready;
	return second;
}

struct access hierarchy_store(struct hierarchy *h, uint64_t addr, unsigned size, uint64_t now)
{
	struct wbuf *w = &h->st->wbuf;
	uint64_t line = addr >> h->l1d.line_log2;
	unsigned offset = (unsigned)addr & (h->l1d.line_bytes - 1);
	if (offset + size > h->l1d.line_bytes)
		return store_across(h, addr, size, now);
	uint32_t i = w->last;
	if (w->entry[i].line != line || w->entry[i].until <= now)
		i = wbuf_find(w, h->wbuf_limit, line, now);
	if (i < h->wbuf_limit) {
		h->stats->wbuf_merges++;
		wbuf_hold(&w->entry[i], offset, size);
		hierarchy_note_change(h, addr, size);
		return (struct access){
			.accepted = true, .level = LEVEL_BUFFER, .ready = w->entry[i].until};
	}
	i = wbuf_free(w, h->wbuf_limit, now);
	if (i == h->wbuf_limit)
		return (struct access){0};
	struct access acc = l1d_store(h, addr, size, now);
	wbuf_take(w, h->wbuf_limit, i, line, acc.ready, now);
	wbuf_hold(&w->entry[i], offset, size);
	hierarchy_note_change(h, addr, size);
	return acc;
}

uint16_t hierarchy_l2_waited(const struct hierarchy *h, uint64_t addr, uint64_t now)
{
	const struct mshr *m = mshr_find(h->st, addr >> h->l1d.line_log2 << h->l1d.line_log2, now);
	return !m || !m->waited ? 0 : m->waited < UINT16_MAX ? (uint16_t)m->waited : UINT16_MAX;
}
