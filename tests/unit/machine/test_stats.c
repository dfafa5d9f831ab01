#include <stdint.h>

#include <math.h>
#include <string.h>

#include "core/base/err.h"
#include "core/defs/stats.h"
#include "tests/cases.h"

static double stats_value_by_name(const struct stats *s, const char *name)
{
	struct err err = {""};
	const struct stat_row *row = stat_find(name, &err);
	if (!row)
		fail_msg("%s", err.msg);
	return stat_value(s, row);
}

TEST(every_counter_reads_its_own_field)
{
	struct stats s;
	uint64_t *words = (uint64_t *)&s;
	size_t counters = 0;
	enum { WORDS = sizeof s / sizeof *words };
	bool read[WORDS] = {false};
	for (size_t i = 0; i < WORDS; i++)
		words[i] = 7000 + 13 * i;
	for (size_t i = 0; i < stat_row_count; i++) {
		const struct stat_row *row = &stat_rows[i];
		if (row->derived)
			continue;
		const size_t at = row->offset / sizeof *words;
		assert_true(at < WORDS && !read[at] && row->offset % sizeof *words == 0);
		assert_true(stat_value(&s, row) == (double)words[at]);
		read[at] = true;
		counters++;
	}
	assert_int_equal(counters, WORDS);
	/* Different values, to find exchanged names. */
	s.cycles = 1, s.l2_accesses = 2, s.bus_busy = 3;
	assert_true(STAT(&s, cycles) == 1 && stats_value_by_name(&s, "sim.cycles") == 1);
	assert_true(STAT(&s, l2_accesses) == 2 && stats_value_by_name(&s, "l2.accesses") == 2);
	assert_true(STAT(&s, bus_busy) == 3 && stats_value_by_name(&s, "bus.busy") == 3);
}

TEST(every_formula_divides_what_it_says)
{
	struct stats s = {
		.cycles = 200,
		.insts = 300,
		.commit_branches = 50,
		.bpred_dir_hits = 40,
		.bpred_mispredicts = 6,
		.commit_returns = 8,
		.ras_hits = 6,
		.rob_occupancy = 5000,
		.lsq_occupancy = 1000,
		.fetchq_occupancy = 700,
		.l1i_accesses = 100,
		.l1i_misses = 1,
		.l1d_accesses = 160,
		.l1d_misses = 16,
		.l2_accesses = 17,
		.l2_misses = 17,
		.dtlb_accesses = 160,
		.dtlb_misses = 4,
	};
	static const struct {
		const char *name;
		double value;
	} want[] = {
		{"sim.ipc", 1.5},       {"sim.cpi", 200.0 / 300},  {"rob.occupancy", 25},
		{"lsq.occupancy", 5},   {"fetchq.occupancy", 3.5}, {"bpred.dir_rate", 0.8},
		{"bpred.mpki", 20},     {"ras.hit_rate", 0.75},    {"l1i.miss_rate", 0.01},
		{"l1d.miss_rate", 0.1}, {"l2.miss_rate", 1},       {"dtlb.miss_rate", 0.025},
	};
	for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
		double got = stats_value_by_name(&s, want[i].name);
		if (fabs(got - want[i].value) > 1e-12)
			fail_msg("%s is %g, not %g", want[i].name, got, want[i].value);
	}
}

TEST(nothing_counted_divides_to_zero)
{
	struct stats s = {0};
	for (size_t i = 0; i < stat_row_count; i++)
		assert_true(stat_value(&s, &stat_rows[i]) == 0);
}

TEST(names_are_unique_and_complete)
{
	for (size_t i = 0; i < stat_row_count; i++) {
		assert_ptr_equal(stat_find(stat_rows[i].name, NULL), &stat_rows[i]);
		assert_true(strchr(stat_rows[i].name, '.') && *stat_rows[i].unit &&
		            *stat_rows[i].help);
	}
}

TEST(a_wrong_name_is_answered_with_the_nearest)
{
	static const char *const slips[][2] = {
		{"l1d.mis_rate", "'l1d.miss_rate'"},
		{"dir_rate", "'bpred.dir_rate'"},
		{"CYCLES", "'sim.cycles'"},
	};
	for (size_t i = 0; i < sizeof slips / sizeof *slips; i++) {
		struct err err = {""};
		assert_null(stat_find(slips[i][0], &err));
		if (!strstr(err.msg, slips[i][1]))
			fail_msg("'%s' should name %s", err.msg, slips[i][1]);
	}
}
