/* Views of caches, TLBs, misses and memory, cell by cell, against a plain reading of
 * their state (tests/unit/cells/view_cells.h). */
#include "core/defs/kinds.h"
#include "core/run/run.h"
#include "tests/unit/cells/view_cells.h"

static unsigned strides_read; /* rows of prefetchers' entries that were compared */

/* ---- caches ---- */
static uint64_t line_address(const struct cache *c, const struct cache_line *line)
{
	return (line->tag - 1) << c->line_log2;
}

/* One character: of sets [from, to). */
static const char *map_letter(const struct cache *c, uint32_t from, uint32_t to, uint64_t now,
                              uint64_t clock)
{
	uint32_t valid = 0;
	bool filling = false, recent = false, dirty = false;
	for (uint32_t i = from * c->ways; i < to * c->ways; i++) {
		const struct cache_line *line = &c->lines[i];
		valid += line->tag != 0;
		filling |= line->tag && line->ready > now;
		recent |= line->tag && line->used + 64 > clock;
		dirty |= line->tag && (line->flags & CL_DIRTY);
	}
	return filling                          ? "↓"
	       : recent                         ? "█"
	       : dirty                          ? "▓"
	       : !valid                         ? "·"
	       : valid == (to - from) * c->ways ? "▒"
	                                        : "░";
}

static void memory_cells_check_cache_map(const struct session *s, const char *view,
                                         const struct cache *c)
{
	const uint64_t now = pipe_of(s)->st->cycle, clock = pipe_of(s)->mem.st->clock;
	struct cells cells;
	uint32_t per = 1;
	while (per * 64 * 16 < c->sets)
		per *= 2;
	cells_open(&cells, s, view);
	for (uint32_t first = 0; first < c->sets; first += 64 * per) {
		const uint32_t behind = first + 64 * per < c->sets ? first + 64 * per : c->sets;
		char map[64 * 3 + 1] = "";
		uint32_t valid = 0, dirty = 0;
		const struct cache_line *newest = NULL;
		for (uint32_t set = first; set < behind; set += per)
			strcat(map, map_letter(c, set, set + per, now, clock));
		for (uint32_t i = first * c->ways; i < behind * c->ways; i++) {
			const struct cache_line *line = &c->lines[i];
			valid += line->tag != 0;
			dirty += line->tag && (line->flags & CL_DIRTY);
			if (line->tag && (!newest || line->used >= newest->used))
				newest = line;
		}
		cells_row(&cells);
		says(&cells, "sets", "%u-%u", first, behind - 1);
		says(&cells, "map", "%s", map);
		says_uint(&cells, "valid", valid);
		if (strcmp(view, "l1i") != 0)
			says_uint(&cells, "dirty", dirty);
		if (newest)
			says_addr(&cells, "newest", s, line_address(c, newest));
		else
			says_nothing(&cells, "newest");
	}
	cells_close(&cells);
}

/* The victim way of a full set, from the tables of these policies; LRU: the oldest way. */
static uint32_t memory_cells_next_to_go(const struct session *s, const struct cache *c,
                                        uint32_t set, uint32_t oldest)
{
	const struct config *cfg = pipe_of(s)->cfg;
	const int64_t policies[] = {cfg->l1i_replacement, cfg->l1d_replacement,
	                            cfg->l2_replacement},
		      policy = policies[c->id];
	uint32_t way = 0;
	uint64_t z;
	if (policy == REPLACE_FIFO) {
		for (uint32_t w = 1; w < c->ways; w++)
			if (c->order[set * c->ways + w] < c->order[set * c->ways + way])
				way = w;
		return way;
	}
	if (policy == REPLACE_TREE_PLRU) {
		for (way = 1; way < c->ways;)
			way = 2 * way + (c->order[set] >> way & 1);
		return way - c->ways;
	}
	if (policy != REPLACE_RANDOM)
		return oldest;
	z = *c->order + 0x9e3779b97f4a7c15;
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return (uint32_t)((z ^ (z >> 31)) % c->ways);
}

