/* What views of counts and profiles show, cell by cell, against statistics and against events that
 * were heard while they happened (tests/unit/cells/view_cells.h). */
#include "tests/by_hand.h"
#include "tests/unit/cells/view_cells.h"

#include "hwviews/why/hot.h"
#include "hwviews/why/what_if.h"

enum { SEQS = 1 << 18, PLACES = 1 << 15, TEXT_AT = 0x10000, LAST = 16 };

/* ---- what happened ---- */
enum by { BY_BIMODAL, BY_TWO_LEVEL, BY_RAS, BY_BTB, BY_NOBODY, BY_COUNT };

struct place {
	uint64_t pc, executed, lost, l2, memory, forwards, times, taken, wrong, resolving,
		by[BY_COUNT], now;
	char took[LAST + 1], said[LAST + 1]; /* the newest last */
};

struct happened {
	struct place at[PLACES]; /* by (pc - TEXT_AT) / 2 */
	uint8_t level[SEQS];     /* of instructions, by seq */
	struct {
		bool known, taken, said, wrong;
		uint8_t by;
		uint32_t resolving;
	} outcome[SEQS];
	uint64_t committed, waiting; /* in this cycle; slots lost that nobody has yet */
};

static void push(char last[LAST + 1], char letter)
{
	const size_t n = strlen(last);
	if (n == LAST)
		memmove(last, last + 1, LAST);
	last[n == LAST ? LAST - 1 : n] = letter;
}

static void hear_outcome(struct happened *h, const struct uop *u, uint64_t cycle)
{
	const bool jump = u->op_flags & OPF_JUMP;
	h->outcome[u->seq].known = true;
	h->outcome[u->seq].taken = jump || u->exec.taken;
	h->outcome[u->seq].said = jump || (u->mark.flags & BPM_TAKEN);
	h->outcome[u->seq].wrong = u->flags & UF_MISPREDICT;
	h->outcome[u->seq].resolving =
		h->outcome[u->seq].wrong ? (uint32_t)(cycle - u->when.fetch) : 0;
	h->outcome[u->seq].by = !jump ? u->mark.flags & BPM_USED_L2 ? BY_TWO_LEVEL : BY_BIMODAL
	                        : u->mark.flags & BPM_FROM_RAS ? BY_RAS
	                        : u->mark.flags & BPM_BTB_HIT  ? BY_BTB
	                                                       : BY_NOBODY;
}

static void hear(void *ctx, const struct machine *m, const struct event *ev)
{
	struct happened *h = ctx;
	assert_true(ev->seq < SEQS && (ev->pc - TEXT_AT) / 2 < PLACES);
	struct place *p = &h->at[(ev->pc - TEXT_AT) / 2];
	if (ev->id == EV_MEM)
		h->level[ev->seq] = (uint8_t)ev->mem.level;
	if (ev->id == EV_RESOLVE)
		hear_outcome(h, pipe_uop(machine_pipe(m), (uint16_t)ev->slot), ev->cycle);
	if (ev->id != EV_COMMIT)
		return;
	h->committed++;
	p->pc = ev->pc;
	p->executed++;
	p->now++;
	p->lost += h->waiting;
	h->waiting = 0;
	p->l2 += h->level[ev->seq] == LEVEL_L2;
	p->memory += h->level[ev->seq] == LEVEL_MEMORY;
	p->forwards += h->level[ev->seq] == LEVEL_FORWARD;
	if (!h->outcome[ev->seq].known)
		return;
	p->times++;
	p->taken += h->outcome[ev->seq].taken;
	p->wrong += h->outcome[ev->seq].wrong;
	p->resolving += h->outcome[ev->seq].resolving;
	p->by[h->outcome[ev->seq].by]++;
	push(p->took, h->outcome[ev->seq].taken ? 'T' : 'n');
	push(p->said, !h->outcome[ev->seq].said                                ? 'n'
	              : h->outcome[ev->seq].wrong && h->outcome[ev->seq].taken ? 't'
	                                                                       : 'T');
}

static void step_cycle(struct session *s, struct happened *h)
{
	h->committed = 0;
	for (unsigned i = 0; i < PLACES; i++)
		h->at[i].now = 0;
	run_for(s, 1);
	h->waiting += (uint64_t)machine_config(s->machine)->commit_width - h->committed;
}

/* Those that were executed, or are waited for, in the order that `more` says; the caller's. */
static struct place *ranked(const struct session *s, const struct happened *h,
                            int (*more)(const void *, const void *), size_t *n)
{
	struct place *all = malloc(PLACES * sizeof *all);
	const uint64_t pc = machine_pc(s->machine);
	*n = 0;
	for (unsigned i = 0; i < PLACES; i++) {
		const bool waits = h->waiting && TEXT_AT + 2 * (uint64_t)i == pc;
		if (!h->at[i].pc && !waits)
			continue;
		all[*n] = h->at[i];
		all[*n].pc = TEXT_AT + 2 * (uint64_t)i;
		all[(*n)++].lost += waits ? h->waiting : 0;
	}
	qsort(all, *n, sizeof *all, more);
	return all;
}

