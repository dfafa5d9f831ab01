/* The cells of `view sample` and `view phases`, against a sample whose first unit is measured
 * again, and where the session is when it goes to a unit. */
#include "tests/by_hand.h"
#include "core/defs/stats_fields.h"

#include "core/run/run.h"
#include "hwviews/why/sampled_run.h"

#include "tests/unit/cells/view_cells.h"

enum { UNITS = 20, KINDS = 4 };

static void says_bar(struct cells *c, double share)
{
	char bar[100] = "";
	for (int k = 0; k < (int)(share * 24 + 0.5); k++)
		strcat(bar, "█");
	says(c, "bar", "%s", bar);
}

static void says_function(struct cells *c, const struct session *s, uint64_t pc)
{
	const struct symbol *sym = program_symbol_at(s->program, pc);
	assert_non_null(sym);
	says(c, "function", "%s", sym->name);
}

static double by_1000(uint64_t count, uint64_t insts)
{
	return 1000 * (double)count / (double)insts;
}

/* A separate machine, warmed up to the unit, gives the same cycles. */
static void first_unit_is_what_a_machine_says(const struct session *s)
{
	const struct sampled_unit *u = &s->sampled->unit[0];
	struct session *other = open_program("build/demos/linked", "");
	struct machine *m = other->machine;
	const uint64_t start = sampled_run_position(s->sampled, 0);
	assert_true(start > SAMPLED_WARM);
	assert_int_equal(machine_run_functional(m, start - SAMPLED_WARM, true),
	                 start - SAMPLED_WARM);
	machine_run(m, UINT64_MAX, start);
	const struct stats before = *machine_stats(m);
	assert_int_equal(u->at, machine_insts(m));
	machine_run(m, UINT64_MAX, machine_insts(m) + SAMPLED_UNIT);
	const struct stats *now = machine_stats(m);
	assert_int_equal(u->insts, now->insts - before.insts);
	assert_int_equal(u->cycles, now->cycles - before.cycles);
	assert_int_equal(u->l1d_misses, now->l1d_misses - before.l1d_misses);
	assert_int_equal(u->l2_misses, now->l2_misses - before.l2_misses);
	assert_int_equal(u->mispredicts, now->bpred_mispredicts - before.bpred_mispredicts);
	assert_true(u->pc == machine_pc(m));
	session_free(other);
}

static struct session *sample_cells_open_sampled(void)
{
	struct session *s = open_program("build/demos/linked", "");
	struct err err = {""};
	s->sampled = sampled_run_make(s, UNITS, KINDS, NULL, NULL, &err);
	if (!s->sampled)
		fail_msg("%s", err.msg);
	return s;
}

TEST(units_are_what_was_measured)
{
	struct session *s = sample_cells_open_sampled();
	const struct sampled_run *r = s->sampled;
	struct cells c;
	assert_int_equal(r->count, UNITS);
	assert_int_equal(r->every, r->insts / UNITS);
	assert_false(r->cut);
	first_unit_is_what_a_machine_says(s);
	cells_open(&c, s, "sample");
	for (size_t i = 0; i < r->count; i++) {
		const struct sampled_unit *u = &r->unit[i];
		const double ipc = (double)u->insts / (double)u->cycles;
		cells_row(&c);
		says(&c, "mark", "%s", i ? "" : "▶");
		says_uint(&c, "unit", i + 1);
		says_uint(&c, "at", u->at);
		says(&c, "phase", "%c", 'A' + (int)u->phase);
		says_double(&c, "ipc", ipc, "%.3f", ipc);
		says_bar(&c, ipc / 4);
		says_function(&c, s, u->pc);
		says_double(&c, "l1d", by_1000(u->l1d_misses, u->insts), "%.1f",
		            by_1000(u->l1d_misses, u->insts));
		says_double(&c, "l2", by_1000(u->l2_misses, u->insts), "%.1f",
		            by_1000(u->l2_misses, u->insts));
		says_double(&c, "mispredicts", by_1000(u->mispredicts, u->insts), "%.1f",
		            by_1000(u->mispredicts, u->insts));
		const uint64_t place = sampled_run_position(r, i);
		assert_in_range(place, i * r->every, (i + 1) * r->every - 1);
		assert_in_range(u->at, place, place + 64);
	}
	cells_close(&c);
	session_free(s);
}

