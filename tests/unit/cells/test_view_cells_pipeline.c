/* What views of the pipeline show, cell by cell, against a plain reading of its state
 * (tests/unit/cells/view_cells.h). */
#include "tests/unit/cells/view_cells.h"

enum { STOPS = 60, STRIDE = 67 };

static const struct pipe *pipe_of(const struct session *s)
{
	return machine_pipe(s->machine);
}

/* The cause's time is said of what holds something up. */
static void says_wait_end(struct cells *c, const struct pipe *p, const struct uop *u)
{
	const struct why w = uop_why(p, u);
	says_due(c, "due", p->st->cycle,
	         w.id == WHY_MOVING || w.id == WHY_COMMIT_DELAY ? NO_CYCLE : w.due);
}

static void says_state(struct cells *c, const struct pipe *p, const struct uop *u)
{
	const enum why_id id = uop_why(p, u).id;
	const char *wait = wait_of(p, u);
	says(c, "waits_for", "%s",
	     id == WHY_COMMIT_TURN    ? "done"
	     : id == WHY_COMMIT_DELAY ? "commits next"
	     : *wait                  ? wait
	                              : phase_of(u));
	says_wait_end(c, p, u);
}

static void says_seq(struct cells *c, const struct pipe *p, const struct uop *u)
{
	says_word(c, "seq", RAW_UINT, u->seq, "%s", number_of(p, u));
}

static void says_result(struct cells *c, const char *column, const struct uop *u)
{
	if (u->state == UOP_DONE && u->inst.rd != REG_SINK)
		says_hex(c, column, u->result);
	else
		says_nothing(c, column);
}

/* ---- the window ---- */
static void read_rob(const struct session *s)
{
	const struct pipe *p = pipe_of(s);
	struct cells c;
	uint64_t before = 0;
	unsigned in_window = 0;
	cells_open(&c, s, "rob");
	for (uint32_t i = 0; i < p->st->rob_count; i++) {
		const struct uop *u = &p->pool[p->rob[(p->st->rob_head + i) & p->rob_mask]];
		assert_true(u->seq > before);
		before = u->seq;
		assert_int_equal(cells_row(&c)->seq, u->seq);
		says(&c, "mark", "%s", i ? "" : "▶");
		says_seq(&c, p, u);
		says(&c, "instruction", "%s", assembly_of(s, u));
		says_state(&c, p, u);
		const char *missed = u->flags & UF_MISPREDICT ? ", mispredicted" : "";
		if (u->state == UOP_DONE && u->trap != TRAP_NONE)
			says(&c, "value", "%s", u->trap == TRAP_ECALL ? "system call" : "fault");
		else if (u->state == UOP_DONE && (u->op_flags & OPF_BRANCH))
			says_word(&c, "value", RAW_HEX, u->exec.next_pc, "%s%s",
			          u->exec.taken ? "taken" : "not taken", missed);
		else if (u->state == UOP_DONE && (u->op_flags & OPF_INDIRECT))
			says_word(&c, "value", RAW_HEX, u->exec.next_pc, "to %s%s",
			          addr_of(s, u->exec.next_pc), missed);
		else
			says_result(&c, "value", u);
		says_addr(&c, "pc", s, u->pc);
		says_since(&c, "dispatched", p->st->cycle, u->when.dispatch);
		says(&c, "state", "%s", phase_of(u));
	}
	cells_close(&c);
	for (uint32_t i = 0; i < p->pool_size; i++)
		in_window += p->pool[i].state > UOP_FETCHED && p->pool[i].state < UOP_RETIRED;
	assert_int_equal(in_window, p->st->rob_count);
}