static int order(uint64_t first, uint64_t second)
{
	return first < second ? -1 : first > second;
}

static int hotter(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
	const int heat = order(y->executed + y->lost, x->executed + x->lost);
	return heat ? heat : order(x->pc, y->pc);
}

static int more_often(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
	const int count = order(y->executed, x->executed);
	return count ? count : order(x->pc, y->pc);
}

/* Slots as cycles: "1,234.25". */
static void says_slots(struct cells *c, const char *column, uint64_t slots, uint64_t width)
{
	char fraction[16];
	snprintf(fraction, sizeof fraction, "%.2f", (double)(slots % width) / (double)width);
	says_double(c, column, (double)slots / (double)width, "%s%s", grouped(slots / width),
	            fraction + 1);
}

static void says_some(struct cells *c, const char *column, uint64_t n)
{
	says_word(c, column, RAW_UINT, n, "%s", n ? grouped(n) : "");
}

static void says_code(struct cells *c, const char *column, const struct session *s, uint64_t pc)
{
	uint32_t raw = 0;
	struct inst in;
	char text[128];
	assert_true(machine_peek(s->machine, pc, &raw, 4));
	inst_decode((raw & 3) == 3 ? raw : raw & 0xffff, &in);
	assembly(s, &in, pc, text);
	says(c, column, "%s", text);
}

/* ---- charges: tests/unit/hwviews/test_charges.c says what these must be ---- */
enum { CHARGED = 128 }; /* rows of both stacks */

static struct hot_profile charged(const struct session *s)
{
	struct hot_profile p;
	struct err err;
	if (!hot_take(s, &(struct region){.given = false}, &p, &err))
		fail_msg("%s", err.msg);
	return p;
}

/* Adds what an address has, in the order of statistics. */
static void add_charges(const struct hot_profile *p, uint64_t pc, int64_t rows[CHARGED])
{
	for (size_t i = 0; i < p->charge_count; i++)
		if (p->charges[i].pc == pc)
			rows[p->charges[i].row] += p->charges[i].slots;
}

/* The largest of slots.* that is a loss. */
static const char *lost_to(const int64_t rows[CHARGED])
{
	char *out = some_text();
	int64_t most = 0;
	*out = '\0';
	for (unsigned i = 0; i < CHARGED; i++) {
		const struct stat_row *row = charge_stat(i);
		if (!row || strncmp(row->name, "slots.", 6) ||
		    !strcmp(row->name, "slots.retired") || !strcmp(row->name, "slots.in_flight") ||
		    rows[i] <= most)
			continue;
		most = rows[i];
		snprintf(out, 64, "%s", row->name + 6);
	}
	for (char *at = out; (at = strchr(at, '_'));)
		*at = ' ';
	return out;
}

/* ---- hot spots ---- */
static void hot_row(struct cells *c, const struct session *s, const struct place *p,
                    const int64_t rows[CHARGED])
{
	const char *to = lost_to(rows);
	says(c, "lost_to", "%s", *to || p->lost || !p->executed ? to : "nothing: it ran");
	const uint64_t width = (uint64_t)machine_config(s->machine)->commit_width;
	const double share =
		100 * (double)(p->executed + p->lost) / (double)(machine_cycle(s->machine) * width);
	says_uint(c, "executed", p->executed);
	says_slots(c, "held", p->lost, width);
	says_double(c, "share", share, "%.1f%%", share);
	says_some(c, "l2", p->l2);
	says_some(c, "memory", p->memory);
	says_some(c, "forwards", p->forwards);
	says_some(c, "wrong", p->wrong);
	says_uint(c, "lost", p->lost);
}

static void add(struct place *sum, const struct place *p)
{
	sum->executed += p->executed;
	sum->lost += p->lost;
	sum->l2 += p->l2;
	sum->memory += p->memory;
	sum->forwards += p->forwards;
	sum->times += p->times;
	sum->taken += p->taken;
	sum->wrong += p->wrong;
	sum->resolving += p->resolving;
}

