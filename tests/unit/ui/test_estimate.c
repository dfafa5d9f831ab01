/* Quantiles against tables, and a sample's results against sums computed by hand. */
#include <stdint.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/err.h"
#include "core/defs/stats_fields.h"
#include "core/run/estimate.h"
#include "core/run/sample.h"
#include "tests/cases.h"

static void estimate_expect_near(double is, double should, double tolerance)
{
	if (!(fabs(is - should) <= tolerance * fabs(should)))
		fail_msg("%.12g should be %.12g", is, should);
}

/* Python's statistics.NormalDist().inv_cdf(). */
TEST(normal_quantiles)
{
	estimate_expect_near(normal_quantile(0.975), 1.959963984540054, 1e-12);
	estimate_expect_near(normal_quantile(0.9985), 2.9677379253417828, 1e-12);
	estimate_expect_near(normal_quantile(0.025), -1.959963984540054, 1e-12);
	estimate_expect_near(normal_quantile(1e-9), -5.997807015007686, 1e-9);
	assert_true(fabs(normal_quantile(0.5)) < 1e-12);
}

/* Tables of Student's distribution; with one degree of freedom it is tan(pi (p - 1/2)), with two a
 * root. */
TEST(student_quantiles)
{
	estimate_expect_near(student_quantile(0.975, 1), 12.706204736432095, 1e-9);
	estimate_expect_near(student_quantile(0.975, 2), 4.302652729696142, 1e-9);
	estimate_expect_near(student_quantile(0.975, 10), 2.2281388519649385, 1e-9);
	estimate_expect_near(student_quantile(0.025, 10), -2.2281388519649385, 1e-9);
	estimate_expect_near(student_quantile(0.995, 29), 2.756385903670, 1e-9);
	estimate_expect_near(student_quantile(0.9985, 1e7), normal_quantile(0.9985), 1e-6);
}

static size_t estimate_stat_index(const char *name)
{
	struct err err;
	const struct stat_row *at = stat_find(name, &err);
	assert_non_null(at);
	return (size_t)(at - stat_rows);
}

TEST(sums_grow_and_ratios_do_not)
{
	static const char *const sums[] = {"sim.cycles", "cpi.base", "slots.retired",
	                                   "rob.occupancy_sum"},
				 *const ratios[] = {"sim.cpi", "sim.ipc", "bpred.mpki",
	                                            "rob.occupancy", "l2.miss_rate",
	                                            "l1d.prefetch_accuracy"};
	for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
		assert_true(estimate_is_total(&stat_rows[estimate_stat_index(sums[i])]));
	for (size_t i = 0; i < sizeof ratios / sizeof *ratios; i++)
		assert_false(estimate_is_total(&stat_rows[estimate_stat_index(ratios[i])]));
}

enum { UNITS = 5 };
static const uint64_t cycles[UNITS] = {900, 1100, 1500, 700, 1000},
		      insts[UNITS] = {1000, 1001, 1002, 1000, 1003},
		      accesses[UNITS] = {100, 0, 300, 50, 200}, misses[UNITS] = {10, 0, 60, 0, 5};

static struct sample estimate_make_five_units(void)
{
	struct sample s = {0};
	assert_true(sample_reserve(&s, UNITS));
	memset(s.counters, 0, UNITS * sizeof(struct stats));
	for (size_t k = 0; k < UNITS; k++) {
		struct stats *u = (struct stats *)(void *)&s.counters[k * sample_words()];
		u->cycles = cycles[k];
		u->insts = insts[k];
		u->l1d_accesses = accesses[k];
		u->l1d_misses = misses[k];
		s.at[k] = 1000 * k;
	}
	s.count = UNITS;
	return s;
}

/* Factor by which the skewness of a / b widens an interval of t standard errors. The last and the
 * first are neighbours. */