/* Place of a way in the order of use, and whether it goes next. */
static const char *order_of(const struct session *s, const struct cache *c, uint32_t set,
                            uint32_t way)
{
	const struct cache_line *line = &c->lines[set * c->ways];
	uint32_t newer = 0, valid = 0, oldest = 0;
	char *out = some_text();
	for (uint32_t w = 0; w < c->ways; w++) {
		valid += line[w].tag != 0;
		newer += line[w].tag && line[w].used > line[way].used;
		if (line[w].used < line[oldest].used)
			oldest = w;
	}
	const bool full = valid == c->ways && c->ways > 1;
	snprintf(out, 256, "%u newer", newer);
	if (full && newer + 1 == c->ways)
		strcpy(out, "oldest");
	else if (!newer)
		strcpy(out, "most recent");
	if (full && memory_cells_next_to_go(s, c, set, oldest) == way)
		strcat(out, ": next to go");
	return out;
}

static const char *with_prefetched(const char *state, const struct cache_line *line)
{
	char *out = some_text();
	snprintf(out, 256, "%s%s", state, line->flags & CL_PREFETCHED ? ", prefetched" : "");
	return out;
}

static int64_t memory_cells_policy(const struct session *s, const struct cache *c)
{
	const struct config *cfg = pipe_of(s)->cfg;
	return c->id == CACHE_L1I   ? cfg->l1i_replacement
	       : c->id == CACHE_L1D ? cfg->l1d_replacement
	                            : cfg->l2_replacement;
}

/* The policy's row of a set: the ways by repeated search for the next larger clock. */
static void read_policy(struct cells *cells, const struct session *s, const struct cache *c,
                        uint32_t set)
{
	static const char *const shows[REPLACE_KINDS] = {
		[REPLACE_LRU] = "ways, used longest ago first",
		[REPLACE_FIFO] = "ways, in the order of their fills",
		[REPLACE_RANDOM] = "the generator of all sets",
		[REPLACE_TREE_PLRU] = "tree, 1: the right half goes next"};
	const int64_t policy = memory_cells_policy(s, c);
	const struct cache_line *line = &c->lines[set * c->ways];
	char text[256] = "";
	size_t n = 0;
	uint64_t last = 0;
	if (policy == REPLACE_RANDOM) {
		n += (size_t)snprintf(text, sizeof text, "0x%016" PRIx64, *c->order);
	} else if (policy == REPLACE_TREE_PLRU) {
		for (uint32_t level = 1; level < c->ways; level *= 2) {
			n += (size_t)snprintf(text + n, sizeof text - n, "%s", n ? " " : "");
			for (uint32_t i = level; i < 2 * level; i++)
				text[n++] = c->order[set] & UINT64_C(1) << i ? '1' : '0';
		}
	} else {
		for (bool more = true; more;) {
			uint64_t next = UINT64_MAX;
			uint32_t way = 0;
			for (uint32_t w = 0; w < c->ways; w++) {
				const uint64_t clock = policy == REPLACE_FIFO
				                               ? c->order[set * c->ways + w]
				                               : line[w].used;
				if (line[w].tag && clock > last && clock < next)
					next = clock, way = w;
			}
			more = next != UINT64_MAX;
			if (more)
				n += (size_t)snprintf(text + n, sizeof text - n, "%s%u",
				                      n ? " " : "", way);
			last = next;
		}
	}
	cells_row(cells);
	says(cells, "place", "%s", shows[policy]);
	says(cells, "order", "%s", text);
	static const char *const none[] = {"way", "line", "state", "due", "from"};
	for (unsigned i = 0; i < 5; i++)
		says_nothing(cells, none[i]);
}