static void read_hot(const struct session *s, const struct happened *h, bool whole)
{
	struct cells c;
	struct place sum[2] = {{.pc = 0}, {.pc = 0}}; /* those that have no row, all */
	int64_t rows[2][CHARGED] = {{0}};
	const struct hot_profile profile = charged(s);
	size_t n;
	struct place *all = ranked(s, h, hotter, &n);
	const size_t shown = whole || n <= 21 ? n : 20;
	cells_open(&c, s, whole ? "hot all" : "hot");
	for (size_t i = 0; i < n; i++) {
		add(&sum[1], &all[i]);
		add_charges(&profile, all[i].pc, rows[1]);
		if (i >= shown) {
			add(&sum[0], &all[i]);
			add_charges(&profile, all[i].pc, rows[0]);
			continue;
		}
		int64_t own[CHARGED] = {0};
		add_charges(&profile, all[i].pc, own);
		assert_int_equal(cells_row(&c)->pc, all[i].pc);
		says_addr(&c, "place", s, all[i].pc);
		says_code(&c, "text", s, all[i].pc);
		hot_row(&c, s, &all[i], own);
		says_hex(&c, "address", all[i].pc);
	}
	for (unsigned i = shown == n; i < 2; i++) {
		cells_row(&c);
		if (i)
			says(&c, "place", "total");
		else
			says(&c, "place", "%s others", grouped(n - shown));
		says(&c, "text",
		     i ? "every commit slot, and none twice" : "`view hot all` has them");
		hot_row(&c, s, &sum[i], rows[i]);
		says_nothing(&c, "address");
	}
	cells_close(&c);
	free(all);
}

/* Beside code once a profile was taken: of the instructions of a function, as its listing has them.
 */
static void read_beside_code(const struct session *s, const struct happened *h)
{
	const uint64_t width = (uint64_t)machine_config(s->machine)->commit_width;
	const struct symbol *walk = program_symbol_by_name(s->program, "walk");
	struct source_line at, here;
	struct cells c;
	cells_open(&c, s, "disasm walk 12");
	for (unsigned i = 0; i < 12; i++) {
		struct place p = h->at[(cells_row(&c)->pc - TEXT_AT) / 2];
		p.lost += c.g.rows[i].pc == machine_pc(s->machine) ? h->waiting : 0;
		if (p.executed + p.lost) {
			says_uint(&c, "executed", p.executed);
			says_slots(&c, "held", p.lost, width);
		} else {
			says_nothing(&c, "executed");
			says_nothing(&c, "held");
		}
		c.said = UINT64_MAX; /* the rest: test_view_cells_memory.c */
	}
	cells_close(&c);
	assert_true(program_line_at(s->program, walk->addr, &here));
	cells_open(&c, s, "source walk");
	for (unsigned row = 0; row < c.g.row_count; row++) {
		struct place sum = {.pc = 0};
		cells_row(&c);
		for (unsigned i = 0; i < PLACES; i++) {
			const uint64_t pc = TEXT_AT + 2 * (uint64_t)i;
			struct place p = h->at[i];
			p.lost += pc == machine_pc(s->machine) ? h->waiting : 0;
			if (p.executed + p.lost && program_line_at(s->program, pc, &at) &&
			    !strcmp(at.file, here.file) && at.line == c.g.rows[row].cells[1].raw.u)
				add(&sum, &p);
		}
		if (sum.executed + sum.lost) {
			says_uint(&c, "executed", sum.executed);
			says_slots(&c, "held", sum.lost, width);
		} else {
			says_nothing(&c, "executed");
			says_nothing(&c, "held");
		}
		c.said = UINT64_MAX;
	}
	cells_close(&c);
}

/* ---- branches ---- */
static uint64_t charged_row(const int64_t rows[CHARGED], const char *name)
{
	for (unsigned i = 0; i < CHARGED; i++)
		if (charge_stat(i) && !strcmp(charge_stat(i)->name, name))
			return (uint64_t)rows[i];
	fail_msg("%s", name);
	return 0;
}

static void branch_counts(struct cells *c, const struct place *p, uint64_t wrong_path,
                          uint64_t refill)
{
	const double rate = 100 * (double)p->wrong / (double)p->times, wrong = (double)p->wrong;
	says_uint(c, "executed", p->times);
	says_uint(c, "taken", p->taken);
	says_uint(c, "wrong", p->wrong);
	if (p->times)
		says_double(c, "rate", rate, "%.1f%%", rate);
	else
		says_nothing(c, "rate");
	says_slots(c, "lost", wrong_path + refill, 4);
	if (p->wrong) {
		says_double(c, "each", (double)(wrong_path + refill) / 4 / wrong, "%.2f",
		            (double)(wrong_path + refill) / 4 / wrong);
		says_double(c, "resolving", (double)p->resolving / wrong, "%.2f",
		            (double)p->resolving / wrong);
	} else {
		says_nothing(c, "each");
		says_nothing(c, "resolving");
	}
	says_uint(c, "wrong_path", wrong_path);
	says_uint(c, "refill", refill);
	says_uint(c, "slots", wrong_path + refill);
}