static double estimate_skew_of_ratios(const uint64_t *a, const uint64_t *b, double t)
{
	double squares = 0, cubes = 0;
	for (int k = 0; k < UNITS; k++) {
		const int before = (k + UNITS - 1) % UNITS, after = (k + 1) % UNITS;
		const double v = (double)a[k] / (double)b[k],
			     to_before = v - (double)a[before] / (double)b[before],
			     to_after = v - (double)a[after] / (double)b[after];
		squares += to_after * to_after / 2;
		cubes += pow(to_before + to_after, 3) / 6;
	}
	return 1 + fabs(cubes) / UNITS / pow(squares / UNITS, 1.5) * (2 * t * t + 1) /
	                   (6 * t * sqrt(UNITS));
}

/* Half-width of the interval of a / b, times `scale`, at 95 %. */
static void estimate_expect_ratio(struct estimate e, const uint64_t *a, const uint64_t *b,
                                  double scale)
{
	double sum_a = 0, sum_b = 0, squares = 0, cubes = 0, out[UNITS];
	for (int k = 0; k < UNITS; k++) {
		sum_a += (double)a[k];
		sum_b += (double)b[k];
	}
	for (int k = 0; k < UNITS; k++) {
		out[k] = scale * (sum_a - (double)a[k]) / (sum_b - (double)b[k]);
	}
	/* the last and the first are neighbours */
	for (int k = 0; k < UNITS; k++) {
		const double away = out[k] - out[(k + 1) % UNITS],
			     from_both = away + out[k] - out[(k + UNITS - 1) % UNITS];
		squares += away * away / 2;
		cubes += from_both * from_both * from_both / 6;
	}
	estimate_expect_near(e.value, scale * sum_a / sum_b, 1e-12);
	/* 5 * 2 / 3 degrees of freedom, rounded */
	const double t = 3.182446305284263,
		     skewness = fabs(cubes) / UNITS / pow(squares / UNITS, 1.5),
		     skew = 1 + skewness * (2 * t * t + 1) / (6 * t * sqrt(UNITS));
	estimate_expect_near(e.half, t * skew * (UNITS - 1.0) / UNITS * sqrt(squares), 1e-9);
}

TEST(units_say_what_they_say)
{
	struct sample s = estimate_make_five_units(), more = {0};
	struct estimate *e = calloc(stat_row_count, sizeof *e);
	assert_non_null(e);
	estimate_all(&s, 2000000, 0.95, e);
	estimate_expect_ratio(e[estimate_stat_index("sim.cpi")], cycles, insts, 1);
	estimate_expect_ratio(e[estimate_stat_index("l1d.miss_rate")], misses, accesses, 1);
	estimate_expect_ratio(e[estimate_stat_index("l1d.misses")], misses, insts, 2000000);
	estimate_expect_near(e[estimate_stat_index("sim.insts")].value, 2000000, 1e-12);
	estimate_expect_near(sample_variation(&s), 0.284555209886, 1e-9);
	/* half the width takes four times the units, less the effect of skewness and Student's
	 * quantile: with the computed number, the interval meets the target */
	const double needed = (double)estimate_needed(&s, 1, 0.05, 0.95) *
	                      pow(3.0081 / 1.959964, 2),
		     skew = estimate_skew_of_ratios(cycles, insts, 1.959964) - 1;
	estimate_expect_near((1 + skew * sqrt(UNITS / needed)) / (1 + skew) * sqrt(UNITS / needed),
	                     0.05, 0.01);
	estimate_expect_near(sample_unseen(&s, 0.95), 1 - pow(0.05, 1.0 / UNITS), 1e-12);
	assert_int_equal(estimate_needed(&s, 0.5, 0.9, 0.9), 30);
	/* a narrow interval may not hide an unseen part larger than the target */
	assert_int_equal(estimate_needed(&s, 1e-9, 0.02, 0.997), 288);
	/* one unit: no interval; no unit: no value */
	s.count = 1;
	estimate_all(&s, 2000000, 0.95, e);
	estimate_expect_near(e[estimate_stat_index("sim.cpi")].value, 0.9, 1e-12);
	assert_true(isinf(e[estimate_stat_index("sim.cpi")].half));
	estimate_all(&more, 2000000, 0.95, e);
	assert_true(e[estimate_stat_index("sim.cpi")].value == 0);
	s.count = UNITS;
	assert_true(sample_append(&more, &s) && sample_append(&more, &s));
	assert_int_equal(more.count, 2 * UNITS);
	assert_int_equal(more.at[UNITS + 2], 2000);
	assert_int_equal(sample_unit(&more, UNITS + 2)->cycles, 1500);
	sample_deinit(&s);
	sample_deinit(&more);
	free(e);
}

