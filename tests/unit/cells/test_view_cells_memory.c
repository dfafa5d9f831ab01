/* What views of memory, code and the session show, cell by cell, against a plain reading
 * (tests/unit/cells/view_cells.h). */
#include "core/defs/devices.h"
#include "core/pipe/xprof/xprof.h"
#include "tests/unit/cells/view_cells.h"

#include "core/run/run.h"
#include "loader/edit/moved_code.h"
#include "loader/instrument/instrument.h"
#include "loader/profile_code.h"

static const struct pipe *pipe_of(const struct session *s)
{
	return machine_pipe(s->machine);
}

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

static void read_map(const struct session *s, const char *view, const struct cache *c)
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
		says_uint(&cells, "dirty", dirty);
		if (newest)
			says_addr(&cells, "newest", s, line_address(c, newest));
		else
			says_nothing(&cells, "newest");
	}
	cells_close(&cells);
}

/* Place of a way in the order of use; of a set, the k-th way is at line[k]. */
static const char *order_of(const struct cache_line *line, uint32_t ways, uint32_t way)
{
	uint32_t newer = 0, valid = 0;
	char *out = some_text();
	for (uint32_t w = 0; w < ways; w++) {
		valid += line[w].tag != 0;
		newer += line[w].tag && line[w].used > line[way].used;
	}
	snprintf(out, 256, "%u newer", newer);
	return valid == ways && ways > 1 && newer + 1 == ways ? "oldest: next to go"
	       : !newer                                       ? "most recent"
	                                                      : out;
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
		     !coming ? dirty ? "dirty" : "clean"
		     : dirty ? "on its way, dirty"
		             : "on its way");
		says_due(&cells, "due", now, coming ? line->ready : NO_CYCLE);
		says(&cells, "from", "%s", line->flags & CL_FROM_MEMORY ? "memory" : behind);
		says(&cells, "order", "%s", order_of(line - way, c->ways, way));
	}
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
		read_map(s, names[i], c);
		/* Sets that hold something, and the last of them in any case. */
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