/* "two-level 95, bimodal 5": the most often first. */
static const char *believed(const struct place *p)
{
	static const char *const names[] = {"bimodal", "two-level", "return stack", "BTB",
	                                    "nobody"};
	char *out = some_text();
	uint64_t left[BY_COUNT];
	memcpy(left, p->by, sizeof left);
	*out = '\0';
	for (unsigned k = 0; k < BY_COUNT; k++) {
		unsigned most = 0;
		for (unsigned i = 1; i < BY_COUNT; i++)
			most = left[i] > left[most] ? i : most;
		char digits[32];
		snprintf(digits, sizeof digits, "%s", grouped(left[most]));
		if (left[most])
			snprintf(out + strlen(out), 256 - strlen(out), "%s%s %s", *out ? ", " : "",
			         names[most], digits);
		left[most] = 0;
	}
	return out;
}

struct costing {
	struct place p;
	uint64_t wrong_path, refill;
};

static int dearer(const void *a, const void *b)
{
	const struct costing *x = a, *y = b;
	const int cost = order(y->wrong_path + y->refill, x->wrong_path + x->refill),
		  wrong = order(y->p.wrong, x->p.wrong), times = order(y->p.times, x->p.times);
	return cost ? cost : wrong ? wrong : times ? times : order(x->p.pc, y->p.pc);
}

static void read_branches(const struct session *s, const struct happened *h)
{
	static struct costing all[PLACES];
	static uint64_t rows[PLACES][2];
	const struct hot_profile profile = charged(s);
	const struct stats *st = machine_stats(s->machine);
	struct cells c;
	struct costing total = {.p.pc = 0};
	size_t n = 0;
	memset(rows, 0, sizeof rows);
	for (size_t i = 0; i < profile.charge_count; i++) {
		const char *name = charge_stat(profile.charges[i].row)->name;
		if (!strcmp(name, "slots.wrong_path") || !strcmp(name, "slots.branch_refill"))
			rows[(profile.charges[i].pc - TEXT_AT) / 2]
			    [!strcmp(name, "slots.branch_refill")] +=
				(uint64_t)profile.charges[i].slots;
	}
	for (unsigned i = 0; i < PLACES; i++) {
		all[n] = (struct costing){h->at[i], rows[i][0], rows[i][1]};
		all[n].p.pc = TEXT_AT + 2 * (uint64_t)i;
		n += all[n].p.times || all[n].wrong_path + all[n].refill;
	}
	qsort(all, n, sizeof *all, dearer);
	cells_open(&c, s, "branches all");
	for (size_t i = 0; i < n; i++) {
		const struct place *p = &all[i].p;
		add(&total.p, p);
		total.wrong_path += all[i].wrong_path;
		total.refill += all[i].refill;
		assert_int_equal(cells_row(&c)->pc, p->pc);
		says_addr(&c, "place", s, p->pc);
		branch_counts(&c, p, all[i].wrong_path, all[i].refill);
		says(&c, "outcomes", "%s", p->took);
		says(&c, "predictions", "%s", p->said);
		says(&c, "believed", "%s", believed(p));
		says_code(&c, "instruction", s, p->pc);
		says_hex(&c, "address", p->pc);
	}
	/* No load is replayed here, and nothing interrupts. */
	assert_true(total.wrong_path == st->slot_wrong_path &&
	            total.refill == st->slot_branch_refill);
	if (n) {
		static const char *const empty[] = {"outcomes", "predictions", "believed",
		                                    "instruction", "address"};
		cells_row(&c);
		says(&c, "place", "total");
		branch_counts(&c, &total.p, total.wrong_path, total.refill);
		for (unsigned i = 0; i < 5; i++)
			says_nothing(&c, empty[i]);
	}
	cells_close(&c);
}

/* ---- exact counts ---- */
static void oracle_row(struct cells *c, const struct session *s, const struct place *p)
{
	const double share = 100 * (double)p->executed / (double)machine_stats(s->machine)->insts;
	says_uint(c, "count", p->executed);
	if (p->now)
		says_word(c, "now", RAW_UINT, p->now, "+%llu", (ull)p->now);
	else
		says_nothing(c, "now");
	says_double(c, "share", share, "%.2f%%", share);
	says_hex(c, "address", p->pc);
	says(c, "place", "%s", place_of(s, p->pc));
	says_code(c, "instruction", s, p->pc);
}