/* A sample of these cycles in a thousand instructions each, 1000 instructions apart. */
static struct sample estimate_make_units(const unsigned *unit_cycles, size_t count)
{
	struct sample s = {0};
	assert_true(sample_reserve(&s, count));
	memset(s.counters, 0, count * sizeof(struct stats));
	for (; s.count < count; s.count++) {
		struct stats *u = (struct stats *)(void *)&s.counters[s.count * sample_words()];
		s.at[s.count] = 1000 * s.count;
		u->insts = 1000;
		u->cycles = unit_cycles[s.count];
	}
	return s;
}

/* Equal units have an interval: the effect of one event of a count; a count without an effect has
 * none. */
TEST(no_interval_is_certain)
{
	static const unsigned alike[] = {2400, 2400, 2400, 2400};
	struct sample s = estimate_make_units(alike, 4);
	struct estimate *e = calloc(stat_row_count, sizeof *e);
	assert_non_null(e);
	estimate_all(&s, 8000, 0.95, e);
	/* 9600 cycles, 4000 instructions: one more instruction changes the CPI most */
	estimate_expect_near(e[estimate_stat_index("sim.cpi")].half, 9600 / 4000. - 9600 / 4001.,
	                     1e-9);
	estimate_expect_near(e[estimate_stat_index("l1d.misses")].half, 2, 1e-9);
	assert_true(e[estimate_stat_index("l1d.miss_rate")].half == 0 ||
	            e[estimate_stat_index("l1d.miss_rate")].value == 0);
	sample_deinit(&s);
	free(e);
}

/* Units of other passes are no neighbours; a pass of a single unit has no neighbours. */
TEST(passes_have_their_own_neighbours)
{
	static const unsigned high_and_low[] = {1000, 1000, 1000, 3000, 3000, 3000, 3000};
	static const size_t ends[][3] = {{3, 7, 7}, {3, 3, 7}, {7, 7, 7}, {1, 7, 7}, {3, 6, 7}};
	/* differences of 2000 from neighbour to neighbour, counted around the rings */
	static const unsigned steps[] = {0, 0, 2, 2, 0};
	struct sample s = estimate_make_units(high_and_low, 7);
	struct estimate *e = calloc(stat_row_count, sizeof *e);
	assert_non_null(e);
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
		s.passes = 3;
		memcpy(s.pass_end, ends[i], sizeof ends[i]);
		estimate_all(&s, 7000, 0.95, e);
		const double half = e[estimate_stat_index("sim.cpi")].half;
		if (steps[i])
			/* a step up and a step down: no skewness */
			estimate_expect_near(half, 2.5706 * sqrt(steps[i] * 2. * 2 / 2) / 7, 1e-3);
		else
			assert_true(half < 0.001 && half > 0);
	}
	sample_deinit(&s);
	free(e);
}

/* Random units of a program that is slow in one half of each period and fast in the other: the test
 * finds the period at its length and twice that, not elsewhere. */