static void read_lsq(const struct session *s)
{
	const struct pipe *p = pipe_of(s);
	struct cells c;
	cells_open(&c, s, "lsq");
	/* The queue's are those of the window, in its order, that access memory. */
	for (uint32_t i = 0; i < p->st->rob_count; i++) {
		const struct uop *u = pipe_rob_at(p, i);
		const bool store = u->inst.klass == CLASS_STORE, known = u->flags & UF_ADDR_KNOWN;
		if (!op_info[u->inst.op].mem_bytes)
			continue;
		assert_int_equal(cells_row(&c)->seq, u->seq);
		says_seq(&c, p, u);
		says(&c, "instruction", "%s", assembly_of(s, u));
		if (known)
			says_hex(&c, "address", u->exec.addr);
		else
			says(&c, "address", "unknown");
		says(&c, "place", "%s", known ? place_of(s, u->exec.addr) : "");
		says_state(&c, p, u);
		if (!store)
			says_result(&c, "data", u);
		else if (u->flags & UF_DATA_READY)
			says_hex(&c, "data",
			         u->exec.size == 8
			                 ? u->exec.store_new
			                 : u->exec.store_new & ~(UINT64_MAX << 8 * u->exec.size));
		else
			says_nothing(&c, "data");
		says_uint(&c, "bytes", op_info[u->inst.op].mem_bytes);
		const char *walk = u->flags & UF_TLB_MISS ? ", TLB miss" : "";
		if (u->when.mem == NO_CYCLE)
			says_nothing(&c, "served_by");
		else if (u->mem.level == LEVEL_FORWARD)
			says(&c, "served_by", "store #%llu", (ull)u->mem.wait_seq);
		else
			says(&c, "served_by", "%s%s", served_by(u->mem.level),
			     *served_by(u->mem.level) ? walk : "");
		says(&c, "state", "%s", phase_of(u));
	}
	cells_close(&c);
}

/* ---- before it ---- */
static void says_prediction(struct cells *c, const struct session *s, const struct uop *u)
{
	const unsigned said = u->mark.flags;
	const uint64_t behind = u->pc + u->inst.len;
	const char *to = addr_of(s, u->pred_next);
	if (!(op_info[u->inst.op].flags & OPF_CONTROL))
		says_nothing(c, "predicts");
	else if (!(said & BPM_TAKEN))
		says_word(c, "predicts", RAW_HEX, behind, "not taken");
	else if (said & BPM_FROM_RAS)
		says_word(c, "predicts", RAW_HEX, u->pred_next, "return to %s", to);
	else if ((said & BPM_BTB_HIT) || u->pred_next != behind)
		says_word(c, "predicts", RAW_HEX, u->pred_next, "taken to %s", to);
	else
		says_word(c, "predicts", RAW_HEX, behind, "taken, target unknown");
}

static void read_fetchq(const struct session *s)
{
	const struct pipe *p = pipe_of(s);
	struct cells c;
	unsigned fetched = 0;
	uint64_t before = 0;
	cells_open(&c, s, "fetchq");
	for (uint32_t i = 0; i < p->st->fetchq_count; i++) {
		const struct uop *u =
			&p->pool[p->fetchq[(p->st->fetchq_head + i) & p->fetchq_mask]];
		assert_true(u->seq > before);
		before = u->seq;
		assert_int_equal(cells_row(&c)->seq, u->seq);
		says_seq(&c, p, u);
		says(&c, "instruction", "%s", assembly_of(s, u));
		says_addr(&c, "pc", s, u->pc);
		says_prediction(&c, s, u);
		says(&c, "waits_for", "%s", wait_of(p, u));
		says_wait_end(&c, p, u);
		says_since(&c, "fetched", p->st->cycle, u->when.fetch);
	}
	cells_close(&c);
	for (uint32_t i = 0; i < p->pool_size; i++)
		fetched += p->pool[i].state == UOP_FETCHED;
	assert_int_equal(fetched, p->st->fetchq_count);
}

/* ---- units ---- */
static const char *const pools[] = {"int", "imuldiv", "fadd", "fmuldiv", "mem", "div"};

/* The oldest that executes on a unit, and how many do; one that has its address has left it. */
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

static void read_units(const struct session *s)
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

/* Results that are written into a file of registers in a cycle, loads' excepted; of squashed
 * instructions, too. */
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

static void read_fu(const struct session *s)
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
/* The youngest in the window that writes it. */
static const struct uop *producer_of(const struct pipe *p, unsigned reg)
{
	for (uint32_t i = p->st->rob_count; i-- > 0;)
		if (pipe_rob_at(p, i)->inst.rd == reg)
			return pipe_rob_at(p, i);
	return NULL;
}