static void read_oracle(const struct session *s, const struct happened *h)
{
	struct cells c;
	size_t n, shown = 0, now = 0;
	struct place *all = ranked(s, h, more_often, &n);
	cells_open(&c, s, "oracle");
	while (shown < n && shown < 20 && all[shown].executed) {
		assert_int_equal(cells_row(&c)->pc, all[shown].pc);
		oracle_row(&c, s, &all[shown++]);
	}
	/* Below them what committed just now, in any order. */
	for (size_t i = shown; i < n; i++)
		now += all[i].now != 0;
	while (now--) {
		const struct place *p = &h->at[(cells_row(&c)->pc - TEXT_AT) / 2];
		assert_true(p->now > 0);
		oracle_row(&c, s, p);
	}
	cells_close(&c);
	free(all);
}

/* ---- statistics ---- */
static uint64_t counter_of_row(const struct session *s, const struct stat_row *row)
{
	uint64_t n;
	memcpy(&n, (const char *)machine_stats(s->machine) + row->offset, sizeof n);
	return n;
}

static void read_stats(const struct session *s)
{
	struct cells c;
	cells_open(&c, s, "stats");
	for (size_t i = 0; i < stat_row_count; i++) {
		const struct stat_row *row = &stat_rows[i];
		if (!stat_exists(machine_config(s->machine), row))
			continue;
		cells_row(&c);
		says(&c, "name", "%s", row->name);
		if (row->derived) {
			const double v = stat_value(machine_stats(s->machine), row);
			says_double(&c, "value", v, "%.4f", v);
		} else {
			says_uint(&c, "value", counter_of_row(s, row));
		}
		says(&c, "unit", "%s", row->unit);
		says(&c, "meaning", "%s", row->help);
	}
	cells_close(&c);
}

static void read_cpi(const struct session *s)
{
	const struct stats *st = machine_stats(s->machine);
	const double width = (double)machine_config(s->machine)->commit_width,
		     cycles = (double)st->cycles, insts = (double)st->insts;
	uint64_t total = 0;
	struct cells c;
	cells_open(&c, s, "cpi");
	for (size_t i = 0; i <= stat_row_count; i++) {
		const struct stat_row *row = i < stat_row_count ? &stat_rows[i] : NULL;
		if (row && (strncmp(row->name, "cpi.", 4) != 0 ||
		            !stat_exists(machine_config(s->machine), row)))
			continue;
		const uint64_t slots = row ? counter_of_row(s, row) : total;
		const double share = row ? (double)slots / width / cycles : 1,
			     cpi = insts > 0 ? (double)slots / width / insts : 0;
		char cause[64], bar[100] = "";
		snprintf(cause, sizeof cause, "%s", row ? row->name + 4 : "total");
		for (char *at = cause; (at = strchr(at, '_'));)
			*at = ' ';
		for (int k = 0; row && k < (int)(share * 24 + 0.5); k++)
			strcat(bar, "█");
		cells_row(&c);
		says(&c, "cause", "%s", cause);
		says_double(&c, "cpi", cpi, "%.3f", cpi);
		says_double(&c, "share", 100 * share, "%.1f%%", 100 * share);
		says(&c, "bar", "%s", bar);
		says_slots(&c, "cycles", slots, (uint64_t)width);
		says(&c, "meaning", "%s", row ? row->help : "every cycle, and no cycle twice");
		says_uint(&c, "slots", slots);
		total += row ? slots : 0;
	}
	assert_int_equal(total, st->cycles * (uint64_t)width);
	cells_close(&c);
}

static void slots_row(struct cells *c, const char *cause, const char *help, double slots,
                      double all, double width)
{
	const double share = slots / all;
	char bar[100] = "", name[64];
	snprintf(name, sizeof name, "%s", cause);
	for (char *at = name; (at = strchr(at, '_'));)
		*at = ' ';
	for (int k = 0; k < (int)(share * 24 + 0.5); k++)
		strcat(bar, "█");
	cells_row(c);
	says(c, "cause", "%s", name);
	says_double(c, "share", 100 * share, "%.1f%%", 100 * share);
	says(c, "bar", "%s", bar);
	says_double(c, "cycles", slots / width, "%.2f", slots / width);
	says(c, "meaning", "%s", help);
	says_word(c, "slots", RAW_INT, (uint64_t)(int64_t)slots, "%s", grouped((uint64_t)slots));
}

/* The rows of one group, by the names of their statistics; none: the group itself is missing if its
 * sum is 0. */
static void read_slot_group(struct cells *c, const struct session *s, const char *name,
                            const char *help, bool always, const char *rows, double width)
{
	const double all = width * (double)machine_stats(s->machine)->cycles;
	char copy[512], *save;
	double sum = 0;
	for (int pass = 0; pass < 2; pass++) {
		snprintf(copy, sizeof copy, "%s", rows);
		if (pass && !always && !sum)
			return;
		if (pass)
			slots_row(c, name, help, sum, all, width);
		for (char *row = strtok_r(copy, " ", &save); row;
		     row = strtok_r(NULL, " ", &save)) {
			char full[64];
			snprintf(full, sizeof full, "slots.%s", row);
			const struct stat_row *of = stat_find(full, NULL);
			const double slots = stat_value(machine_stats(s->machine), of);
			sum += pass ? 0 : slots;
			snprintf(full, sizeof full, "  %s", row);
			const char *said =
				strcmp(row, "in_flight")
					? of->help
					: "took instructions that are still in flight; negative: "
			                  "more were at the region's beginning";
			if (pass && slots != 0)
				slots_row(c, full, said, slots, all, width);
		}
	}
}