/* Entries of the reference prediction table, four words each, of accesses to a set. */
static void read_strides(struct cells *cells, const struct session *s, const struct cache *c,
                         uint32_t set)
{
	static const char *const states[] = {"initial", "transient", "steady", "no prediction"};
	const struct config *cfg = pipe_of(s)->cfg;
	const uint64_t *word = c->prefetcher.table;
	const int64_t entries =
		c->id == CACHE_L1D && cfg->l1d_prefetch == PREFETCH_STRIDE ? cfg->l1d_prefetch_table
		: c->id == CACHE_L2 && cfg->l2_prefetch == PREFETCH_STRIDE ? cfg->l2_prefetch_table
		                                                           : 0;
	for (int64_t i = 0; i < entries; i++, word += 4) {
		if (!word[0] || word[1] / c->line_bytes % c->sets != set)
			continue;
		strides_read++;
		assert_int_equal(cells_row(cells)->pc, word[0]);
		says_hex(cells, "line", word[1]);
		says(cells, "place", "prefetcher: %s", addr_of(s, word[0]));
		says(cells, "state", "%s", states[word[3]]);
		says(cells, "order", "%+" PRId64 " bytes", (int64_t)word[2]);
		static const char *const none[] = {"way", "due", "from"};
		for (unsigned k = 0; k < 3; k++)
			says_nothing(cells, none[k]);
	}
}

static void read_set(const struct session *s, const char *view, const struct cache *c, uint32_t set,
                     const char *behind)
{
	const struct cache_line *line = &c->lines[set * c->ways];
	const uint64_t now = pipe_of(s)->st->cycle;
	struct cells cells;
	char words[32];
	snprintf(words, sizeof words, "%s %u", view, set);
	cells_open(&cells, s, words);
	for (uint32_t way = 0; way < c->ways; way++, line++) {
		const bool valid = line->tag, coming = line->ready > now,
			   dirty = line->flags & CL_DIRTY;
		const uint64_t addr = line_address(c, line);
		cells_row(&cells);
		says_uint(&cells, "way", way);
		if (!valid) {
			static const char *const empty[] = {"line", "place", "due", "from",
			                                    "order"};
			for (unsigned i = 0; i < 5; i++)
				says_nothing(&cells, empty[i]);
			says(&cells, "state", "empty");
			continue;
		}
		assert_int_equal(addr / c->line_bytes % c->sets, set);
		says_hex(&cells, "line", addr);
		says(&cells, "place", "%s", place_of(s, addr));
		says(&cells, "state", "%s",
		     with_prefetched(!coming ? dirty ? "dirty" : "clean"
		                     : dirty ? "on its way, dirty"
		                             : "on its way",
		                     line));
		says_due(&cells, "due", now, coming ? line->ready : NO_CYCLE);
		says(&cells, "from", "%s", line->flags & CL_FROM_MEMORY ? "memory" : behind);
		says(&cells, "order", "%s", order_of(s, c, set, way));
	}
	read_policy(&cells, s, c, set);
	read_strides(&cells, s, c, set);
	cells_close(&cells);
}

static void read_caches(const struct session *s, uint32_t from)
{
	const struct hierarchy *h = &pipe_of(s)->mem;
	const struct cache *const caches[] = {&h->l1i, &h->l1d, &h->l2};
	static const char *const names[] = {"l1i", "l1d", "l2"}, *const behind[] = {"L2", "L2",
	                                                                            "L1D"};
	for (unsigned i = 0; i < 3; i++) {
		const struct cache *c = caches[i];
		unsigned read = 0;
		memory_cells_check_cache_map(s, names[i], c);
		/* Non-empty sets, and always the last set. */
		for (uint32_t set = from % c->sets; set < c->sets && read < 12; set++) {
			bool any = set + 1 == c->sets;
			for (uint32_t way = 0; way < c->ways; way++)
				any |= c->lines[set * c->ways + way].tag != 0;
			if (any)
				read_set(s, names[i], c, set, behind[i]);
			read += any;
		}
	}
}

