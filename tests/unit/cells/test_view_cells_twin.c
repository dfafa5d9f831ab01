/* The cells of `view twin` and `view gap`, against two machines of their own that were listened to
 * from the beginning. */
#include <math.h>

#include "core/machine/params.h"
#include "tests/unit/cells/view_cells.h"

#include "hwviews/twin/twin.h"
#include "scripting/config/config_lua.h"

enum {
	NOW = 4000,
	MOST = 20000,
	PLACES = 2000,
	INSTS = 10 /* shown */,
	CYCLES = 64 /* of the diagram */
};
static const char settings[] = "pipe.rob_size=6";

/* Commits of each machine. */
static struct {
	struct {
		uint64_t pc, seq, cycle; /* cycle: of the commit */
	} at[MOST];
	unsigned count;
} did[2];

static void twin_cells_on_commit(void *ctx, const struct machine *m, const struct event *ev)
{
	(void)m;
	const unsigned k = *(const unsigned *)ctx, n = did[k].count++;
	assert_true(n < MOST);
	did[k].at[n].pc = ev->pc;
	did[k].at[n].seq = ev->seq;
	did[k].at[n].cycle = ev->cycle + 1;
}

/* Opens machine k and runs it for `cycles` cycles, or until `insts` instructions have committed. */
static struct session *twin_cells_open_machine(unsigned k, uint64_t cycles, unsigned insts)
{
	static const unsigned names[] = {0, 1};
	const struct event_filter commits = {.mask = EVENT_BIT(commit)};
	struct session *s = open_program("tests/golden/guest.elf", k ? settings : "");
	assert_true(machine_listen(s->machine, &commits, twin_cells_on_commit,
	                           (void *)(uintptr_t)&names[k]) > 0);
	did[k].count = 0;
	while (cycles ? machine_cycle(s->machine) < cycles : did[k].count < insts)
		run_for(s, 1);
	return s;
}

static struct session *with_twin(uint64_t cycle)
{
	struct session *s = open_program("tests/golden/guest.elf", "");
	struct config cfg = *machine_config(s->machine);
	struct err err;
	assert_true(config_set_assignment(&cfg, settings, &err));
	assert_true(twin_open(s, &cfg, NULL, NULL, settings, &err));
	run_for(s, cycle);
	return s;
}

/* ---- the gap ---- */
struct expected {
	uint64_t pc, cycles[2], times, most_seq, least_seq;
	int64_t most, least;
};

static int64_t twin_cells_cycle_gap(const struct expected *e)
{
	return (int64_t)(e->cycles[1] - e->cycles[0]);
}

static int twin_cells_compare_by_gap(const void *a, const void *b)
{
	const struct expected *x = a, *y = b;
	const int64_t m = llabs(twin_cells_cycle_gap(x)), n = llabs(twin_cells_cycle_gap(y));
	return m != n ? (m < n) - (m > n) : (x->pc > y->pc) - (x->pc < y->pc);
}

static unsigned twin_cells_expected_places(struct expected *all, unsigned insts)
{
	unsigned count = 0;
	for (unsigned n = 0; n < insts; n++) {
		unsigned i = 0;
		assert_true(did[0].at[n].pc == did[1].at[n].pc);
		while (i < count && all[i].pc != did[0].at[n].pc)
			i++;
		assert_true(i < PLACES);
		if (i == count)
			all[count++] = (struct expected){
				.pc = did[0].at[n].pc, .most = INT64_MIN, .least = INT64_MAX};
		uint64_t took[2];
		for (unsigned k = 0; k < 2; k++) {
			took[k] = did[k].at[n].cycle - (n ? did[k].at[n - 1].cycle : 0);
			all[i].cycles[k] += took[k];
		}
		const int64_t lost = (int64_t)(took[1] - took[0]);
		all[i].times++;
		if (lost > all[i].most) {
			all[i].most = lost;
			all[i].most_seq = did[0].at[n].seq;
		}
		if (lost < all[i].least) {
			all[i].least = lost;
			all[i].least_seq = did[0].at[n].seq;
		}
	}
	qsort(all, count, sizeof *all, twin_cells_compare_by_gap);
	return count;
}

static void says_int(struct cells *c, const char *column, int64_t v)
{
	says_word(c, column, RAW_INT, (uint64_t)v, "%s%s", v < 0 ? "-" : "",
	          grouped((uint64_t)llabs(v)));
}