static void read_rename(const struct session *s, const char *words)
{
	const struct pipe *p = pipe_of(s);
	struct cells c;
	cells_open(&c, s, words);
	for (unsigned reg = 1; reg < 64; reg++) {
		const struct uop *u = producer_of(p, reg);
		if (!u && !strstr(words, "all"))
			continue;
		assert_int_equal(cells_row(&c)->seq, u ? u->seq : 0);
		says(&c, "register", "%s", reg_name(reg));
		says_hex(&c, "committed", p->st->creg[reg]);
		if (!u) {
			static const char *const empty[] = {"producer", "instruction", "state",
			                                    "value",    "waits_for",   "due"};
			for (unsigned i = 0; i < 6; i++)
				says_nothing(&c, empty[i]);
			continue;
		}
		says_word(&c, "producer", RAW_UINT, u->seq, "%s", number_of(p, u));
		says(&c, "instruction", "%s", assembly_of(s, u));
		says(&c, "state", "%s", phase_of(u));
		says_result(&c, "value", u);
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

static void read_registers(const struct session *s, const char *view, unsigned first)
{
	const struct pipe *p = pipe_of(s);
	struct cells c;
	cells_open(&c, s, view);
	for (unsigned reg = first; reg < first + 32; reg++) {
		const struct uop *u = reg ? producer_of(p, reg) : NULL;
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
	/* Where there is no room for that many rows, two a row. */
	cells_open_in(&c, s, view, 20, 0);
	for (unsigned reg = first; reg < first + 16; reg++) {
		cells_row(&c);
		for (unsigned half = 0; half < 2; half++) {
			const unsigned r = reg + 16 * half;
			const struct uop *u = r ? producer_of(p, r) : NULL;
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

/* ---- prediction ---- */
static const char *outcomes(const struct pipe *p, uint32_t history)
{
	char *out = some_text();
	const int n = (int)p->cfg->bpred_history;
	for (int i = 0; i < n; i++)
		out[i] = history & 1u << (n - 1 - i) ? 'T' : 'n';
	out[n] = '\0';
	return out;
}

/* The latest branches that are in flight or have committed, oldest first: how many, at most 24. */
static unsigned latest_branches(const struct pipe *p, const struct uop *out[24])
{
	uint64_t below = UINT64_MAX;
	unsigned n = 0;
	while (n < 24) {
		const struct uop *next = NULL;
		for (uint32_t i = 0; i < p->pool_size; i++) {
			const struct uop *u = &p->pool[i];
			if (u->state > UOP_FREE && u->state <= UOP_RETIRED &&
			    (op_info[u->inst.op].flags & OPF_BRANCH) && u->seq < below &&
			    (!next || u->seq > next->seq))
				next = u;
		}
		if (!next)
			break;
		below = next->seq;
		memmove(out + 1, out, n++ * sizeof *out);
		out[0] = next;
	}
	return n;
}

static void says_counter(struct cells *c, const char *column, unsigned counter, bool first,
                         const char *yes, const char *no)
{
	says_word(c, column, RAW_UINT, counter, "%u, %s", counter, first ? yes : no);
}

static void says_tables(struct cells *c, const struct pipe *p, const struct bpred_mark *m)
{
	const struct bpred *b = &p->bpred;
	says_counter(c, "bimodal", b->bimodal[m->bimodal], m->flags & BPM_BIMODAL_TAKEN, "taken",
	             "not");
	says_counter(c, "two_level", b->l2[m->l2], m->flags & BPM_L2_TAKEN, "taken", "not");
	says_counter(c, "chooser", b->meta[m->meta], m->flags & BPM_USED_L2, "two-level",
	             "bimodal");
}

/* Of a perceptron: a weight for each outcome and one more, from the youngest on. */
static int sum_of(const struct bpred *b, uint32_t index, uint32_t history)
{
	const int16_t *w = b->weights + (size_t)index * ((size_t)b->cfg->bpred_history + 1);
	int sum = w[0];
	for (int i = 0; i < (int)b->cfg->bpred_history; i++)
		sum += history >> i & 1 ? w[i + 1] : -w[i + 1];
	return sum;
}

static void says_share(struct cells *c, const char *column, const uint8_t *table, uint32_t mask,
                       unsigned state)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i <= mask; i++)
		n += table[i] == state;
	says_word(c, column, RAW_UINT, n, "%s, %.0f%%", grouped(n), 100.0 * n / (mask + 1.0));
}

static void read_branch(struct cells *c, const struct session *s, const struct uop *u)
{
	const struct pipe *p = pipe_of(s);
	const bool known = u->state == UOP_DONE || u->state == UOP_RETIRED,
		   taken = u->mark.flags & BPM_TAKEN;
	assert_int_equal(cells_row(c)->seq, u->seq);
	says(c, "what", "%s %s", addr_of(s, u->pc), op_info[u->inst.op].mnemonic);
	says(c, "predicts", "%s", taken ? "taken" : "not taken");
	says(c, "outcome", "%s",
	     !known                   ? "not known"
	     : u->exec.taken == taken ? "right"
	     : u->exec.taken          ? "wrong: taken"
	                              : "wrong: not taken");
	if (p->bpred.kind == BPRED_PERCEPTRON)
		says(c, "sum", "%+d", sum_of(&p->bpred, u->mark.bimodal, u->mark.old_history));
	else
		says_tables(c, p, &u->mark);
	says(c, "seq", "%s", number_of(p, u));
	says(c, "history", "%s",
	     p->bpred.kind == BPRED_PERCEPTRON || (u->mark.flags & BPM_HISTORY)
	             ? outcomes(p, u->mark.old_history)
	             : "");
}

static void read_counters(struct cells *c, const struct pipe *p)
{
	static const char *const what[] = {"counters at 0: strongly not taken",
	                                   "counters at 1: weakly not taken",
	                                   "counters at 2: weakly taken",
	                                   "counters at 3: strongly taken"},
				 *const choice[] = {"surely bimodal", "rather bimodal",
	                                            "rather two-level", "surely two-level"};
	for (unsigned at = 4; at-- > 0;) {
		cells_row(c);
		says(c, "what", "%s", what[at]);
		says(c, "predicts", "%s", choice[at]);
		says_nothing(c, "outcome");
		says_share(c, "bimodal", p->bpred.bimodal, p->bpred.bimodal_mask, at);
		says_share(c, "two_level", p->bpred.l2, p->bpred.l2_mask, at);
		says_share(c, "chooser", p->bpred.meta, p->bpred.meta_mask, at);
		says_nothing(c, "seq");
		says_nothing(c, "history");
	}
}

/* The history of all branches, where there is one; of perceptrons before it how far from 0 they
 * learn. */
static void read_history(struct cells *c, const struct pipe *p)
{
	const bool sums = p->bpred.kind == BPRED_PERCEPTRON;
	for (unsigned row = !sums; row < 2; row++) {
		if (row && p->bpred.l1_mask)
			break;
		cells_row(c);
		says(c, "what",
		     row ? "history, newest right" : "learns when wrong, and up to a sum of");
		says_nothing(c, "predicts");
		says_nothing(c, "outcome");
		if (!sums) {
			says_nothing(c, "bimodal");
			says(c, "two_level", "%s", outcomes(p, p->bpred.history[0]));
			says_nothing(c, "chooser");
		} else if (row) {
			says(c, "sum", "%s", outcomes(p, p->bpred.history[0]));
		} else {
			const int least = (int)(1.93 * (double)p->cfg->bpred_history + 14);
			says_word(c, "sum", RAW_INT, (uint64_t)least, "%d", least);
		}
		says_nothing(c, "seq");
		says_nothing(c, "history");
	}
}

static void read_bpred(const struct session *s)
{
	const struct pipe *p = pipe_of(s);
	const struct uop *branch[24];
	struct cells c;
	const unsigned n = latest_branches(p, branch);
	cells_open(&c, s, "bpred");
	for (unsigned i = 0; i < n; i++)
		read_branch(&c, s, branch[i]);
	if (p->bpred.kind != BPRED_PERCEPTRON)
		read_counters(&c, p);
	read_history(&c, p);
	cells_close(&c);
	/* Of one that has been looked up in this very cycle, the tables say the same. */
	const struct uop *u = n ? branch[n - 1] : NULL;
	if (!u || p->bpred.kind == BPRED_PERCEPTRON)
		return;
	char words[40];
	struct bpred_mark now;
	bpred_peek(&p->bpred, u->pc, &now);
	snprintf(words, sizeof words, "bpred 0x%llx", (ull)u->pc);
	cells_open(&c, s, words);
	cells_row(&c);
	says(&c, "what", "a branch at %s", addr_of(s, u->pc));
	says(&c, "predicts", "%s", now.flags & BPM_TAKEN ? "taken" : "not taken");
	says(&c, "outcome", "if fetched now");
	assert_int_equal(now.bimodal, u->mark.bimodal);
	says_tables(&c, p, &now);
	says_nothing(&c, "seq");
	says(&c, "history", "%s", outcomes(p, p->bpred.history[now.history_index]));
	read_counters(&c, p);
	read_history(&c, p);
	cells_close(&c);
}

/* Its place in the order of use, of valid entries `used` at these times. */
static const char *rank(const uint64_t *used, unsigned ways, unsigned way)
{
	unsigned newer = 0, valid = 0;
	char *out = some_text();
	for (unsigned w = 0; w < ways; w++) {
		valid += used[w] != UINT64_MAX;
		newer += used[w] != UINT64_MAX && used[w] > used[way];
	}
	snprintf(out, 256, "%u newer", newer);
	return valid == ways && ways > 1 && newer == ways - 1 ? "oldest: next to go"
	       : !newer                                       ? "most recent"
	                                                      : out;
}

static void read_btb(const struct session *s)
{
	const struct bpred *b = &pipe_of(s)->bpred;
	struct cells c;
	for (uint32_t set = 0; set <= b->btb_mask; set++) {
		const struct btb_entry *e = b->btb + (size_t)set * b->btb_ways;
		uint64_t used[64];
		char words[32];
		bool any = set == 1;
		for (uint32_t way = 0; way < b->btb_ways; way++) {
			used[way] = e[way].tag ? e[way].used : UINT64_MAX;
			any |= e[way].tag != 0;
		}
		if (!any)
			continue;
		snprintf(words, sizeof words, "btb %u", set);
		cells_open(&c, s, words);
		for (uint32_t way = 0; way < b->btb_ways; way++) {
			const uint64_t pc = e[way].tag * 2;
			assert_int_equal(cells_row(&c)->pc, pc);
			says_uint(&c, "way", way);
			if (!pc) {
				says(&c, "branch", "empty");
				says_nothing(&c, "target");
				says_nothing(&c, "order");
				says_nothing(&c, "address");
				continue;
			}
			assert_int_equal(pc / 2 % (b->btb_mask + 1), set);
			says_addr(&c, "branch", s, pc);
			says_addr(&c, "target", s, e[way].target);
			says(&c, "order", "%s", rank(used, b->btb_ways, way));
			says_hex(&c, "address", pc);
		}
		cells_close(&c);
	}
}

/* The map: a character for so many sets, 64 a row. */
static void read_btb_map(const struct session *s)
{
	const struct bpred *b = &pipe_of(s)->bpred;
	struct cells c;
	const uint32_t sets = b->btb_mask + 1, width = 64;
	assert_true(sets <= width * 16);
	cells_open(&c, s, "btb");
	for (uint32_t first = 0; first < sets; first += width) {
		char map[width * 3 + 1];
		uint32_t valid = 0;
		uint64_t newest = 0, latest = 0;
		map[0] = '\0';
		for (uint32_t set = first; set < first + width && set < sets; set++) {
			uint32_t here = 0;
			bool recent = false;
			for (uint32_t way = 0; way < b->btb_ways; way++) {
				const struct btb_entry *e =
					&b->btb[(size_t)set * b->btb_ways + way];
				here += e->tag != 0;
				recent |= e->tag && e->used + 64 > b->st->btb_clock;
				if (e->tag && e->used >= latest) {
					latest = e->used;
					newest = e->tag * 2;
				}
			}
			valid += here;
			strcat(map, recent ? "█" : here == b->btb_ways ? "▒" : here ? "░" : "·");
		}
		cells_row(&c);
		says(&c, "sets", "%u-%u", first, (first + width < sets ? first + width : sets) - 1);
		says(&c, "map", "%s", map);
		says_uint(&c, "valid", valid);
		says_uint(&c, "dirty", 0);
		if (valid)
			says_addr(&c, "newest", s, newest);
		else
			says_nothing(&c, "newest");
	}
	cells_close(&c);
}

static void read_ras(const struct session *s)
{
	const struct bpred *b = &pipe_of(s)->bpred;
	struct cells c;
	cells_open(&c, s, "ras");
	for (uint32_t depth = 0; depth < b->st->ras_count; depth++) {
		const uint64_t to =
			b->ras[(b->st->ras_top + 2 * b->ras_size - 1 - depth) % b->ras_size];
		assert_int_equal(cells_row(&c)->pc, to);
		says_uint(&c, "depth", depth);
		says_addr(&c, "returns_to", s, to);
		says_hex(&c, "address", to);
		says(&c, "state", "%s", depth ? "" : "predicts next");
	}
	cells_close(&c);
}

/* ---- the diagram ---- */
/* What is shown of a cycle: how far the instruction was. */
static char letter_of(const struct pipe *p, const struct uop *u, uint64_t cycle)
{
	const bool memory = op_info[u->inst.op].mem_bytes, ended = u->state >= UOP_RETIRED,
		   in_window = u->flags & UF_EXECUTED;
	if (cycle < u->when.fetch || (ended && cycle > u->when.end))
		return ' ';
	if (ended && cycle == u->when.end)
		return u->state == UOP_RETIRED ? 'C' : 'x';
	if (!in_window || cycle < u->when.dispatch)
		return cycle <= u->when.avail ? 'F' : '=';
	if (cycle == u->when.dispatch)
		return 'D';
	if (cycle == u->when.issue)
		return 'I';
	if (cycle == u->when.done)
		return 'W';
	if (cycle < u->when.issue || cycle > u->when.done)
		return '.';
	if (!memory || cycle < u->when.issue + (uint64_t)p->cfg->lsq_agen)
		return 'X';
	return cycle < u->when.mem ? 'A' : 'M';
}

/* A line of the diagram that begins with cycle `from`; a wait is a dot of two bytes there. */
static void says_line(struct cells *c, const struct pipe *p, const struct uop *u, uint64_t from,
                      uint64_t cycles)
{
	char line[600] = "", *end = line;
	for (uint64_t at = from; at < from + cycles && at < p->st->cycle; at++) {
		const char letter = letter_of(p, u, at);
		strcat(line, letter == '.' ? "·" : (char[]){letter, '\0'});
		end = letter == ' ' ? end : line + strlen(line);
	}
	*end = '\0';
	says(c, "pipeline", "%s", line);
}

static void says_stamp(struct cells *c, const char *column, uint64_t now, bool reached,
                       uint64_t cycle)
{
	if (reached && cycle < now)
		says_uint(c, column, cycle);
	else
		says_nothing(c, column);
}

/* Its note, of what is in flight; what has ended says what its longest wait was, or what squashed
 * it. */
static void says_note(struct cells *c, const struct pipe *p, const struct uop *u)
{
	const struct why w = uop_why(p, u);
	if (u->state < UOP_RETIRED) {
		const char *wait = wait_of(p, u);
		if (*wait && w.due != NO_CYCLE && w.due > p->st->cycle)
			says(c, "waits_for", "%s, %llu left", wait, (ull)(w.due - p->st->cycle));
		else
			says(c, "waits_for", "%s", wait);
		return;
	}
	const char *text = cells_at(c, "waits_for")->text, *cycles = strrchr(text, ',');
	ull by, n;
	if (u->state == UOP_SQUASHED) {
		assert_true(!strncmp(text, "squashed", 8));
		const struct uop *q =
			sscanf(text, "squashed by #%llu", &by) == 1 ? pipe_find(p, by) : NULL;
		assert_true(!q || (q->seq < u->seq && (q->when.done == u->when.end ||
		                                       q->when.dispatch == u->when.end)));
	} else if (*text) {
		assert_true(cycles && sscanf(cycles, ", %llu cycles", &n) == 1);
		assert_true(n > 1 && n <= u->when.end - u->when.fetch);
	}
}

/* Whether u takes something that the instruction of this number makes. */
static bool takes_from(const struct uop *u, uint64_t seq)
{
	return (u->flags & UF_EXECUTED) &&
	       (u->src.seq[0] == seq || u->src.seq[1] == seq || u->src.seq[2] == seq ||
	        (u->mem.wait_seq == seq && u->mem.level == LEVEL_FORWARD));
}

static const char *mark_of(const struct session *s, const struct uop *u)
{
	const struct uop *selected =
		s->selected_seq ? pipe_find(pipe_of(s), s->selected_seq) : NULL;
	if (!selected)
		return "";
	return u == selected                  ? "▶"
	       : takes_from(selected, u->seq) ? "◆"
	       : takes_from(u, selected->seq) ? "◇"
	                                      : "";
}

static void read_pipe(const struct session *s)
{
	const struct pipe *p = pipe_of(s);
	const uint64_t now = p->st->cycle;
	struct cells c;
	ull from;
	uint64_t before = 0;
	bool all = true;
	cells_open(&c, s, "pipe");
	char first[32], *to = first;
	if (p->st->next_seq == 1) {
		cells_close(&c);
		return;
	}
	assert_true(sscanf(c.g.summary, "cycles %31s", first) == 1);
	for (char *d = first; *d; d++)
		if (*d != ',')
			*to++ = *d;
	*to = '\0';
	from = strtoull(first, NULL, 10);
	/* The ruler: every twentieth cycle. */
	cells_row(&c);
	const char *ruler = cells_at(&c, "pipeline")->text;
	for (uint64_t at = (from + 19) / 20 * 20; at + 8 < from + strlen(ruler); at += 20)
		assert_memory_equal(ruler + (at - from) + 1, grouped(at), strlen(grouped(at)));
	c.said = UINT64_MAX;
	for (unsigned i = 1; i < c.g.row_count; i++) {
		const struct grid_row *row = cells_row(&c);
		const struct uop *u = pipe_find(p, row->seq);
		assert_true(row->seq > before);
		/* squashed before the first column */
		for (uint64_t seq = before + 1; before && seq < row->seq; seq++) {
			const struct uop *q = pipe_find(p, seq);
			assert_true(q && q->state >= UOP_RETIRED && q->when.end < from);
		}
		before = row->seq;
		if (!u) { /* further back than the machine remembers */
			c.said = UINT64_MAX;
			all = false;
			continue;
		}
		says(&c, "mark", "%s", mark_of(s, u));
		says_seq(&c, p, u);
		says(&c, "instruction", "%s", assembly_of(s, u));
		says_line(&c, p, u, from, c.g.columns[3].min_width);
		says_note(&c, p, u);
		says_addr(&c, "pc", s, u->pc);
		says_stamp(&c, "fetch", now, true, u->when.fetch);
		says_stamp(&c, "dispatch", now, u->flags & UF_EXECUTED, u->when.dispatch);
		says_stamp(&c, "issue", now, u->when.issue != NO_CYCLE, u->when.issue);
		says_stamp(&c, "memory", now, u->when.mem != NO_CYCLE, u->when.mem);
		const bool complete =
			u->state == UOP_DONE || u->state == UOP_RETIRED ||
			(u->state == UOP_SQUASHED && u->when.done != NO_CYCLE &&
		         (u->inst.klass == CLASS_STORE || u->when.done < u->when.end));
		says_stamp(&c, "done", now, complete, u->when.done);
		says_stamp(&c, "end", now, u->state >= UOP_RETIRED, u->when.end);
	}
	assert_true(all || p->pool_size < 128);
	cells_close(&c);
}

/* ---- profile instructions ---- */
static void read_bdt(const struct session *s)
{
	const struct pipe *p = pipe_of(s);
	const struct bdt *t = &p->xprof.bdt;
	struct cells c;
	cells_open(&c, s, "bdt");
	for (uint32_t i = 0; i < (t->mask + 1) * t->ways; i++) {
		const struct bdt_entry *e = &t->entry[i];
		if (!e->leader)
			continue;
		bool skipped = false;
		for (uint32_t k = 0; k < p->pool_size; k++) {
			const struct uop *u = &p->pool[k];
			skipped |= u->state == UOP_FETCHED && u->pc == e->leader &&
			           (u->flags & UF_SKIPS) && u->when.fetch + 1 == p->st->cycle;
		}
		assert_int_equal(cells_row(&c)->pc, e->leader);
		says(&c, "mark", "%s", e->touched + 1 != p->st->cycle ? "" : skipped ? "▶" : "◆");
		says_uint(&c, "set", i / t->ways);
		says_uint(&c, "way", i % t->ways);
		says_addr(&c, "leader", s, e->leader);
		says_word(&c, "follow", RAW_HEX, e->follow, "%s%s", addr_of(s, e->follow),
		          e->locked ? "…" : "");
		if (!e->locked && !e->on && e->count >= t->least)
			says_word(&c, "fetch", RAW_UINT, e->count - 1, "skips %u", e->count - 1);
		else
			says(&c, "fetch", "%s",
			     e->locked ? "learning"
			     : e->on   ? "fetches"
			               : "too short");
		says(&c, "predicts", "%s", e->on ? "● on" : "○ off");
		says_uint(&c, "insts", e->count);
		says(&c, "lock", "%s", e->locked ? "■ locked" : "");
		says_since(&c, "used", p->st->cycle, e->touched);
		says_uint(&c, "bytes", e->follow - e->leader);
		says_hex(&c, "address", e->leader);
	}
	cells_close(&c);
}

/* ---- machines ---- */
static void read_all(struct session *s)
{
	static void (*const reading[])(const struct session *) = {
		read_rob,   read_lsq,     read_fetchq, read_units, read_fu,
		read_bpred, read_btb_map, read_ras,    read_pipe};
	for (size_t i = 0; i < sizeof reading / sizeof *reading; i++)
		reading[i](s);
	read_rename(s, "rename");
	read_rename(s, "rename all");
	read_registers(s, "regs", 0);
	read_registers(s, "fregs", 32);
}

static void go_into(struct session *s, const char *function)
{
	const struct symbol *f = program_symbol_by_name(s->program, function);
	assert_non_null(f);
	while (machine_status(s->machine) == MACHINE_RUNNING &&
	       machine_pc(s->machine) - f->addr >= f->size)
		run_for(s, 20);
}

static void the_window_is_shown_as_it_is(void **state)
{
	(void)state;
	static const char *const settings[] = {
		NULL, "bpred.update=commit;bpred.kind=perceptron;bpred.history=12",
		"lsq.speculate=true;fu.mem=1;fu.int=1;bpred.update=fetch;l1i.latency=3",
		"fu.div=1;pipe.int_writes=2;pipe.fp_writes=1"};
	for (unsigned k = 0; k < sizeof settings / sizeof *settings; k++) {
		struct session *s = open_program("tests/golden/guest.elf", settings[k]);
		for (unsigned i = 0; i < STOPS; i++) {
			run_for(s, STRIDE + i * 3);
			s->selected_seq = i % 3 && pipe_of(s)->st->rob_count
			                          ? pipe_rob_at(pipe_of(s),
			                                        (pipe_of(s)->st->rob_count - 1) / i)
			                                    ->seq
			                          : 0;
			read_all(s);
			if (i % 20 == 19)
				read_btb(s);
		}
		s->selected_seq = 0;
		go_into(s, "sum_series");
		for (unsigned i = 0; i < 20; i++) {
			run_for(s, 17);
			read_all(s);
		}
		session_free(s);
	}
}

static void descriptors_are_shown_as_they_are(void **state)
{
	(void)state;
	struct session *s = open_program("tests/golden/profile.elf", NULL);
	while (machine_status(s->machine) == MACHINE_RUNNING && machine_cycle(s->machine) < 4000) {
		run_for(s, 3);
		read_bdt(s);
	}
	session_free(s);
}

static void nothing_is_left_out(void **state)
{
	(void)state;
	views_are_complete("pipeline");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_window_is_shown_as_it_is),
		cmocka_unit_test(descriptors_are_shown_as_they_are),
		cmocka_unit_test(nothing_is_left_out),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
