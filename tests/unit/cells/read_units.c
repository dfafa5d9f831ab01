/* Readers of fu, rename, regs and fregs: execution units, write ports and registers. */
#include "tests/unit/cells/pipeline_cells.h"

/* ---- units ---- */
static const char *const pools[] = {"int", "imuldiv", "fadd", "fmuldiv", "mem", "div"};

/* The oldest instruction on a unit, and their number; a load or store leaves when its address is
 * computed. */
static const struct uop *on_unit(const struct pipe *p, unsigned pool, unsigned unit, unsigned *n)
{
	const struct uop *oldest = NULL;
	*n = 0;
	for (uint32_t i = 0; i < p->pool_size; i++) {
		const struct uop *u = &p->pool[i];
		if (u->state != UOP_EXECUTING || u->at.pool != pool || u->at.unit != unit ||
		    (u->flags & UF_ADDR_KNOWN))
			continue;
		++*n;
		if (!oldest || u->seq < oldest->seq)
			oldest = u;
	}
	return oldest;
}

void read_units(const struct session *s)
{
	const struct pipe *p = pipe_of(s);
	const uint64_t now = p->st->cycle;
	struct cells c;
	unsigned n;
	cells_open(&c, s, "fu units");
	for (unsigned pool = 0; pool < 6; pool++)
		for (unsigned unit = 0; unit < p->fu_count[pool]; unit++) {
			const struct uop *u = on_unit(p, pool, unit, &n);
			const uint64_t until = p->st->fu[pool][unit].busy_until,
				       last = p->st->fu[pool][unit].seq;
			cells_row(&c);
			says(&c, "unit", "%s %u", pools[pool], unit);
			says(&c, "state", "%s", until > now ? "taken" : u ? "busy" : "idle");
			if (u)
				says(&c, "executing", "%s %s", number_of(p, u), assembly_of(s, u));
			else
				says_nothing(&c, "executing");
			says_due(&c, "due", now, u ? uop_why(p, u).due : NO_CYCLE);
			if (until > now)
				says_due(&c, "free_from", now, until);
			else
				says_word(&c, "free_from", RAW_UINT, now, "now, %s", grouped(now));
			if (n > 1)
				says_word(&c, "also", RAW_UINT, n - 1, "%u more", n - 1);
			else
				says_word(&c, "also", RAW_UINT, 0, "%s", "");
			if (last)
				says_word(&c, "last_seq", RAW_UINT, last, "#%llu", (ull)last);
			else
				says_nothing(&c, "last_seq");
		}
	cells_close(&c);
}

/* Number of results written into a register file in a cycle: those of squashed instructions, too,
 * but not of loads. */
static unsigned written_at(const struct pipe *p, unsigned file, uint64_t cycle)
{
	unsigned n = 0;
	for (uint32_t i = 0; i < p->pool_size; i++) {
		const struct uop *u = &p->pool[i];
		n += u->seq && (u->flags & UF_EXECUTED) && u->when.issue != NO_CYCLE &&
		     !(u->op_flags & OPF_MEMORY) && u->inst.rd < 64 && u->inst.rd / 32 == file &&
		     u->when.done == cycle;
	}
	return n;
}

void read_fu(const struct session *s)
{
	const struct pipe *p = pipe_of(s);
	const struct stage_counts *st = &machine_stats(s->machine)->counts;
	const uint64_t now = p->st->cycle;
	struct cells c;
	cells_open(&c, s, "fu");
	for (unsigned pool = 0; pool < 6; pool++) {
		char marks[128] = "", who[1024] = "";
		uint64_t first = UINT64_MAX;
		if (!p->fu_count[pool])
			continue;
		for (unsigned unit = 0; unit < p->fu_count[pool]; unit++) {
			const uint64_t until = p->st->fu[pool][unit].busy_until;
			unsigned n;
			const struct uop *u = on_unit(p, pool, unit, &n);
			first = until < first ? until : first;
			strcat(marks, until > now ? "●" : u ? "◐" : "○");
			if (u)
				sprintf(who + strlen(who), "%s%s %s", *who ? " · " : "",
				        number_of(p, u), assembly_of(s, u));
			if (n > 1)
				sprintf(who + strlen(who), " + %u", n - 1);
		}
		cells_row(&c);
		says(&c, "units", "%s", pools[pool]);
		says(&c, "taken", "%s", marks);
		if (first > now)
			says_word(&c, "free_from", RAW_UINT, first, "%llu left",
			          (ull)(first - now));
		else
			says_word(&c, "free_from", RAW_UINT, now, "now");
		const uint64_t taken[] = {st->busy_fu_int,  st->busy_fu_imuldiv,
		                          st->busy_fu_fadd, st->busy_fu_fmuldiv,
		                          st->busy_fu_mem,  st->busy_fu_div};
		const double use =
			now ? 100.0 * (double)taken[pool] / (double)p->fu_count[pool] / (double)now
			    : 0;
		says_double(&c, "use", use, "%.1f%%", use);
		says(&c, "executing", "%s", who);
	}
	for (unsigned file = 0; file < 2; file++) {
		const unsigned limit = (unsigned)(file ? p->cfg->fp_writes : p->cfg->int_writes);
		char marks[128] = "";
		uint64_t next = now;
		if (!limit)
			continue;
		while (written_at(p, file, next) == limit)
			next++;
		for (unsigned i = 0; i < limit; i++)
			strcat(marks, i < written_at(p, file, now) ? "●" : "○");
		cells_row(&c);
		says(&c, "units", file ? "fp write" : "int write");
		says(&c, "taken", "%s", marks);
		if (next > now)
			says_word(&c, "free_from", RAW_UINT, next, "%llu left", (ull)(next - now));
		else
			says_word(&c, "free_from", RAW_UINT, now, "now");
		says_nothing(&c, "use");
		says_nothing(&c, "executing");
	}
	cells_close(&c);
}