static void read_slots(const struct session *s)
{
	const double width = 4; /* of decode: the others are no more */
	struct cells c;
	cells_open(&c, s, "slots");
	read_slot_group(&c, s, "used", "took instructions that retired, or are in flight", true,
	                "retired in_flight", width);
	read_slot_group(&c, s, "bad speculation", "the wrong path, and the way back from it", true,
	                "wrong_path branch_refill replayed replay_refill interrupted", width);
	read_slot_group(&c, s, "fetch latency", "nothing came from fetch", true,
	                "itlb icache_l2 icache_memory misfetch fetch_fill", width);
	read_slot_group(&c, s, "fetch bandwidth",
	                "less came from fetch, or went through decode, than there was room for",
	                true, "fetch_width fetch_taken fetch_line fetch_queue decode_width", width);
	read_slot_group(&c, s, "profiling", "profile instructions and their flags", false,
	                "profile_dropped profile_wait profile_fetch", width);
	read_slot_group(&c, s, "execution",
	                "no room in the window: units, widths and latencies hold the oldest", true,
	                "unit_int unit_imuldiv unit_fadd unit_fmuldiv unit_mem unit_div "
	                "issue_width commit_width latency_int latency_imuldiv latency_fadd "
	                "latency_fmuldiv serial",
	                width);
	read_slot_group(
		&c, s, "memory", "no room in the window: loads and stores hold the oldest", true,
		"forward store_order dtlb l1d l2 l2_held memory bus mshr write_buffer", width);
	read_slot_group(&c, s, "other", "the program was not at work", false,
	                "fault firmware vsample", width);
	slots_row(&c, "total", "every slot of every cycle, once",
	          width * (double)machine_stats(s->machine)->cycles,
	          width * (double)machine_stats(s->machine)->cycles, width);
	cells_close(&c);
}

/* By instruction: a row for each address that has slots. "unit imuldiv 9.1%, l1d 0.2%": the three
 * largest losses that are a tenth of a percent. */
static void place_row(struct cells *c, const char *stack, const int64_t rows[CHARGED], double all,
                      uint64_t width)
{
	int64_t sum = 0, used = 0, left[CHARGED];
	char *text = some_text();
	*text = '\0';
	for (unsigned i = 0; i < CHARGED; i++) {
		const struct stat_row *row = charge_stat(i);
		left[i] = 0;
		if (!row || strncmp(row->name, stack, strlen(stack)) != 0)
			continue;
		const char *name = row->name + strlen(stack);
		const bool good = !strcmp(name, "retired") || !strcmp(name, "in_flight") ||
		                  !strcmp(name, "base") || !strcmp(name, "profile");
		sum += rows[i];
		used += good ? rows[i] : 0;
		left[i] = good ? 0 : rows[i];
	}
	for (unsigned k = 0; k < 3; k++) {
		unsigned most = 0;
		for (unsigned i = 1; i < CHARGED; i++)
			most = left[i] > left[most] ? i : most;
		if (100 * (double)left[most] / all < 0.05)
			break;
		snprintf(text + strlen(text), 200 - strlen(text), "%s%s %.1f%%", *text ? ", " : "",
		         charge_stat(most)->name + strlen(stack), 100 * (double)left[most] / all);
		left[most] = 0;
	}
	for (char *at = text; (at = strchr(at, '_'));)
		*at = ' ';
	says_double(c, "share", 100 * (double)sum / all, "%.1f%%", 100 * (double)sum / all);
	says_double(c, "used", 100 * (double)used / all, "%.1f%%", 100 * (double)used / all);
	says(c, "lost_to", "%s", text);
	says_slots(c, "cycles", (uint64_t)sum, width);
	says_word(c, "slots", RAW_INT, (uint64_t)sum, "%s", grouped((uint64_t)sum));
}

