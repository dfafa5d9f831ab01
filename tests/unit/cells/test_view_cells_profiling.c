/* hot, branches and oracle, cell by cell, against events observed while they happened
 * (tests/unit/cells/view_cells.h). */
#include "hwviews/why/hot.h"

#include <ctype.h>
#include <math.h>

#include "tests/unit/cells/profiling_cells.h"

struct hot_profile charged(const struct session *s)
{
	struct hot_profile p;
	struct err err;
	if (!hot_take(s, &(struct region){.given = false}, &p, &err))
		fail_msg("%s", err.msg);
	return p;
}

void add_charges(const struct hot_profile *p, uint64_t pc, int64_t rows[CHARGED])
{
	for (size_t i = 0; i < p->charge_count; i++)
		if (p->charges[i].pc == pc)
			rows[p->charges[i].row] += p->charges[i].slots;
}

/* The largest row of the largest cause. */
static const char *lost_to(const int64_t rows[CHARGED])
{
	char *out = some_text();
	int64_t cause, most;
	snprintf(out, 64, "%s", largest_cause(rows, &cause, &most));
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

static void profiling_cells_add_place(struct place *sum, const struct place *p)
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
	struct place sum[2] = {{.pc = 0}, {.pc = 0}}; /* [0]: places without a row; [1]: all */
	int64_t rows[2][CHARGED] = {{0}};
	const struct hot_profile profile = charged(s);
	size_t n;
	struct place *all = ranked(s, h, hotter, &n);
	const size_t shown = whole || n <= 21 ? n : 20;
	cells_open(&c, s, whole ? "hot all" : "hot");
	for (size_t i = 0; i < n; i++) {
		profiling_cells_add_place(&sum[1], &all[i]);
		add_charges(&profile, all[i].pc, rows[1]);
		if (i >= shown) {
			profiling_cells_add_place(&sum[0], &all[i]);
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

/* ---- where the time goes ---- */
static const char *profiling_cells_doing(const char *row)
{
	static const char *const words[][2] = {
		{"", "commits without waiting"},
		{"base", "commits, and waits little"},
		{"fetch_fill", "waits for fetched code"},
		{"fetch_taken", "waits: taken branches end fetch"},
		{"fetch_line", "waits: ends of lines end fetch"},
		{"fetch_width", "waits for fetch's width"},
		{"decode_width", "waits for decode's width"},
		{"misfetch", "waits for targets of jumps"},
		{"icache_l2", "waits for code from the caches"},
		{"icache_memory", "waits for code from the caches"},
		{"wrong_path", "restarts after wrong predictions"},
		{"branch_refill", "restarts after wrong predictions"},
		{"latency_int", "computes a chain of results"},
		{"latency_imuldiv", "computes a chain of results"},
		{"l1d", "waits for L1D"},
		{"l2", "waits for L2"},
		{"memory", "waits for memory"},
		{"store_order", "waits for older stores"},
		{"forward", "waits for data of older stores"},
		{"unit_int", "waits for an integer unit"},
		{"commit_width", "waits for commit's width"},
		{"issue_width", "waits for issue's width"},
		{"unit_mem", "waits for a memory port"},
		{"write_buffer", "waits for a port or full queue"},
		{"serial", "waits for system calls"},
	};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (!strcmp(words[i][0], row))
			return words[i][1];
	fail_msg("no words for %s", row);
	return "";
}

struct spent_line {
	const char *file; /* NULL: the function has no lines */
	unsigned line;
	uint64_t function, pc, slots, most;
	int64_t rows[CHARGED];
};

static int more_time(const void *a, const void *b)
{
	const struct spent_line *x = a, *y = b;
	const int time = ascending(y->slots, x->slots);
	return time ? time : ascending(x->pc, y->pc);
}

/* The function in whose text a line of guest.c is, inlined or not: the last name at the beginning
 * of a line, before its last bracket. */
static const char *spent_function(const struct session *s, const struct spent_line *l)
{
	char *out = some_text();
	unsigned count;
	for (unsigned line = l->line; line; line--) {
		const char *text = program_source_text(s->program, l->file, line, &count);
		const char *bracket = strrchr(text, '(');
		const char *name = bracket;
		while (name && name > text && (isalnum((unsigned char)name[-1]) || name[-1] == '_'))
			name--;
		if ((!isalpha((unsigned char)*text) && *text != '_') || !bracket || name == bracket)
			continue;
		snprintf(out, 256, "%.*s", (int)(bracket - name), name);
		return out;
	}
	fail_msg("%s:%u is in no function", l->file, l->line);
	return "";
}

static const char *spent_at(const struct session *s, const struct spent_line *l)
{
	const struct symbol *sym = program_symbol_at(s->program, l->pc);
	char *out = some_text();
	if (l->file)
		snprintf(out, 256, "%s, %s:%u", spent_function(s, l), file_name(l->file), l->line);
	else
		snprintf(out, 256, "%s", sym->name);
	return out;
}

/* Of lines whose shares of all slots are shown alike, the one that loses more is first. */
static void spent_order_equal(struct spent_line *sum, size_t n, double slots)
{
	for (size_t i = 1; i < n; i++)
		for (size_t k = i; k > 0; k--) {
			int64_t lost, before;
			const struct spent_line one = sum[k];
			spent_on(sum[k].rows, sum[k].slots, &lost);
			spent_on(sum[k - 1].rows, sum[k - 1].slots, &before);
			if (round(100 * (double)sum[k].slots / slots) !=
			            round(100 * (double)sum[k - 1].slots / slots) ||
			    lost <= before)
				break;
			sum[k] = sum[k - 1];
			sum[k - 1] = one;
		}
}

static void read_spent(const struct session *s, const struct happened *h)
{
	const double slots = (double)(machine_cycle(s->machine) *
	                              pipe_slots(machine_config(s->machine)));
	const struct hot_profile profile = charged(s);
	struct cells c;
	size_t n, lines = 0;
	unsigned shown = 0;
	double rest = 0;
	struct place *all = ranked(s, h, hotter, &n);
	struct spent_line *sum = calloc(n, sizeof *sum);
	const struct spent_line *next = NULL;
	bool own = false;
	for (size_t i = 0; i < n; i++) {
		struct source_line at = {0};
		const bool known = program_line_at(s->program, all[i].pc, &at) && at.line;
		const struct symbol *sym = program_symbol_at(s->program, all[i].pc);
		struct spent_line *to = sum;
		while (to < sum + lines &&
		       !(known ? to->file && !strcmp(to->file, at.file) && to->line == at.line
		               : !to->file && to->function == sym->addr))
			to++;
		if (to == sum + lines)
			*to = (struct spent_line){known ? at.file : NULL, at.line,
			                          known ? 0 : sym->addr, .pc = UINT64_MAX};
		lines += to == sum + lines;
		int64_t charges[CHARGED] = {0};
		add_charges(&profile, all[i].pc, charges);
		const uint64_t time = spent_time(charges);
		to->slots += time;
		if (time > to->most || (time == to->most && all[i].pc < to->pc)) {
			to->most = time;
			to->pc = all[i].pc;
		}
		add_charges(&profile, all[i].pc, to->rows);
	}
	qsort(sum, lines, sizeof *sum, more_time);
	for (size_t i = 0; i < lines; i++)
		own |= sum[i].file && 100 * (double)sum[i].slots >= slots;
	spent_order_equal(sum, lines < 3 ? lines : 3, slots);
	cells_open(&c, s, "spent");
	for (size_t i = 0; i < lines; i++) {
		const double share = (double)sum[i].slots / slots;
		if (shown == 3 || (own && !sum[i].file) || share < 0.01) {
			rest += share;
			next = next ? next : &sum[i];
			continue;
		}
		assert_int_equal(cells_row(&c)->pc, sum[i].pc);
		says_uint(&c, "number", ++shown);
		says_double(&c, "share", 100 * share, "%.0f %%", 100 * share);
		int64_t lost;
		const char *on = spent_on(sum[i].rows, sum[i].slots, &lost);
		says(&c, "cause", "%s", profiling_cells_doing(on));
		if (lost)
			says_double(&c, "lost", 100 * (double)lost / slots, "%.0f %%",
			            100 * (double)lost / slots);
		else
			says_nothing(&c, "lost");
		says(&c, "place", "%s", spent_at(s, &sum[i]));
		unsigned count;
		const char *text = sum[i].file ? program_source_text(s->program, sum[i].file,
		                                                     sum[i].line, &count)
		                               : "";
		says(&c, "text", "%s", text + strspn(text, " \t"));
		assert_true(*cells_at(&c, "advice")->text);
	}
	if (next) {
		assert_int_equal(cells_row(&c)->pc, next->pc);
		says_nothing(&c, "number");
		says_double(&c, "share", 100 * rest, "%.0f %%", 100 * rest);
		says_nothing(&c, "lost");
		says(&c, "cause", "elsewhere; largest %.0f %%:", 100 * (double)next->slots / slots);
		says(&c, "place", "%s", spent_at(s, next));
		says_nothing(&c, "text");
		says_nothing(&c, "advice");
	}
	cells_close(&c);
	free(sum);
	free(all);
}

/* Reads the counts beside a function's code after a profile. */
static void read_beside_code(const struct session *s, const struct happened *h)
{
	const uint64_t width = (uint64_t)machine_config(s->machine)->commit_width;
	const struct symbol *walk = program_symbol_by_name(s->program, "walk");
	const struct hot_profile profile = charged(s);
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
		int64_t rows[CHARGED] = {0};
		cells_row(&c);
		for (unsigned i = 0; i < PLACES; i++) {
			const uint64_t pc = TEXT_AT + 2 * (uint64_t)i;
			struct place p = h->at[i];
			p.lost += pc == machine_pc(s->machine) ? h->waiting : 0;
			if (p.executed + p.lost && program_line_at(s->program, pc, &at) &&
			    !strcmp(at.file, here.file) && at.line == c.g.rows[row].cells[1].raw.u)
			{
				profiling_cells_add_place(&sum, &p);
				add_charges(&profile, pc, rows);
			}
		}
		const double slots = (double)(machine_cycle(s->machine) *
		                              pipe_slots(machine_config(s->machine)));
		const double share = (double)spent_time(rows) / slots;
		if (share >= 0.0005) {
			char *bar = some_text();
			*bar = '\0';
			for (int i = 0; i < (int)(8 * share + 0.5); i++)
				strcat(bar, "█");
			says_double(&c, "share", 100 * share, "%s %4.1f %%", bar, 100 * share);
			char *lost = some_text();
			int64_t most;
			snprintf(lost, 64, "%s", spent_on(rows, spent_time(rows), &most));
			for (char *at_ = lost; (at_ = strchr(at_, '_'));)
				*at_ = ' ';
			if (200 * (double)most >= slots)
				says(&c, "lost_to", "%2.0f %% %s", 100 * (double)most / slots,
				     lost);
			else
				says_nothing(&c, "lost_to");
		} else {
			says_nothing(&c, "share");
			says_nothing(&c, "lost_to");
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
uint64_t charged_row(const int64_t rows[CHARGED], const char *name)
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
static const char *profiling_cells_format_predictors(const struct place *p)
{
	static const char *const names[] = {"bimodal", "two-level", "return stack", "BTB", "none"};
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

static int profiling_cells_compare_by_cost(const void *a, const void *b)
{
	const struct costing *x = a, *y = b;
	const int cost = ascending(y->wrong_path + y->refill, x->wrong_path + x->refill),
		  wrong = ascending(y->p.wrong, x->p.wrong),
		  times = ascending(y->p.times, x->p.times);
	return cost ? cost : wrong ? wrong : times ? times : ascending(x->p.pc, y->p.pc);
}

static void read_sum_of_branches(struct cells *c, const char *name, const struct costing *sum)
{
	static const char *const empty[] = {"outcomes", "predictions", "believed", "instruction",
	                                    "address"};
	cells_row(c);
	says(c, "place", "%s", name);
	branch_counts(c, &sum->p, sum->wrong_path, sum->refill);
	for (unsigned i = 0; i < 5; i++)
		says_nothing(c, empty[i]);
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
	qsort(all, n, sizeof *all, profiling_cells_compare_by_cost);
	cells_open(&c, s, "branches all");
	for (size_t i = 0; i < n; i++) {
		const struct place *p = &all[i].p;
		profiling_cells_add_place(&total.p, p);
		total.wrong_path += all[i].wrong_path;
		total.refill += all[i].refill;
		assert_int_equal(cells_row(&c)->pc, p->pc);
		says_addr(&c, "place", s, p->pc);
		branch_counts(&c, p, all[i].wrong_path, all[i].refill);
		says(&c, "outcomes", "%s", p->took);
		says(&c, "predictions", "%s", p->said);
		says(&c, "believed", "%s", profiling_cells_format_predictors(p));
		says_code(&c, "instruction", s, p->pc);
		says_hex(&c, "address", p->pc);
	}
	assert_true(total.wrong_path == st->slot_wrong_path &&
	            total.refill == st->slot_branch_refill);
	const uint64_t wrong_path = st->slot_replayed + st->slot_interrupted,
		       refill = st->slot_replay_refill;
	if (wrong_path + refill)
		read_sum_of_branches(&c, "replay traps, interrupts",
		                     &(struct costing){.wrong_path = wrong_path, .refill = refill});
	total.wrong_path += wrong_path;
	total.refill += refill;
	if (n || wrong_path + refill)
		read_sum_of_branches(&c, "total", &total);
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

static void profiling_cells_check_oracle(const struct session *s, const struct happened *h)
{
	struct cells c;
	size_t n, shown = 0, now = 0;
	struct place *all = ranked(s, h, more_often, &n);
	cells_open(&c, s, "oracle");
	while (shown < n && shown < 20 && all[shown].executed) {
		assert_int_equal(cells_row(&c)->pc, all[shown].pc);
		oracle_row(&c, s, &all[shown++]);
	}
	/* Then the instructions committed in this cycle, in any order. */
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

TEST(counts_are_those_of_events)
{
	static const uint64_t stops[] = {700, 1900, 2500, 6000, 9001, 16000};
	struct session *s =
		open_program("tests/golden/guest.elf", "oracle.enable=true;pipe.commit_width=3");
	const struct event_filter filter = {.mask = EV_BIT(COMMIT) | EV_BIT(MEM) | EV_BIT(RESOLVE)};
	struct happened *h = calloc(1, sizeof *h);
	assert_true(machine_listen(s->machine, &filter, profiling_hear, h) > 0);
	for (unsigned k = 0; k < sizeof stops / sizeof *stops; k++) {
		while (machine_cycle(s->machine) < stops[k])
			step_cycle(s, h);
		read_hot(s, h, false);
		read_hot(s, h, true);
		read_spent(s, h);
		read_beside_code(s, h);
		read_branches(s, h);
		read_places(s, false);
		read_places(s, true);
		read_part(s);
		for (unsigned i = 0; i < 20; i++) {
			profiling_cells_check_oracle(s, h);
			read_stats(s);
			read_cpi(s);
		read_slots(s);
			step_cycle(s, h);
		}
	}
	free(h);
	session_free(s);
}

static void profiling_cells_refuse(const struct session *s, const char *words, const char *message)
{
	struct grid g;
	struct err err = {.msg = ""};
	assert_false(view_build(s, words, &(struct view_args){0}, &g, &err));
	if (!strstr(err.msg, message))
		fail_msg("view %s: '%s', expected '%s'", words, err.msg, message);
}

/* On a machine whose loads are replayed. */
TEST(replays_are_no_branch_s)
{
	struct session *s = open_program(
		"tests/golden/guest.elf",
		"oracle.enable=true;lsq.replay_size=true;lsq.replay_synonym=64");
	const struct event_filter filter = {.mask = EV_BIT(COMMIT) | EV_BIT(MEM) | EV_BIT(RESOLVE)};
	struct happened *h = calloc(1, sizeof *h);
	assert_true(machine_listen(s->machine, &filter, profiling_hear, h) > 0);
	/* Often at first, when branches that never committed have cost slots. */
	for (uint64_t to = 200; to < 8000; to += to < 2000 ? 5 : 997) {
		while (machine_cycle(s->machine) < to)
			step_cycle(s, h);
		read_branches(s, h);
	}
	const struct stats *st = machine_stats(s->machine);
	assert_true(st->slot_replayed && st->slot_replay_refill);
	profiling_cells_refuse(s, "branches most", "'most'");
	profiling_cells_refuse(s, "branches all most", "'most'");
	profiling_cells_refuse(s, "branches most all", "'most'");
	profiling_cells_refuse(s, "branches 900", "900 TO");
	profiling_cells_refuse(s, "branches 900 300", "900");
	free(h);
	session_free(s);
}

TEST(profiling_cells_are_complete)
{
	views_are_complete("profiling");
	assert_true(column_held("disasm", "held"));
	assert_true(column_held("source", "executed") && column_held("source", "held"));
}