static void read_tlb(const struct session *s)
{
	const struct tlb *const tlbs[] = {&pipe_of(s)->mem.itlb, &pipe_of(s)->mem.dtlb};
	const uint64_t now = pipe_of(s)->st->cycle;
	struct cells c;
	cells_open(&c, s, "tlb");
	for (unsigned k = 0; k < 2; k++)
		for (uint32_t i = 0; i < tlbs[k]->sets * tlbs[k]->ways; i++) {
			const struct tlb *t = tlbs[k];
			const struct tlb_entry *e = &t->entries[i], *first = e - i % t->ways;
			const uint64_t page = (e->tag - 1) << t->page_log2;
			uint32_t newer = 0, valid = 0;
			if (!e->tag)
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
	cells_close(&c);
}

/* ---- on its way ---- */
static void read_mshr(const struct session *s)
{
	const struct hierarchy *h = &pipe_of(s)->mem;
	const uint64_t now = pipe_of(s)->st->cycle;
	struct cells c;
	cells_open(&c, s, "mshr");
	for (uint32_t i = 0; i < h->st->mshr_count; i++) {
		const struct mshr *m = &h->st->mshr[i];
		if (m->ready <= now)
			continue;
		cells_row(&c);
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

static void read_memory(const struct session *s)
{
	const struct pipe *p = pipe_of(s);
	uint64_t at = program_symbol_by_name(s->program, "nodes")->addr;
	read_mem(s, "mem nodes 32", at & ~UINT64_C(15), at % 16 ? 3 : 2);
	read_mem(s, "mem 0x10 16", 0x10, 1);
	at = machine_reg(s->machine, REG_SP);
	read_mem(s, "mem sp 16", at & ~UINT64_C(15), at % 16 ? 2 : 1);
	/* Without words, where the oldest access of the window is. */
	for (uint32_t i = 0; i < p->st->lsq_count; i++)
		if (pipe_lsq_at(p, i)->flags & UF_ADDR_KNOWN) {
			at = pipe_lsq_at(p, i)->exec.addr;
			read_mem(s, "mem", at & ~UINT64_C(15), at % 16 ? 17 : 16);
			break;
		}
}

static bool peek_committed(const void *ctx, uint64_t addr, void *buf, size_t n)
{
	return machine_peek(ctx, addr, buf, n);
}

/* As the unwinder has them (tests/unit/loader/test_unwind.c). */
static size_t frames_at(const struct session *s, struct frame *out, size_t max)
{
	uint64_t r[32];
	for (unsigned i = 0; i < 32; i++)
		r[i] = pipe_of(s)->st->creg[i];
	return program_backtrace_in(
		s->program,
		&(struct frame_memory){machine_mem_const(s->machine), peek_committed, s->machine},
		r, machine_pc(s->machine), out, max);
}

static const char *base_name(const char *path)
{
	return strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
}

static void read_stack(const struct session *s)
{
	struct frame f[64];
	struct cells c;
	const size_t n = frames_at(s, f, 64);
	const uint64_t sp = machine_reg(s->machine, REG_SP);
	size_t told = SIZE_MAX;
	uint64_t value;
	cells_open(&c, s, "stack 20");
	for (uint64_t at = sp & ~UINT64_C(7), row = 0; row < 20; row++, at += 8) {
		size_t k = 0;
		if (!machine_peek(s->machine, at, &value, sizeof value))
			continue;
		while (k < n && at >= f[k].cfa)
			k++;
		cells_row(&c);
		if (at == sp)
			says(&c, "offset", "sp");
		else
			says(&c, "offset", "sp%+lld", (long long)(at - sp));
		says_hex(&c, "value", value);
		const char *place = place_of(s, value);
		if (k + 1 < n && value == f[k + 1].pc)
			says(&c, "meaning", "returns to %s", place);
		else if (*place || (int64_t)value <= -100000 || (int64_t)value >= 100000000)
			says(&c, "meaning", "%s", place);
		else
			says(&c, "meaning", "%lld", (long long)value);
		if (k < n && k != told)
			says(&c, "frame", "#%zu %s", k, addr_of(s, f[k].pc));
		else
			says_nothing(&c, "frame");
		told = k;
		says_hex(&c, "address", at);
	}
	cells_close(&c);
}

static void read_backtrace(const struct session *s)
{
	struct frame f[64];
	struct source_line at;
	struct cells c;
	const size_t n = frames_at(s, f, 64);
	cells_open(&c, s, "backtrace");
	for (size_t i = 0; i < n; i++) {
		const uint64_t call = f[i].pc - (i != 0),
			       below = i ? f[i - 1].cfa : machine_reg(s->machine, REG_SP);
		const struct symbol *in = program_symbol_at(s->program, call);
		assert_int_equal(cells_row(&c)->pc, f[i].pc);
		says(&c, "mark", "%s", i ? "" : "▶");
		says_word(&c, "frame", RAW_UINT, i, "#%zu", i);
		assert_non_null(in);
		if (f[i].pc == in->addr)
			says_word(&c, "place", RAW_HEX, f[i].pc, "%s", in->name);
		else
			says_word(&c, "place", RAW_HEX, f[i].pc, "%s+0x%llx", in->name,
			          (ull)(f[i].pc - in->addr));
		if (program_line_at(s->program, call, &at) && at.line)
			says(&c, "source", "%s:%u", base_name(at.file), at.line);
		else
			says_nothing(&c, "source");
		if (f[i].cfa >= below)
			says_uint(&c, "bytes", f[i].cfa - below);
		else
			says_nothing(&c, "bytes");
		says_hex(&c, "cfa", f[i].cfa);
		says_hex(&c, "pc", f[i].pc);
	}
	cells_close(&c);
}

/* ---- code ---- */
/* In flight at [lo, hi), the window first; how many, the oldest in *first. */
static unsigned in_flight(const struct session *s, uint64_t lo, uint64_t hi,
                          const struct uop **first, char *text, size_t size)
{
	const struct pipe *p = pipe_of(s);
	unsigned n = 0;
	*first = NULL;
	*text = '\0';
	for (uint32_t i = 0; i < p->st->rob_count + p->st->fetchq_count; i++) {
		const struct uop *u = i < p->st->rob_count
		                              ? pipe_rob_at(p, i)
		                              : pipe_fetchq_at(p, i - p->st->rob_count);
		if (u->pc < lo || u->pc >= hi)
			continue;
		*first = n++ ? *first : u;
		snprintf(text + strlen(text), size - strlen(text), "%s%s %s", n > 1 ? ", " : "",
		         number_of(p, u), phase_of(u));
	}
	return n;
}

static bool breaks_at(const struct session *s, uint64_t pc)
{
	const struct stop_point *sp;
	for (unsigned i = 0; (sp = run_stop_at(s->run, i)); i++)
		if (sp->kind == STOP_POINT_PC && sp->enabled && sp->addr == pc)
			return true;
	return false;
}

/* Of plain code, from a symbol on; profiled: a profile was taken, in whose events each instruction
 * was so often executed. */
static void read_disasm(const struct session *s, const char *function, unsigned rows)
{
	struct cells c;
	char words[64], flight[4000], text[128];
	struct source_line at, last = {NULL, 0};
	const struct uop *oldest;
	uint64_t pc = program_symbol_by_name(s->program, function)->addr;
	snprintf(words, sizeof words, "disasm %s %u", function, rows);
	cells_open(&c, s, words);
	for (unsigned i = 0; i < rows; i++) {
		uint32_t raw = 0;
		struct inst in;
		machine_peek(s->machine, pc, &raw, 4);
		raw &= (raw & 3) == 3 ? UINT32_MAX : 0xffff;
		inst_decode(raw, &in);
		const unsigned n = in_flight(s, pc, pc + 1, &oldest, flight, sizeof flight);
		const struct grid_row *row = cells_row(&c);
		assert_int_equal(row->pc, pc);
		assert_int_equal(row->seq, oldest ? oldest->seq : 0);
		says(&c, "mark", "%s%s", breaks_at(s, pc) ? "●" : "",
		     pc == machine_pc(s->machine)     ? "▶"
		     : pc == pipe_of(s)->st->fetch_pc ? "F"
		                                      : "");
		says_addr(&c, "place", s, pc);
		assembly(s, &in, pc, text);
		says(&c, "instruction", "%s", text);
		if (n < 4) /* of more it says how many */
			says(&c, "in_flight", "%s", flight);
		else
			assert_true(!strncmp(cells_at(&c, "in_flight")->text, flight, 40));
		if (program_line_at(s->program, pc, &at) && at.line &&
		    (at.line != last.line || at.file != last.file)) {
			says(&c, "source", "%s:%u", base_name(at.file), at.line);
			last = at;
		} else {
			says_nothing(&c, "source");
		}
		says_hex(&c, "address", pc);
		says(&c, "bytes", "%0*x", 2 * in.len, raw);
		pc += in.len;
	}
	cells_close(&c);
}

/* Expands tabs to every fourth place. */
static const char *expanded(const char *text)
{
	char *out = some_text(), *at = out;
	for (; text && *text; text++)
		if (*text != '\t')
			*at++ = *text;
		else
			do
				*at++ = ' ';
			while ((at - out) % 4);
	*at = '\0';
	return out;
}

static void read_source(const struct session *s)
{
	const struct pipe *p = pipe_of(s);
	const struct profile_code *profiled = program_profile_code(s->program);
	struct source_line here, at;
	struct cells c;
	if (!program_line_at(s->program, machine_pc(s->machine), &here))
		return;
	uint16_t late, known = xprof_known(p, &late);
	cells_open(&c, s, "source");
	unsigned line = (unsigned)c.g.rows[0].cells[1].raw.u;
	assert_true(c.g.row_count == 20 && line <= here.line && line + 20 > here.line);
	for (unsigned row = 0; row < 20; row++, line++) {
		const struct uop *oldest = NULL;
		unsigned n = 0, of_profile = 0, off = 0;
		bool stop = false;
		const struct stop_point *sp;
		for (uint32_t i = 0; i < p->st->rob_count + p->st->fetchq_count; i++) {
			const struct uop *u = i < p->st->rob_count
			                              ? pipe_rob_at(p, i)
			                              : pipe_fetchq_at(p, i - p->st->rob_count);
			if (!program_line_at(s->program, u->pc, &at) || at.line != line ||
			    strcmp(at.file, here.file) != 0)
				continue;
			oldest = n++ ? oldest : u;
		}
		for (unsigned i = 0; (sp = run_stop_at(s->run, i)); i++)
			stop |= sp->kind == STOP_POINT_PC &&
			        program_line_at(s->program, sp->addr, &at) && at.line == line;
		for (size_t i = 0; i < profiled->count; i++) {
			uint32_t raw;
			struct inst pi;
			if (!program_line_at(s->program, profiled->at[i], &at) || at.line != line ||
			    !machine_peek(s->machine, profiled->at[i], &raw, 4))
				continue;
			inst_decode((raw & 3) == 3 ? raw : raw & 0xffff, &pi);
			if (pi.op != OP_PI)
				continue;
			of_profile++;
			off += !((known | late) >> pi.imm & 1);
		}
		assert_int_equal(cells_row(&c)->seq, oldest ? oldest->seq : 0);
		says(&c, "mark", "%s%s", stop ? "●" : "",
		     line == here.line                 ? "▶"
		     : of_profile && off == of_profile ? "-"
		                                       : "");
		says_word(&c, "line", RAW_UINT, line, "%u", line);
		says(&c, "text", "%s",
		     expanded(program_source_text(s->program, here.file, line, NULL)));
		if (n)
			says_uint(&c, "in_flight", n);
		else
			says_nothing(&c, "in_flight");
		if (oldest)
			says(&c, "oldest", "%s %s", number_of(p, oldest), phase_of(oldest));
		else
			says_nothing(&c, "oldest");
		if (of_profile)
			says_word(&c, "profile", RAW_UINT, of_profile,
			          off == of_profile ? "- %u" : "%u", of_profile);
		else
			says_nothing(&c, "profile");
	}
	cells_close(&c);
}

static void go_into(struct session *s, const char *function)
{
	const struct symbol *f = program_symbol_by_name(s->program, function);
	assert_non_null(f);
	while (machine_status(s->machine) == MACHINE_RUNNING &&
	       machine_pc(s->machine) - f->addr >= f->size)
		run_for(s, 20);
}

static void memory_is_shown_as_it_is(void **state)
{
	(void)state;
	static const char *const settings[] = {
		NULL, "l1d.size=1K;l1d.mshrs=2;l2.size=16K;dtlb.ways=2;dtlb.sets=2;l1d.write_"
	              "buffer=4;tlb.penalty=40;l1d.ports=1;l2.ports=1;l2.mshrs=3"};
	for (unsigned k = 0; k < 2; k++) {
		struct session *s = open_program("tests/golden/guest.elf", settings[k]);
		run_for(s, 100);
		read_caches(s, 0); /* the first lines of code are on their way */
		for (unsigned i = 0; i < 70; i++) {
			run_for(s, 37 + i);
			read_tlb(s);
			read_mshr(s);
			read_memory(s);
			if (i % 8 == 7)
				read_caches(s, i * 3);
		}
		session_free(s);
	}
}

static void code_is_shown_as_it_is(void **state)
{
	(void)state;
	struct session *s = open_program("tests/golden/guest.elf", NULL);
	static const char *const functions[] = {"link_nodes", "walk", "depth", "sum_series",
	                                        "main"};
	struct stop_point stop = {.kind = STOP_POINT_PC,
	                          .addr = program_symbol_by_name(s->program, "depth")->addr,
	                          .enabled = true,
	                          .text = "depth"};
	assert_true(run_add_stop(s->run, &stop) > 0);
	for (unsigned k = 0; k < 5; k++) {
		go_into(s, functions[k]);
		for (unsigned i = 0; i < 12; i++) {
			run_for(s, 11 + 2 * i);
			for (unsigned f = 0; f < 5; f++)
				read_disasm(s, functions[f], 10);
			read_source(s);
			read_stack(s);
			read_backtrace(s);
		}
	}
	session_free(s);
	s = open_program("tests/golden/profile.elf", NULL);
	for (unsigned i = 0; i < 40 && machine_status(s->machine) == MACHINE_RUNNING; i++) {
		run_for(s, 29);
		read_source(s);
	}
	session_free(s);
}

/* ---- programs that were laid out again ---- */
static void code_says_where_it_was(void **state)
{
	(void)state;
	struct err err;
	struct instrument_options o = {.count = 0};
	struct session_options opt = {.launch = {.path = "build/tests/cmd/contexts",
	                                         .stdin_fd = -1,
	                                         .output = swallow_output,
	                                         .edit = instrument_edit,
	                                         .edit_ctx = &o},
	                              .history = {.history = true}};
	config_default(&opt.cfg);
	assert_true(instrument_add(&o, "bb", &err));
	struct session *s = session_open(&opt, &err);
	if (!s)
		fail_msg("%s", err.msg);
	struct moved_code m;
	struct cells c;
	unsigned moved = 0, put_in = 0;
	assert_true(program_moved_code(s->program, &m));
	run_for(s, 400);
	cells_open(&c, s, "disasm work 40");
	while (c.rows < c.g.row_count) {
		const uint64_t pc = cells_row(&c)->pc;
		uint64_t was = 0;
		for (uint64_t i = 0; i < m.count; i++)
			was = m.text + m.pairs[2 * i] == pc ? m.pairs[2 * i + 1] : was;
		if (was)
			says_hex(&c, "was", was);
		else
			says(&c, "was", "+ bb");
		moved += was != 0;
		put_in += was == 0;
		c.said = UINT64_MAX; /* the rest is that of other programs */
	}
	assert_true(moved > 10 && put_in > 2);
	cells_close(&c);
	session_free(s);
}

/* ---- what the session has ---- */
static const struct session_variable variables[] = {
	{.name = "n", .text = "7", .parameter = true, .coming = "8"},
	{.name = "sum", .text = "0.5", .inlined = "add"},
	{.name = "n", .text = "1", .hidden = true},
};
static uint64_t variable_writer;

static bool tell_variables(void *ctx, session_variable_fn *fn, void *to)
{
	(void)ctx;
	for (unsigned i = 0; i < 3; i++) {
		struct session_variable v = variables[i];
		v.writer = i ? 0 : variable_writer;
		fn(to, &v);
	}
	return true;
}

static void tell_displays(void *ctx, session_display_fn *fn, void *to)
{
	(void)ctx;
	fn(to, 2, "a0", "17", false);
	fn(to, 5, "view rob", "one\ntwo", false);
	fn(to, 6, "nonsense", "no such thing", true);
}

static void variables_and_displays_are_those_told(void **state)
{
	(void)state;
	struct session *s = open_program("tests/golden/guest.elf", NULL);
	const struct pipe *p = pipe_of(s);
	struct cells c;
	run_for(s, 2000);
	assert_true(p->st->rob_count > 3);
	const struct uop *u = pipe_rob_at(p, 3);
	variable_writer = u->seq;
	s->variables = tell_variables;
	s->displays = tell_displays;
	cells_open(&c, s, "locals");
	for (unsigned i = 0; i < 3; i++) {
		const struct session_variable *v = &variables[i];
		assert_int_equal(cells_row(&c)->seq, i ? 0 : u->seq);
		says(&c, "kind", "%s", v->parameter ? "arg" : v->hidden ? "outer" : "");
		says(&c, "name", "%s", v->name);
		says(&c, "value", "%s", v->text);
		says(&c, "coming", "%s", v->coming ? v->coming : "");
		if (i)
			says_nothing(&c, "writer");
		else
			says(&c, "writer", "%s %s, %s", number_of(p, u),
			     op_info[u->inst.op].mnemonic, phase_of(u));
		says(&c, "inlined", "%s", v->inlined ? v->inlined : "");
	}
	cells_close(&c);
	static const struct {
		unsigned number;
		const char *what, *value;
	} rows[] = {{2, "a0", "17"},
	            {5, "view rob", "one"},
	            {0, "", "two"},
	            {6, "nonsense", "no such thing"}};
	cells_open(&c, s, "displays");
	for (unsigned i = 0; i < 4; i++) {
		cells_row(&c);
		if (rows[i].number)
			says_uint(&c, "number", rows[i].number);
		else
			says_nothing(&c, "number");
		says(&c, "what", "%s", rows[i].what);
		says(&c, "value", "%s", rows[i].value);
	}
	cells_close(&c);
	session_free(s);
}

/* The program of tests/cmd/turns.c: two streams by turns, and parts of lines. */
static void output_is_what_was_written(void **state)
{
	(void)state;
	static const char *const lines[][2] = {{"", "one"},     {"err", "two"},  {"", "three "},
	                                       {"err", "four"}, {"err", "five"}, {"", "six"},
	                                       {"", "seven"},   {"err", "eight"}};
	struct session *s = open_program("build/tests/cmd/turns", NULL);
	struct cells c;
	cells_open(&c, s, "output");
	cells_close(&c);
	run_for(s, UINT64_C(1) << 40);
	for (unsigned k = 0; k < 2; k++) {
		const unsigned most = k ? 3 : 8;
		cells_open(&c, s, k ? "output 3" : "output");
		for (unsigned i = 8 - most; i < 8; i++) {
			cells_row(&c);
			says(&c, "stream", "%s", lines[i][0]);
			says(&c, "text", "%s", lines[i][1]);
		}
		cells_close(&c);
	}
	session_free(s);
}

static void breakpoints_are_those_added(void **state)
{
	(void)state;
	struct session *s = open_program("tests/golden/guest.elf", NULL);
	const struct symbol *walk = program_symbol_by_name(s->program, "walk"),
			    *nodes = program_symbol_by_name(s->program, "nodes");
	const struct stop_point add[] = {
		{.kind = STOP_POINT_PC,
	         .addr = walk->addr,
	         .text = "walk",
	         .enabled = true,
	         .ignore = 2,
	         .condition_text = "a0 > 3"},
		{.kind = STOP_POINT_PC,
	         .stage = STAGE_FETCH,
	         .addr = walk->addr + 4,
	         .text = "walk+4",
	         .temporary = true},
		{.kind = STOP_POINT_PC,
	         .stage = STAGE_DISPATCH,
	         .addr = walk->addr,
	         .text = "*walk",
	         .enabled = true,
	         .temporary = true},
		{.kind = STOP_POINT_MEMORY,
	         .addr = nodes->addr + 8,
	         .size = 8,
	         .text = "nodes",
	         .enabled = true},
		{.kind = STOP_POINT_REG, .reg = 10, .text = "a0", .enabled = true},
		{.kind = STOP_POINT_EVENT,
	         .text = "squash",
	         .enabled = true,
	         .filter = {.mask = EV_BIT(SQUASH)}},
		{.kind = STOP_POINT_EVENT,
	         .text = "reads",
	         .addr = nodes->addr,
	         .size = 4,
	         .filter = {.mask = EV_BIT(MEM)}},
	};
	static const char *const kinds[] = {
		"break at commit", "break at fetch", "break at dispatch", "watch memory",
		"watch register",  "event",          "watch reads"};
	struct cells c;
	for (unsigned i = 0; i < 7; i++)
		assert_int_equal(run_add_stop(s->run, &add[i]), i + 1);
	run_for(s, 10);
	run_stop(s->run, 1)->hits = 12345;
	cells_open(&c, s, "breakpoints");
	for (unsigned i = 0; i < 7; i++) {
		struct source_line at;
		cells_row(&c);
		says_uint(&c, "id", i + 1);
		says(&c, "what", "%s", add[i].text);
		says(&c, "kind", "%s", kinds[i]);
		says(&c, "state", "%s%s", add[i].enabled ? "on" : "off",
		     add[i].temporary ? ", once" : "");
		says(&c, "condition", "%s", add[i].condition_text);
		says_uint(&c, "hits", i ? 0 : 12345);
		says_uint(&c, "ignore", add[i].ignore);
		if (add[i].kind == STOP_POINT_PC && program_line_at(s->program, add[i].addr, &at))
			says(&c, "place", "%s (%s:%u)", addr_of(s, add[i].addr), base_name(at.file),
			     at.line);
		else if (add[i].size)
			says(&c, "place", "%s, %llu bytes", addr_of(s, add[i].addr),
			     (ull)add[i].size);
		else
			says_nothing(&c, "place");
	}
	cells_close(&c);
	session_free(s);
}

/* All places that can be gone back to, the present and the newest cycle among them. */
static void history_is_what_is_recorded(void **state)
{
	(void)state;
	struct session *s = open_program("tests/golden/guest.elf", NULL);
	run_for(s, 9000);
	for (unsigned k = 0; k < 3; k++) {
		struct run_stop_info info;
		struct run_history h;
		struct err err;
		struct cells c;
		uint64_t before = UINT64_MAX;
		bool here = false, newest = false;
		assert_true(run_goto_cycle(s->run,
		                           k == 0   ? 9000
		                           : k == 1 ? 4321
		                                    : run_snapshot_cycle(s->run, 2),
		                           &info, &err));
		run_history(s->run, &h);
		const uint64_t now = machine_cycle(s->machine);
		cells_open(&c, s, "history");
		for (unsigned i = 0; !newest || !here; ) {
			const uint64_t snapshot = run_snapshot_cycle(s->run, i);
			uint64_t cycle = snapshot;
			const char *what = i ? "snapshot" : "snapshot: the beginning";
			if (!here && now < snapshot && now != h.newest_cycle) {
				cycle = now;
				what = "where we are";
			} else if (snapshot == UINT64_MAX) {
				cycle = h.newest_cycle;
				what = "the newest cycle";
			} else {
				i++;
			}
			here |= cycle == now;
			newest = cycle == h.newest_cycle;
			cells_row(&c);
			says(&c, "mark", "%s", cycle == now ? "▶" : "");
			says_uint(&c, "cycle", cycle);
			says(&c, "what", "%s", what);
			const uint64_t away = cycle > now ? cycle - now : now - cycle;
			if (away)
				says_word(&c, "away", RAW_UINT, away, "%s %s", grouped(away),
				          cycle > now ? "ahead" : "ago");
			else
				says_word(&c, "away", RAW_UINT, 0, "here");
			if (before == UINT64_MAX)
				says_nothing(&c, "gap");
			else
				says_uint(&c, "gap", cycle - before);
			before = cycle;
		}
		cells_close(&c);
	}
	session_free(s);
}

static const char *value_of(const struct config *cfg, const struct param *p)
{
	char *out = some_text();
	config_format(cfg, p, out, 256);
	return p->type == PARAM_INT ? grouped((uint64_t)config_get(cfg, p)) : out;
}

static void says_value(struct cells *c, const char *column, const struct config *cfg,
                       const struct param *p, bool wanted)
{
	if (!wanted)
		says_nothing(c, column);
	else if (p->type == PARAM_INT)
		says_word(c, column, RAW_UINT, (uint64_t)config_get(cfg, p), "%s",
		          value_of(cfg, p));
	else
		says(c, column, "%s", value_of(cfg, p));
}

static void parameters_are_the_machines(void **state)
{
	(void)state;
	struct session *s =
		open_program("tests/golden/guest.elf", "pipe.rob_size=32;bpred.kind=gshare");
	const struct config *now = machine_config(s->machine);
	struct config plain;
	struct err err;
	struct cells c;
	config_default(&plain);
	assert_true(config_set_assignment(&s->cfg, "l2.size=65536", &err));
	cells_open(&c, s, "config");
	for (size_t i = 0; i < param_count; i++) {
		const struct param *p = &params[i];
		const char *unit = p->unit ? p->unit : "";
		if (!param_exists(now, p))
			continue;
		cells_row(&c);
		says(&c, "name", "%s", p->name);
		says_value(&c, "value", now, p, true);
		says(&c, "unit", "%s", p->type == PARAM_INT ? unit : "");
		says_value(&c, "next", &s->cfg, p,
		           strcmp(value_of(&s->cfg, p), value_of(now, p)) != 0);
		says_value(&c, "default", &plain, p,
		           strcmp(value_of(&plain, p), value_of(now, p)) != 0);
		if (p->type == PARAM_INT || p->type == PARAM_BOOL)
			says(&c, "meaning", "%s", p->help);
		else
			says(&c, "meaning", "%s (%s)", p->help, unit);
	}
	cells_close(&c);
	session_free(s);
}

static void nothing_is_left_out(void **state)
{
	(void)state;
	views_are_complete("memory");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_is_shown_as_it_is),
		cmocka_unit_test(code_is_shown_as_it_is),
		cmocka_unit_test(code_says_where_it_was),
		cmocka_unit_test(variables_and_displays_are_those_told),
		cmocka_unit_test(output_is_what_was_written),
		cmocka_unit_test(breakpoints_are_those_added),
		cmocka_unit_test(history_is_what_is_recorded),
		cmocka_unit_test(parameters_are_the_machines),
		cmocka_unit_test(nothing_is_left_out),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