static void read_places(const struct session *s, bool cpi)
{
	const char *stack = cpi ? "cpi." : "slots.";
	const uint64_t width = cpi ? 3 : 4;
	const double all = (double)(machine_cycle(s->machine) * width);
	const struct hot_profile profile = charged(s);
	int64_t total[CHARGED] = {0};
	struct cells c;
	cells_open(&c, s, cpi ? "cpi instructions all" : "slots instructions all");
	for (unsigned r = 0; r + 1 < c.g.row_count; r++) {
		int64_t rows[CHARGED] = {0};
		const uint64_t pc = cells_row(&c)->pc;
		add_charges(&profile, pc, rows);
		add_charges(&profile, pc, total);
		says_addr(&c, "place", s, pc);
		says_hex(&c, "address", pc);
		place_row(&c, stack, rows, all, width);
	}
	cells_row(&c);
	says(&c, "place", "total");
	says_nothing(&c, "address");
	place_row(&c, stack, total, all, width);
	cells_close(&c);
}

/* The stack of a part says what its addresses have. */
static void read_part(const struct session *s)
{
	const struct symbol *walk = program_symbol_by_name(s->program, "walk");
	const struct hot_profile profile = charged(s);
	int64_t rows[CHARGED] = {0}, all = 0;
	unsigned told = 0;
	struct err err;
	struct grid g;
	for (uint64_t pc = walk->addr; pc < walk->addr + walk->size; pc += 2)
		add_charges(&profile, pc, rows);
	for (unsigned i = 0; i < CHARGED; i++)
		all += charge_stat(i) && !strncmp(charge_stat(i)->name, "slots.", 6) ? rows[i] : 0;
	assert_true(view_build(s, "slots of walk", &(struct view_args){0}, &g, &err));
	for (unsigned r = 0; r < g.row_count; r++) {
		char name[64];
		const struct cell *cells = g.rows[r].cells;
		snprintf(name, sizeof name, "slots.%s", cells[0].text + strspn(cells[0].text, " "));
		for (char *at = name; (at = strchr(at, ' '));)
			*at = '_';
		if (*cells[0].text == ' ') {
			assert_int_equal(cells[5].raw.i, charged_row(rows, name));
			assert_true(fabs(cells[1].raw.d -
			                 100 * (double)cells[5].raw.i / (double)all) < 1e-9);
			told++;
		}
	}
	assert_true(all ? g.rows[g.row_count - 1].cells[5].raw.i == all && told > 2 : !g.row_count);
	grid_deinit(&g);
}

enum { SLOT_ROWS = SLOT_COUNT };

/* Cycles of the program's first instructions on a machine of these settings; in each row of the
 * slot stack, too. */
static uint64_t cycles_with(const struct session *s, const char *settings, uint64_t insts,
                            double rows[SLOT_ROWS])
{
	static const char *const names[] = {
#define SLOT(field, name, ...) "slots." name,
#include "core/defs/slots.def"
#undef SLOT
	};
	struct launch l = s->launch;
	struct config cfg = *machine_config(s->machine);
	struct err err;
	char copy[256], *save;
	snprintf(copy, sizeof copy, "%s", settings);
	for (char *one = strtok_r(copy, " ", &save); one; one = strtok_r(NULL, " ", &save))
		assert_true(config_set_assignment(&cfg, one, &err));
	struct machine *m = launch_machine(&l, s->program, &cfg, &err);
	assert_non_null(m);
	machine_run(m, UINT64_MAX, insts);
	const uint64_t cycles = machine_cycle(m);
	for (unsigned i = 0; i < SLOT_ROWS; i++)
		rows[i] = stat_value(machine_stats(m), stat_find(names[i], NULL)) /
		          (strstr(settings, "decode_width") ? 16 : 4);
	machine_free(m);
	return cycles;
}

/* The row that grew most is named, and by how much, unless that is less than half a per cent. */
static void says_next(struct cells *c, const double now[SLOT_ROWS], const double then[SLOT_ROWS],
                      uint64_t cycles)
{
	static const char *const names[] = {
#define SLOT(field, name, ...) name,
#include "core/defs/slots.def"
#undef SLOT
	};
	unsigned most = 0;
	for (unsigned i = 0; i < SLOT_ROWS; i++)
		if (then[i] - now[i] > then[most] - now[most])
			most = i;
	const double grew = then[most] - now[most];
	const bool told = grew > (double)cycles / 200;
	says(c, "next", "%s", told ? names[most] : "");
	if (told)
		says_double(c, "grew", grew, "+%s", grouped((uint64_t)(grew + 0.5)));
	else
		says(c, "grew", "%s", "");
}

static int64_t never_asked(void *ctx, const void **bytes)
{
	(void)ctx, (void)bytes;
	fail_msg("the program reads nothing");
	return 0;
}

static bool no_more(void *ctx, unsigned done, unsigned all, uint64_t steps)
{
	(void)ctx, (void)steps;
	return done < all / 2;
}

/* A stretch from the beginning is run again with nothing warm: as the program itself, on another
 * machine. */