TEST(phases_are_those_of_units)
{
	struct session *s = sample_cells_open_sampled();
	const struct sampled_run *r = s->sampled;
	struct cells c;
	unsigned newest = 0;
	double all = 0;
	assert_in_range(r->phases, 2, KINDS);
	/* letters come in the order of the run */
	for (size_t i = 0; i < r->count; i++) {
		assert_true(r->unit[i].phase <= newest);
		newest += r->unit[i].phase == newest;
	}
	cells_open(&c, s, "phases");
	for (unsigned k = 0; k < r->phases; k++) {
		uint64_t insts = 0, cycles = 0;
		char map[3 * UNITS + 1] = "";
		for (size_t i = 0; i < r->count; i++) {
			const bool mine = r->unit[i].phase == k;
			insts += mine ? r->unit[i].insts : 0;
			cycles += mine ? r->unit[i].cycles : 0;
			strcat(map, mine ? "█" : "·");
		}
		const double share = 100 * r->phase[k].weight, ipc = (double)insts / (double)cycles;
		cells_row(&c);
		says(&c, "phase", "%c", 'A' + (int)k);
		says_double(&c, "share", share, "%.1f%%", share);
		says_double(&c, "ipc", ipc, "%.3f", ipc);
		says_double(&c, "spread", r->phase[k].spread, "%.3f", r->phase[k].spread);
		says_uint(&c, "middle", r->phase[k].middle + 1);
		says_function(&c, s, r->unit[r->phase[k].middle].pc);
		says(&c, "map", "%s", map);
		assert_int_equal(r->unit[r->phase[k].middle].phase, k);
		all += share;
	}
	cells_close(&c);
	/* the rest is no whole interval */
	assert_true(all < 100 + 1e-9 && all > 95);
	session_free(s);
}

static bool sample_cells_never_interrupted(void *ctx)
{
	(void)ctx;
	return false;
}

/* At a unit, a step back works; steps that can't be repeated are reported. */
TEST(sessions_go_to_units)
{
	struct session *s = sample_cells_open_sampled();
	struct err err = {""};
	struct run_stop_info stop;
	struct run_history h;
	const uint64_t start = sampled_run_position(s->sampled, 7);
	run_for(s, 100);
	if (!sampled_run_go(s, 7, NULL, NULL, &err))
		fail_msg("%s", err.msg);
	assert_true(machine_insts(s->machine) >= start && machine_insts(s->machine) < start + 64);
	run_history(s->run, &h);
	assert_int_equal(h.first_cycle, 0);
	const uint64_t cycle = machine_cycle(s->machine), hash = machine_hash(s->machine);
	assert_true(cycle > 300);
	assert_true(run_back_cycles(s->run, 200, &stop, &err));
	assert_int_equal(machine_cycle(s->machine), cycle - 200);
	assert_true(run_cycles(s->run, 200, false, &stop, &err));
	assert_true(machine_hash(s->machine) == hash);
	assert_non_null(s->sampled);
	assert_false(sampled_run_go(s, 3, sample_cells_never_interrupted, NULL, &err));
	assert_string_equal(err.msg, "interrupted");
	assert_true(machine_hash(s->machine) == hash);
	assert_null(sampled_run_make(s, UNITS, KINDS, sample_cells_never_interrupted, NULL, &err));
	assert_true(machine_set_reg(s->machine, 5, 1, &err));
	run_for(s, 10);
	assert_null(sampled_run_make(s, UNITS, KINDS, NULL, NULL, &err));
	assert_non_null(strstr(err.msg, "changed by hand"));
	assert_true(session_restart(s, &err));
	assert_null(s->sampled);
	session_free(s);
	s = open_program("build/demos/hello", "");
	assert_null(sampled_run_make(s, UNITS, KINDS, NULL, NULL, &err));
	assert_non_null(strstr(err.msg, "too few"));
	session_free(s);
}

TEST(sample_cells_are_complete)
{
	views_are_complete("sample");
}