/* Checks a bar: the largest gap fills six cells on its side; every gap except 0 fills at least one.
 */
static void twin_cells_bar(struct cells *c, int64_t gap, int64_t largest)
{
	char bar[80] = "";
	const long half = gap && largest ? lround(fabs(6.0 * (double)gap / (double)largest)) : 0,
		   n = gap && !half ? 1 : half;
	for (long i = 6; i > 0; i--)
		strcat(bar, gap < 0 && i <= n ? "█" : " ");
	strcat(bar, "│");
	for (long i = 0; i < n && gap > 0; i++)
		strcat(bar, "█");
	says(c, "bar", "%s", largest ? bar : "");
}

TEST(places_are_those_of_commits)
{
	static struct expected all[PLACES];
	struct session *a = twin_cells_open_machine(0, NOW, 0),
		       *b = twin_cells_open_machine(1, 0, did[0].count), *s = with_twin(NOW);
	const unsigned insts = did[0].count, count = twin_cells_expected_places(all, insts);
	struct expected total = {.times = insts};
	struct cells c;
	bool less = false;
	cells_open(&c, s, "gap all");
	for (unsigned i = 0; i < count; i++) {
		const struct expected *e = &all[i];
		const bool ahead = twin_cells_cycle_gap(e) < 0;
		const uint64_t seq = ahead ? e->least_seq : e->most_seq;
		struct inst in;
		uint32_t word = 0;
		char text[128];
		const struct grid_row *row = cells_row(&c);
		assert_true(row->pc == e->pc && row->seq == seq);
		less |= ahead;
		for (unsigned k = 0; k < 2; k++)
			total.cycles[k] += e->cycles[k];
		assert_true(machine_peek(s->machine, e->pc, &word, 4));
		inst_decode(word, &in);
		assembly(s, &in, e->pc, text);
		says_addr(&c, "place", s, e->pc);
		says_int(&c, "gap", twin_cells_cycle_gap(e));
		twin_cells_bar(&c, twin_cells_cycle_gap(e), twin_cells_cycle_gap(&all[0]));
		says_uint(&c, "cycles_a", e->cycles[0]);
		says_uint(&c, "cycles_b", e->cycles[1]);
		says_uint(&c, "executed", e->times);
		says(&c, "text", "%s", text);
		says_int(&c, "largest", ahead ? e->least : e->most);
		says_word(&c, "seq", RAW_UINT, seq, "#%llu", (ull)seq);
		says_hex(&c, "address", e->pc);
	}
	cells_row(&c);
	says(&c, "place", "total");
	says_int(&c, "gap", twin_cells_cycle_gap(&total));
	says_nothing(&c, "bar");
	says_uint(&c, "cycles_a", did[0].at[insts - 1].cycle);
	says_uint(&c, "cycles_b", did[1].at[insts - 1].cycle);
	says_uint(&c, "executed", insts);
	says_nothing(&c, "text");
	says_nothing(&c, "largest");
	says_nothing(&c, "seq");
	says_nothing(&c, "address");
	assert_true(less && total.cycles[0] == did[0].at[insts - 1].cycle &&
	            twin_cells_cycle_gap(&total) > 0);
	cells_close(&c);
	session_free(a);
	session_free(b);
	session_free(s);
}

/* ---- the diagram ---- */
enum { STAMPS = 5 };
static const char *const stamp_names[STAMPS] = {"fetch", "dispatch", "issue", "done", "end"};

/* Of an instruction in a machine's pool; NO_CYCLE: not yet. */
static void twin_cells_uop_stamps(const struct uop *u, uint64_t out[STAMPS])
{
	const bool in_window = u->flags & UF_EXECUTED;
	out[0] = u->when.fetch;
	out[1] = in_window ? u->when.dispatch : NO_CYCLE;
	out[2] = in_window ? u->when.issue : NO_CYCLE;
	out[3] = in_window && u->state >= UOP_DONE ? u->when.done : NO_CYCLE;
	out[4] = u->state >= UOP_RETIRED ? u->when.end : NO_CYCLE;
}