static void stretches_are_run_again(void **state)
{
	(void)state;
	struct session *s = open_program("tests/golden/guest.elf", "pipe.commit_width=3");
	struct region all = {0};
	struct err err;
	struct cells c;
	uint64_t last = 0;
	run_for(s, 3000);
	s->what_if = malloc(sizeof *s->what_if);
	assert_true(what_if_run(s, &all, NULL, NULL, s->what_if, &err));
	const struct what_if *w = s->what_if;
	double now[SLOT_ROWS], then[SLOT_ROWS];
	const uint64_t insts = machine_stats(s->machine)->insts,
		       cycles = cycles_with(s, "", insts, now);
	assert_int_equal(w->insts, insts);
	assert_true(w->cycles == cycles && cycles <= 3000);
	cells_open(&c, s, "what-if all");
	for (unsigned i = 0; i < WHAT_IF_ROWS; i++) {
		const struct what_if_remedy *r = w->row[i].remedy;
		const uint64_t without = cycles_with(s, r->settings, insts, then);
		const int64_t saved = (int64_t)(cycles - without);
		const double share = 100 * (double)saved / (double)cycles;
		char bar[100] = "", copy[128], *save;
		double claim = 0;
		assert_true(without >= last);
		last = without;
		for (int k = 0; k < (int)(share / 100 * 24 + 0.5); k++)
			strcat(bar, "█");
		snprintf(copy, sizeof copy, "%s", r->rows);
		for (char *row = strtok_r(copy, " ", &save); row;
		     row = strtok_r(NULL, " ", &save)) {
			char name[64];
			snprintf(name, sizeof name, "slots.%s", row);
			claim += stat_value(machine_stats(s->machine), stat_find(name, NULL)) / 4;
		}
		cells_row(&c);
		says(&c, "cause", "%s", r->name);
		says_uint(&c, "cycles", without);
		says_word(&c, "saved", RAW_INT, (uint64_t)saved, "%s%s", saved < 0 ? "-" : "",
		          grouped((uint64_t)(saved < 0 ? -saved : saved)));
		says_double(&c, "share", share, "%.1f%%", share);
		says(&c, "bar", "%s", bar);
		if (*r->rows)
			says_double(&c, "claim", w->row[i].claim, "%s",
			            grouped((uint64_t)(w->row[i].claim + 0.5)));
		else
			says(&c, "claim", "%s", "");
		says_next(&c, now, then, cycles);
		says(&c, "settings", "%s", r->settings);
		/* the session is up to a cycle further than where its last instruction committed */
		assert_true(w->row[i].claim <= claim + 1 &&
		            claim <= w->row[i].claim + (double)(3000 - cycles) + 1);
	}
	cells_close(&c);
	session_ask_for_input(s, never_asked, NULL);
	assert_true(what_if_run(s, &all, NULL, NULL, s->what_if, &err));
	assert_false(what_if_run(s, &all, no_more, NULL, s->what_if, &err));
	assert_string_equal(err.msg, "interrupted");
	assert_true(machine_set_reg(s->machine, 5, 1, &err));
	run_for(s, 10);
	assert_false(what_if_run(s, &all, NULL, NULL, s->what_if, &err));
	assert_non_null(strstr(err.msg, "changed by hand"));
	session_free(s);
}

static void counts_are_those_of_events(void **state)
{
	(void)state;
	static const uint64_t stops[] = {700, 1900, 2500, 6000, 9001, 16000};
	struct session *s =
		open_program("tests/golden/guest.elf", "oracle.enable=true;pipe.commit_width=3");
	const struct event_filter filter = {.mask = EV_BIT(COMMIT) | EV_BIT(MEM) | EV_BIT(RESOLVE)};
	struct happened *h = calloc(1, sizeof *h);
	assert_true(machine_listen(s->machine, &filter, hear, h) > 0);
	for (unsigned k = 0; k < sizeof stops / sizeof *stops; k++) {
		while (machine_cycle(s->machine) < stops[k])
			step_cycle(s, h);
		read_hot(s, h, false);
		read_hot(s, h, true);
		read_beside_code(s, h);
		read_branches(s, h);
		read_places(s, false);
		read_places(s, true);
		read_part(s);
		for (unsigned i = 0; i < 20; i++) {
			read_oracle(s, h);
			read_stats(s);
			read_cpi(s);
		read_slots(s);
			step_cycle(s, h);
		}
	}
	free(h);
	session_free(s);
}

static void nothing_is_left_out(void **state)
{
	(void)state;
	views_are_complete("profiling");
	assert_true(cells_seen[cells_seen_at("disasm", "held")].held);
	assert_true(cells_seen[cells_seen_at("source", "executed")].held &&
	            cells_seen[cells_seen_at("source", "held")].held);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stretches_are_run_again),
		cmocka_unit_test(counts_are_those_of_events),
		cmocka_unit_test(nothing_is_left_out),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