TEST(periods_are_noticed)
{
	enum { MANY = 400, PERIOD = 7000 };
	unsigned unit_cycles[MANY] = {0};
	struct sample s = estimate_make_units(unit_cycles, MANY);
	for (size_t k = 0; k < MANY; k++) {
		s.at[k] = k * PERIOD + k * 40503 % 65536 * PERIOD / 65536;
		((struct stats *)(void *)&s.counters[k * sample_words()])->cycles =
			s.at[k] % PERIOD < PERIOD / 2 ? 300 : 2400;
	}
	sample_end_pass(&s);
	assert_true(sample_periodicity(&s, 0, PERIOD) > 0.95);
	assert_true(sample_periodicity(&s, 0, 2 * PERIOD) > 0.9);
	assert_true(sample_periodicity(&s, 0, PERIOD * 3 / 5) == 0);
	/* equal units: no variance to explain */
	for (size_t k = 0; k < MANY; k++)
		((struct stats *)(void *)&s.counters[k * sample_words()])->cycles = 300;
	assert_true(sample_periodicity(&s, 0, PERIOD) == 0);
	sample_deinit(&s);
}

/* Units of pairs have 0.1 more after longer warming, so all units get 0.1; the pairs' differences
 * widen the interval. */
TEST(pairs_take_the_bias)
{
	enum { MANY = 200 };
	struct sample s = {0};
	struct estimate *e = calloc(stat_row_count, sizeof *e),
			*no = calloc(stat_row_count, sizeof *no);
	const size_t cpi = estimate_stat_index("sim.cpi");
	assert_true(e && no && sample_reserve(&s, MANY) && sample_reserve_pairs(&s, MANY));
	memset(s.counters, 0, MANY * sizeof(struct stats));
	memset(s.pair_counters, 0, MANY * sizeof(struct stats));
	for (size_t k = 0; k < MANY; k++) {
		struct stats *u = (struct stats *)(void *)&s.counters[k * sample_words()];
		/* from 1 to 3 and back along the program: a small error */
		s.at[k] = 1000 * k;
		u->insts = 1000;
		u->cycles = 1000 + 20 * (k < MANY / 2 ? k : MANY - k);
		s.count++;
		if (k % 10)
			continue;
		struct stats *p =
			(struct stats *)(void *)&s.pair_counters[s.pairs * sample_words()];
		*p = *u;
		p->cycles += k / 10 % 2 ? 120 : 80;
		s.pair_unit[s.pairs++] = k;
	}
	estimate_all(&s, 1000000, 0.95, e);
	s.pairs = 0;
	estimate_all(&s, 1000000, 0.95, no);
	s.pairs = MANY / 10;
	estimate_expect_near(e[cpi].value - no[cpi].value, 0.1, 1e-9);
	/* neighbours differ by 20 of a thousand cycles */
	estimate_expect_near(no[cpi].half, 1.978 * sqrt(0.02 * 0.02 / 2 / MANY), 0.02);
	/* groups of 20 pairs, on both sides of their mean */
	estimate_expect_near(e[cpi].half, 2.09 * sqrt(0.02 * 0.02 / 2 / MANY + 0.02 * 0.02 / 19),
	                     0.02);
	sample_deinit(&s);
	free(e);
	free(no);
}

TEST(plans_fit)
{
	const struct sample_plan p = {.unit = 1000, .warm = 2000, .every = 10000, .offset = 5000};
	assert_true(sample_room(&p) >= 3000 + 16);
	assert_int_equal(sample_fits(&p, 5000), 0);
	assert_int_equal(sample_fits(&p, 6000), 0);
	assert_int_equal(sample_fits(&p, 7000), 1);
	assert_int_equal(sample_fits(&p, 17000), 2);
	assert_int_equal(sample_fits(&p, 16900), 2);
	assert_int_equal(sample_fits(&p, 15900), 1);
	assert_int_equal(sample_pair_every(199), 10);
	assert_int_equal(sample_pair_every(999), 20);
	assert_int_equal(sample_pair_every(1000), 40);
}