static double percent_of(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

/* With `addr`, of the sets in which its page would lie. */
static void memory_cells_read_tlb(const struct session *s, const uint64_t *addr)
{
	const struct tlb *const tlbs[] = {&pipe_of(s)->mem.itlb, &pipe_of(s)->mem.dtlb};
	const struct stats *st = machine_stats(s->machine);
	const uint64_t now = pipe_of(s)->st->cycle;
	uint32_t entries[2] = {0, 0};
	char words[32] = "tlb";
	struct cells c;
	if (addr)
		snprintf(words, sizeof words, "tlb 0x%" PRIx64, *addr);
	cells_open(&c, s, words);
	for (unsigned k = 0; k < 2; k++)
		for (uint32_t i = 0; i < tlbs[k]->sets * tlbs[k]->ways; i++) {
			const struct tlb *t = tlbs[k];
			const struct tlb_entry *e = &t->entries[i], *first = e - i % t->ways;
			const uint64_t page = (e->tag - 1) << t->page_log2;
			uint32_t newer = 0, valid = 0;
			if (!e->tag)
				continue;
			entries[k]++;
			if (addr && (*addr >> t->page_log2) % t->sets != i / t->ways)
				continue;
			for (uint32_t w = 0; w < t->ways; w++) {
				valid += first[w].tag != 0;
				newer += first[w].tag && first[w].used > e->used;
			}
			cells_row(&c);
			says(&c, "tlb", k ? "data" : "code");
			says_uint(&c, "set", i / t->ways);
			says_uint(&c, "way", i % t->ways);
			says_hex(&c, "page", page);
			says(&c, "place", "%s", place_of(s, page));
			if (newer && !(valid == t->ways && newer + 1 == valid))
				says(&c, "order", "%u newer", newer);
			else
				says(&c, "order", newer ? "oldest: next to go" : "most recent");
			says_due(&c, "walk", now, e->ready > now ? e->ready : NO_CYCLE);
		}
	says_summary(&c, "code %u/%u, %.2f%% misses of %s; data %u/%u, %.2f%% misses of %s",
	             entries[0], tlbs[0]->sets * tlbs[0]->ways,
	             percent_of(st->itlb_misses, st->itlb_accesses), grouped(st->itlb_accesses),
	             entries[1], tlbs[1]->sets * tlbs[1]->ways,
	             percent_of(st->dtlb_misses, st->dtlb_accesses), grouped(st->dtlb_accesses));
	cells_close(&c);
}

static void memory_cells_check_tlb(const struct session *s)
{
	memory_cells_read_tlb(s, NULL);
	memory_cells_read_tlb(s, &(uint64_t){machine_reg(s->machine, REG_SP)});
}

/* ---- misses under way ---- */
static void read_mshr(const struct session *s)
{
	const struct hierarchy *h = &pipe_of(s)->mem;
	const uint64_t now = pipe_of(s)->st->cycle;
	const struct stats *st = machine_stats(s->machine);
	unsigned misses = 0, writes = 0;
	struct cells c;
	cells_open(&c, s, "mshr");
	for (uint32_t i = 0; i < h->st->mshr_count; i++) {
		const struct mshr *m = &h->st->mshr[i];
		if (m->ready <= now)
			continue;
		cells_row(&c);
		misses += m->since <= now;
		says(&c, "what", "miss");
		says_hex(&c, "address", m->line);
		says(&c, "place", "%s", place_of(s, m->line));
		if (m->since > now)
			says(&c, "state", "waits for a register");
		else if (m->held > now)
			says(&c, "state", "waits for L2");
		else
			says(&c, "state", "from %s", served_by(m->level));
		says_due(&c, "due", now, m->ready);
		says_since(&c, "since", now, m->since > now ? NO_CYCLE : m->since);
		says_uint(&c, "targets", m->targets);
	}
	for (uint32_t i = 0; i < h->wbuf_limit; i++) {
		const struct wbuf_entry *e = &h->st->wbuf.entry[i];
		unsigned bytes = 0;
		for (unsigned b = 0; b < WBUF_LINE_MAX; b++)
			bytes += (unsigned)(e->bytes[b / 64] >> b % 64 & 1);
		if (e->until <= now)
			continue;
		cells_row(&c);
		writes++;
		says(&c, "what", "write %u", i);
		says_hex(&c, "address", e->line * h->l1d.line_bytes);
		says(&c, "place", "%s", place_of(s, e->line * h->l1d.line_bytes));
		says(&c, "state", "%u bytes for L1D", bytes);
		says_due(&c, "due", now, e->until);
		says_nothing(&c, "since");
		says_nothing(&c, "targets");
	}
	for (uint32_t i = 0; i < h->st->bus_count; i++) {
		const struct bus_booking *b = &h->st->bus[i];
		if (b->until <= now)
			continue;
		cells_row(&c);
		says(&c, "what", "bus");
		says_nothing(&c, "address");
		says_nothing(&c, "place");
		if (b->from > now)
			says(&c, "state", "booked from %s", grouped(b->from));
		else
			says(&c, "state", "transfers");
		says_due(&c, "due", now, b->until);
		says_since(&c, "since", now, b->from > now ? NO_CYCLE : b->from);
		says_nothing(&c, "targets");
	}
	for (uint32_t i = 0; i < h->l2_mshrs; i++) {
		const struct l2_miss *m = &h->l2_limits->miss[i];
		if (m->until <= now)
			continue;
		cells_row(&c);
		says(&c, "what", "L2 miss %u", i);
		says_hex(&c, "address", m->line);
		says(&c, "place", "%s", place_of(s, m->line));
		says(&c, "state", m->since > now ? "has the register next" : "from memory");
		says_due(&c, "due", now, m->until);
		says_since(&c, "since", now, m->since > now ? NO_CYCLE : m->since);
		says_nothing(&c, "targets");
	}
	char *head = some_text(), *tail = some_text();
	snprintf(head, 256, "misses %u/%u, writes %u/%u", misses, h->mshr_limit, writes,
	         h->wbuf_limit);
	snprintf(tail, 256, "; bus busy %.1f%% (%s cycles)",
	         percent_of(st->bus_busy, st->cycles), grouped(st->bus_busy));
	const size_t at = strlen(c.g.summary) - strlen(tail);
	if (strncmp(c.g.summary, head, strlen(head)) != 0 || strcmp(c.g.summary + at, tail) != 0)
		fail_msg("view mshr: '%s', expected '%s...%s'", c.g.summary, head, tail);
	cells_close(&c);
}

/* ---- contents ---- */
static void read_mem(const struct session *s, const char *words, uint64_t at, unsigned rows)
{
	const struct pipe *p = pipe_of(s);
	struct cells c;
	cells_open(&c, s, words);
	for (unsigned row = 0; row < rows; row++, at += 16) {
		static const char *const column[] = {"b0", "b4", "b8", "b12"};
		uint8_t b[16];
		const bool there = machine_peek(s->machine, at, b, sizeof b);
		char text[17] = "", stores[300] = "";
		for (unsigned i = 0; there && i < 16; i++)
			text[i] = b[i] < ' ' || b[i] > '~' ? '.' : (char)b[i];
		for (uint32_t i = 0; i < p->st->lsq_count; i++) {
			const struct uop *u = pipe_lsq_at(p, i);
			if (u->inst.klass == CLASS_STORE && (u->flags & UF_ADDR_KNOWN) &&
			    u->exec.addr < at + 16 && u->exec.addr + u->exec.size > at)
				snprintf(stores + strlen(stores), sizeof stores - strlen(stores),
				         "%s%s", *stores ? ", " : "", number_of(p, u));
		}
		cells_row(&c);
		says_hex(&c, "address", at);
		for (unsigned w = 0; w < 4; w++)
			if (there)
				says(&c, column[w], "%02x %02x %02x %02x", b[4 * w], b[4 * w + 1],
				     b[4 * w + 2], b[4 * w + 3]);
			else
				says(&c, column[w], "-- -- -- --");
		text[16] = '\0';
		says(&c, "text", "%s", there ? text : "");
		says(&c, "place", "%s", there ? place_of(s, at) : "not mapped");
		says(&c, "pending", "%s", stores);
	}
	cells_close(&c);
}

static void memory_cells_check_mem_views(const struct session *s)
{
	const struct pipe *p = pipe_of(s);
	uint64_t at = program_symbol_by_name(s->program, "nodes")->addr;
	read_mem(s, "mem nodes 32", at & ~UINT64_C(15), at % 16 ? 3 : 2);
	read_mem(s, "mem 0x10 16", 0x10, 1);
	at = machine_reg(s->machine, REG_SP);
	read_mem(s, "mem sp 16", at & ~UINT64_C(15), at % 16 ? 2 : 1);
	/* `view mem` without arguments begins at the oldest access of the window. */
	for (uint32_t i = 0; i < p->st->lsq_count; i++)
		if (pipe_lsq_at(p, i)->flags & UF_ADDR_KNOWN) {
			at = pipe_lsq_at(p, i)->exec.addr;
			read_mem(s, "mem", at & ~UINT64_C(15), at % 16 ? 17 : 16);
			break;
		}
}

/* The first cycle after the present in which something ends or begins that `view tlb` and `view
 * mshr` show; NO_CYCLE if nothing is under way. */
static uint64_t next_edge(const struct session *s)
{
	const struct hierarchy *h = &pipe_of(s)->mem;
	const uint64_t now = pipe_of(s)->st->cycle;
	uint64_t first = NO_CYCLE;
#define EDGE(cycle) first = (cycle) > now && (cycle) < first ? (cycle) : first
	for (uint32_t i = 0; i < h->itlb.sets * h->itlb.ways; i++)
		EDGE(h->itlb.entries[i].ready);
	for (uint32_t i = 0; i < h->dtlb.sets * h->dtlb.ways; i++)
		EDGE(h->dtlb.entries[i].ready);
	for (uint32_t i = 0; i < h->st->mshr_count; i++) {
		EDGE(h->st->mshr[i].since);
		EDGE(h->st->mshr[i].held);
		EDGE(h->st->mshr[i].ready);
	}
	for (uint32_t i = 0; i < h->wbuf_limit; i++)
		EDGE(h->st->wbuf.entry[i].until);
	for (uint32_t i = 0; i < h->st->bus_count; i++) {
		EDGE(h->st->bus[i].from);
		EDGE(h->st->bus[i].until);
	}
	for (uint32_t i = 0; i < h->l2_mshrs; i++) {
		EDGE(h->l2_limits->miss[i].since);
		EDGE(h->l2_limits->miss[i].until);
	}
#undef EDGE
	return first;
}

TEST(memory_is_shown_as_it_is)
{
	static const char *const settings[] = {
		NULL,
		"l1d.size=1K;l1d.ways=4;l1d.replacement=fifo;l1i.size=1K;l1i.ways=4;"
		"l1i.replacement=tree-plru;l2.size=4K;l2.replacement=random",
		"l1d.size=1K;l1d.mshrs=2;l2.size=16K;dtlb.ways=2;dtlb.sets=2;l1d.write_"
	              "buffer=4;tlb.penalty=40;l1d.ports=1;l2.ports=1;l2.mshrs=3;l1d.prefetch=stride;"
		"l1i.prefetch=next-line;l2.prefetch=stride"};
	for (unsigned k = 0; k < 3; k++) {
		struct session *s = open_program("tests/golden/guest.elf", settings[k]);
		run_for(s, 100);
		read_caches(s, 0); /* the first lines of code are on their way */
		for (unsigned i = 0; i < 70; i++) {
			run_for(s, 37 + i);
			memory_cells_check_tlb(s);
			read_mshr(s);
			/* Checks the very cycle of an edge, too, since views were once a cycle
			 * late. */
			for (unsigned edge = 0; edge < 3 && next_edge(s) != NO_CYCLE; edge++) {
				run_for(s, next_edge(s) - pipe_of(s)->st->cycle);
				memory_cells_check_tlb(s);
				read_mshr(s);
			}
			memory_cells_check_mem_views(s);
			if (i % 8 == 7)
				read_caches(s, i * 3);
		}
		session_free(s);
	}
	assert_true(strides_read > 10);
}

TEST(memory_cells_are_complete)
{
	views_are_complete("memory");
}