static const char *twin_cells_stage_letter(const struct pipe *p, const struct uop *u,
                                           uint64_t cycle)
{
	uint64_t at[STAMPS];
	twin_cells_uop_stamps(u, at);
	if (cycle < at[0] || (at[4] != NO_CYCLE && cycle > at[4]))
		return " ";
	if (cycle == at[4])
		return "C";
	if (at[1] == NO_CYCLE || cycle < at[1])
		return cycle <= u->when.avail ? "F" : "=";
	if (cycle == at[1] || cycle == at[2] || cycle == at[3])
		return cycle == at[1] ? "D" : cycle == at[2] ? "I" : "W";
	if (at[2] == NO_CYCLE || cycle < at[2] || (at[3] != NO_CYCLE && cycle > at[3]))
		return "·";
	return !op_info[u->inst.op].mem_bytes || cycle < at[2] + (uint64_t)CONFIG(p->cfg, lsq_agen)
	               ? "X"
	       : cycle < u->when.mem ? "A"
	                             : "M";
}

/* Machine k's n-th instruction in commit order, from 0: committed or still in flight. */
static const struct uop *twin_cells_nth_commit(const struct session *s, unsigned k, unsigned n)
{
	const struct pipe *p = machine_pipe(s->machine);
	if (n < did[k].count)
		return pipe_find(p, did[k].at[n].seq);
	n -= did[k].count;
	if (n < p->st->rob_count)
		return pipe_rob_at(p, n);
	n -= p->st->rob_count;
	return n < p->st->fetchq_count ? pipe_fetchq_at(p, n) : NULL;
}

static void says_differs(struct cells *c, const uint64_t a[STAMPS], const uint64_t b[STAMPS])
{
	static const char *const steps[] = {"front", "waits", "executes", "turn"};
	char text[128] = "", *end = text;
	for (unsigned i = 0; i < 4 && a[i + 1] != NO_CYCLE && b[i + 1] != NO_CYCLE; i++) {
		const long long more = (long long)(b[i + 1] - b[i]) - (long long)(a[i + 1] - a[i]);
		if (more)
			end += sprintf(end, "%s%s %+lld", end > text ? ", " : "", steps[i], more);
	}
	const bool some = a[1] != NO_CYCLE && b[1] != NO_CYCLE;
	says(c, "differs", "%s", *text ? text : some ? "=" : "");
}

/* Reads both blocks at `cycle` of A; whether A has fallen out of step with B anywhere. */
static bool twin_cells_check_rows(uint64_t cycle)
{
	struct session *const of[2] = {twin_cells_open_machine(0, cycle, 0),
	                               twin_cells_open_machine(1, 0, did[0].count)};
	struct session *s = with_twin(cycle);
	const unsigned first = did[0].count - INSTS / 2;
	uint64_t start[2], lead = 0, stamps[2][STAMPS];
	bool other = false;
	struct cells c;
	cells_open(&c, s, "twin 10");
	for (unsigned k = 0; k < 2; k++) {
		const struct uop *u = twin_cells_nth_commit(of[k], k, first);
		start[k] = u->when.end;
		lead = start[k] - u->when.fetch > lead ? start[k] - u->when.fetch : lead;
	}
	lead = lead > CYCLES / 2 ? CYCLES / 2 : lead;
	for (unsigned k = 0; k < 2; k++) {
		for (unsigned n = first; n < first + INSTS; n++) {
			const struct pipe *p = machine_pipe(of[k]->machine);
			const struct uop *u = twin_cells_nth_commit(of[k], k, n),
					 *a = twin_cells_nth_commit(of[0], 0, n);
			char line[600] = "", *end = line, text[128];
			if (!u)
				continue;
			cells_row(&c);
			twin_cells_uop_stamps(u, stamps[1]);
			assembly(s, &u->inst, u->pc, text);
			for (uint64_t at = start[k] - lead;
			     at < start[k] - lead + CYCLES && at < machine_cycle(of[k]->machine);
			     at++) {
				const char *letter = twin_cells_stage_letter(p, u, at);
				strcat(line, letter);
				end = *letter == ' ' ? end : line + strlen(line);
			}
			*end = '\0';
			says(&c, "machine", "%c", "AB"[k]);
			says_uint(&c, "number", n + 1);
			says(&c, "instruction", "%s", text);
			says(&c, "pipeline", "%s", line);
			if (k && a && a->pc == u->pc) {
				twin_cells_uop_stamps(a, stamps[0]);
				says_differs(&c, stamps[0], stamps[1]);
				other |= stamps[0][4] - start[0] != stamps[1][4] - start[1];
			} else
				says(&c, "differs", "%s", k && a ? "another than in A" : "");
			says_word(&c, "seq", RAW_UINT, u->seq, "#%llu", (ull)u->seq);
			for (unsigned i = 0; i < STAMPS; i++)
				if (stamps[1][i] == NO_CYCLE)
					says_nothing(&c, stamp_names[i]);
				else
					says_int(&c, stamp_names[i],
					         (int64_t)(stamps[1][i] - start[k]));
		}
	}
	cells_close(&c);
	session_free(s);
	session_free(of[0]);
	session_free(of[1]);
	return other;
}