/* ---- registers ---- */
/* The youngest instruction in the window that writes to the register. */
static const struct uop *read_units_find_producer(const struct pipe *p, unsigned reg)
{
	for (uint32_t i = p->st->rob_count; i-- > 0;)
		if (pipe_rob_at(p, i)->inst.rd == reg)
			return pipe_rob_at(p, i);
	return NULL;
}

/* Checks a list of instruction numbers; the view shows the first `written`. */
static void says_seqs(struct cells *c, const char *column, const uint64_t *seqs, uint32_t n,
                      uint32_t written)
{
	char *text = some_text();
	*text = '\0';
	for (uint32_t i = 0; i < n && i < written; i++)
		sprintf(text + strlen(text), "%s#%llu", i ? " " : "", (ull)seqs[i]);
	if (n > written)
		sprintf(text + strlen(text), " + %u", n - written);
	says_list(c, column, seqs, n, "%s", text);
}

/* True if c waits for a result of u. */
static bool reads_result(const struct uop *c, const struct uop *u)
{
	for (unsigned i = 0; i < 3; i++)
		if (c->src.seq[i] == u->seq &&
		    (c->src.pending >> i & 1 || (i == 1 && c->src.pending >> 3 & 1)))
			return true;
	return false;
}

/* Checks u's other versions, which are the window's writers of the same register, and the consumers
 * of its result. */
static void says_versions(struct cells *c, const struct pipe *p, const struct uop *u)
{
	uint64_t older[1024], readers[1024];
	uint32_t olders = 0, reading = 0;
	for (uint32_t i = 0; i < p->st->rob_count; i++) {
		const struct uop *young = pipe_rob_at(p, p->st->rob_count - 1 - i),
				 *old = pipe_rob_at(p, i);
		if (young->inst.rd == u->inst.rd && young != u)
			older[olders++] = young->seq;
		if (reads_result(old, u))
			readers[reading++] = old->seq;
	}
	says_seqs(c, "before", older, olders, 1);
	says_seqs(c, "readers", readers, reading, 2);
}

void read_rename(const struct session *s, const char *words)
{
	const struct pipe *p = pipe_of(s);
	struct cells c;
	unsigned renamed = 0;
	cells_open(&c, s, words);
	for (unsigned reg = 1; reg < 64; reg++) {
		const struct uop *u = read_units_find_producer(p, reg);
		renamed += u != NULL;
		if (!u && !strstr(words, "all"))
			continue;
		assert_int_equal(cells_row(&c)->seq, u ? u->seq : 0);
		says(&c, "register", "%s", reg_name(reg));
		says_hex(&c, "committed", p->st->creg[reg]);
		if (!u) {
			static const char *const empty[] = {"producer", "before",    "instruction",
			                                    "state",    "value",     "readers",
			                                    "due",      "waits_for"};
			for (unsigned i = 0; i < sizeof empty / sizeof *empty; i++)
				says_nothing(&c, empty[i]);
			continue;
		}
		says_word(&c, "producer", RAW_UINT, u->seq, "%s", number_of(p, u));
		says_versions(&c, p, u);
		says(&c, "instruction", "%s", assembly_of(s, u));
		says(&c, "state", "%s", phase_of(u));
		says_result(&c, "value", u);
		says(&c, "waits_for", "%s", wait_of(p, u));
		says_wait_end(&c, p, u);
	}
	says_summary(&c, "%u renamed; %u/%d free", renamed,
	             (unsigned)p->cfg->rob_size - p->st->rob_count, (int)p->cfg->rob_size);
	cells_close(&c);
}