TEST(instructions_stand_in_both)
{
	unsigned other = 0;
	for (uint64_t cycle = 3990; cycle < 4010; cycle++)
		other += twin_cells_check_rows(cycle);
	assert_true(other > 5);
}

/* ---- commands run by Enter ---- */
/* Each command of `view beside` opens a twin that differs from this machine or its program. */
TEST(machines_beside_differ)
{
	enum { MACHINES = 6 };
	(void)state;
	struct session *s = open_program("tests/golden/guest.elf", "pipe.rob_size=16");
	struct cells c;
	cells_open(&c, s, "beside");
	for (unsigned i = 0; i < MACHINES; i++) {
		const struct grid_row *row = cells_row(&c);
		const char *change = row->cells[1].text + strlen("twin ");
		struct config cfg = *machine_config(s->machine);
		struct err err;
		says(&c, "what", "%s", row->cells[0].text);
		says(&c, "command", "twin %s", change);
		says(&c, "shows", "%s", row->cells[2].text);
		assert_true(*row->cells[0].text && strchr(row->cells[2].text, '?'));
		if (!strcmp(change, "instrument=bb"))
			continue; /* another program */
		if (strchr(change, '=')) {
			assert_true(config_set_assignment(&cfg, change, &err));
		} else {
			config_default(&cfg);
			assert_true(config_load(&cfg, change, &err));
		}
		assert_true(config_check(&cfg, &err));
		assert_true(memcmp(&cfg, machine_config(s->machine), sizeof cfg) != 0);
		if (!i)
			assert_int_equal(CONFIG(&cfg, rob_size), 32);
	}
	cells_close(&c);
	session_free(s);
}

/* A system's row is on in the machine that its command makes, and off in one without. */
TEST(systems_are_those_of_the_machine)
{
	static const struct {
		const char *name, *paper, *options, *command, *tour;
	} systems[] = {
		{"Profile instructions", "Vaswani '03", NULL, "tour profile", "profile"},
		{"Co-processor", "Zilles '01", "cop.enable=true", "set cop.enable = true", "cop"},
		{"Contexts", "Ammons '97", "oracle.enable=true;oracle.contexts=true",
	         "set oracle.enable = true; set oracle.contexts = true", "cct"},
		{"Value sampling", "Burrows '00", "vsample.enable=true",
	         "set vsample.enable = true", "values"},
		{"Stratified sampling", "Sastry '01", "sampler.enable=true",
	         "set sampler.enable = true", "sampler"},
	};
	enum { SYSTEMS = sizeof systems / sizeof *systems };
	(void)state;
	for (unsigned on = 0; on < SYSTEMS; on++) {
		struct session *s = open_program(on ? "tests/golden/guest.elf"
		                                    : "tests/golden/profile.elf",
		                                 on ? systems[on].options : "");
		struct cells c;
		cells_open(&c, s, "systems");
		says_summary(&c, "1 of 5 on");
		for (unsigned i = 0; i < SYSTEMS; i++) {
			const struct grid_row *row = cells_row(&c);
			says(&c, "state", "%s", i == on ? "●" : "○");
			says(&c, "name", "%s", systems[i].name);
			says(&c, "command", "%s", i == on ? "" : systems[i].command);
			says(&c, "paper", "%s", systems[i].paper);
			says(&c, "tour", "%s", systems[i].tour);
			says(&c, "what", "%s", row->cells[5].text);
			assert_true(strlen(row->cells[5].text) > 20);
		}
		cells_close(&c);
		session_free(s);
	}
}

TEST(twin_cells_are_complete)
{
	views_are_complete("twin");
}