/* The youngest writer of a register among the `oldest` first of the window; 0: none. */
static uint64_t writer_among(const struct pipe *p, uint32_t oldest, unsigned reg)
{
	uint64_t seq = 0;
	for (uint32_t i = 0; i < oldest; i++)
		if (pipe_rob_at(p, i)->inst.rd == reg)
			seq = pipe_rob_at(p, i)->seq;
	return seq;
}

void read_rename_branches(const struct session *s)
{
	const struct pipe *p = pipe_of(s);
	struct cells c;
	cells_open(&c, s, "rename branches");
	for (uint32_t at = 0; at < p->st->rob_count; at++) {
		const struct uop *u = pipe_rob_at(p, at);
		const unsigned flags = op_info[u->inst.op].flags;
		char restored[1200] = "", written[64] = "";
		if (u->state == UOP_DONE || !(flags & (OPF_BRANCH | OPF_INDIRECT)))
			continue;
		for (uint32_t i = at + 1; i < p->st->rob_count; i++) {
			const unsigned reg = pipe_rob_at(p, i)->inst.rd;
			if (reg == REG_SINK || written[reg]++)
				continue;
			const uint64_t seq = writer_among(p, at + 1, reg);
			sprintf(restored + strlen(restored), "%s%s ", *restored ? ", " : "",
			        reg_name(reg));
			sprintf(restored + strlen(restored), seq ? "#%llu" : "committed", (ull)seq);
		}
		assert_int_equal(cells_row(&c)->seq, u->seq);
		says_seq(&c, p, u);
		says(&c, "instruction", "%s", assembly_of(s, u));
		says(&c, "restores", "%s", restored);
		says_uint(&c, "undone", p->st->rob_count - at - 1);
		says(&c, "waits_for", "%s", wait_of(p, u));
		says_wait_end(&c, p, u);
	}
	cells_close(&c);
}

/* A number as itself, an address as its place, a floating-point one with as many digits as it
 * takes. */
static void says_meaning(struct cells *c, const char *column, const struct session *s, unsigned reg,
                         uint64_t v)
{
	const int64_t i = (int64_t)v;
	if (reg >= REG_F0) {
		const char *text = cells_at(c, column)->text;
		double d;
		memcpy(&d, &v, sizeof d);
		char *end;
		if (v >> 32 == UINT32_MAX || strtod(text, &end) != d || *end || strlen(text) > 24)
			fail_msg("view %s: %s is not %.17g", c->words, text, d);
	} else if (!reg) {
		says(c, column, "always zero");
	} else if ((i > -100000 && i < 65536) || !*place_of(s, v)) {
		says(c, column, "%lld", (long long)i);
	} else {
		says(c, column, "%s", place_of(s, v));
	}
}

void read_registers(const struct session *s, const char *view, unsigned first)
{
	const struct pipe *p = pipe_of(s);
	struct cells c;
	cells_open(&c, s, view);
	for (unsigned reg = first; reg < first + 32; reg++) {
		const struct uop *u = reg ? read_units_find_producer(p, reg) : NULL;
		assert_int_equal(cells_row(&c)->seq, u ? u->seq : 0);
		says(&c, "register", "%s", reg_name(reg));
		says_hex(&c, "value", p->st->creg[reg]);
		says_meaning(&c, "meaning", s, reg, p->st->creg[reg]);
		if (u)
			says(&c, "producer", "%s %s, %s", number_of(p, u),
			     op_info[u->inst.op].mnemonic, phase_of(u));
		else
			says_nothing(&c, "producer");
		says_due(&c, "due", p->st->cycle, u ? uop_why(p, u).due : NO_CYCLE);
		says(&c, "number", "%c%u", first ? 'f' : 'x', reg - first);
	}
	cells_close(&c);
	/* A low pane has two registers a row. */
	cells_open_in(&c, s, view, 20, 0);
	for (unsigned reg = first; reg < first + 16; reg++) {
		cells_row(&c);
		for (unsigned half = 0; half < 2; half++) {
			const unsigned r = reg + 16 * half;
			const struct uop *u = r ? read_units_find_producer(p, r) : NULL;
			says(&c, half ? "register2" : "register", "%s", reg_name(r));
			says_hex(&c, half ? "value2" : "value", p->st->creg[r]);
			if (u)
				says(&c, half ? "meaning2" : "meaning", "%s %s", number_of(p, u),
				     phase_of(u));
			else
				says_meaning(&c, half ? "meaning2" : "meaning", s, r,
				             p->st->creg[r]);
		}
	}
	cells_close(&c);
}
