/* Quantiles against tables, and a sample's results against sums made by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/err.h"
#include "core/defs/stats_fields.h"
#include "core/run/estimate.h"
#include "core/run/sample.h"

static void estimate_expect_near(double is, double should, double tolerance)
{
	if (!(fabs(is - should) <= tolerance * fabs(should)))
		fail_msg("%.12g should be %.12g", is, should);
}

/* Python's statistics.NormalDist().inv_cdf(). */
static void normal_quantiles(void **state)
{
	(void)state;
	estimate_expect_near(normal_quantile(0.975), 1.959963984540054, 1e-12);
	estimate_expect_near(normal_quantile(0.9985), 2.9677379253417828, 1e-12);
	estimate_expect_near(normal_quantile(0.025), -1.959963984540054, 1e-12);
	estimate_expect_near(normal_quantile(1e-9), -5.997807015007686, 1e-9);
	assert_true(fabs(normal_quantile(0.5)) < 1e-12);
}

/* Tables of Student's distribution; with one degree of freedom it is tan(pi (p - 1/2)), with two a
 * root. */
static void student_quantiles(void **state)
{
	(void)state;
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

static void sums_grow_and_ratios_do_not(void **state)
{
	(void)state;
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

/* Of a / b, times `scale`, at 95 %. */
static void estimate_expect_ratio(struct estimate e, const uint64_t *a, const uint64_t *b,
                                  double scale)
{
	double sum_a = 0, sum_b = 0, squares = 0, out[UNITS];
	for (int k = 0; k < UNITS; k++) {
		sum_a += (double)a[k];
		sum_b += (double)b[k];
	}
	for (int k = 0; k < UNITS; k++) {
		out[k] = scale * (sum_a - (double)a[k]) / (sum_b - (double)b[k]);
	}
	for (int k = 1; k < UNITS; k++)
		squares += (out[k] - out[k - 1]) * (out[k] - out[k - 1]) / 2;
	estimate_expect_near(e.value, scale * sum_a / sum_b, 1e-12);
	/* (5 - 1) * 2 / 3 degrees of freedom, rounded */
	estimate_expect_near(e.half, 3.182446305284263 * sqrt((UNITS - 1.0) / UNITS * squares),
	                     1e-9);
}

static void units_say_what_they_say(void **state)
{
	(void)state;
	struct sample s = estimate_make_five_units(), more = {0};
	struct estimate *e = calloc(stat_row_count, sizeof *e);
	assert_non_null(e);
	estimate_all(&s, 2000000, 0.95, e);
	estimate_expect_ratio(e[estimate_stat_index("sim.cpi")], cycles, insts, 1);
	estimate_expect_ratio(e[estimate_stat_index("l1d.miss_rate")], misses, accesses, 1);
	estimate_expect_ratio(e[estimate_stat_index("l1d.misses")], misses, insts, 2000000);
	estimate_expect_near(e[estimate_stat_index("sim.insts")].value, 2000000, 1e-12);
	estimate_expect_near(sample_variation(&s), 0.284555209886, 1e-9);
	/* half as wide takes four times as many, less what Student's quantile loses */
	estimate_expect_near((double)estimate_needed(&s, 1, 0.05, 0.95),
	                     2000 * pow(1.959964 / 3.0081, 2), 0.01);
	assert_int_equal(estimate_needed(&s, 0.5, 0.9, 0.9), 30);
	/* one unit has no interval, none has no value */
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

/* Units of pairs have 0.1 more after longer warming: all are corrected by that; and the pairs'
 * differences widen the interval. A second pass lies after the first in the sample, but is among
 * it. */
static void pairs_take_the_bias(void **state)
{
	(void)state;
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
		/* slowly from 1 to 3 along the program, which is no error */
		s.at[k] = k < MANY / 2 ? 2000 * k : 2000 * (k - MANY / 2) + 1000;
		u->insts = 1000;
		u->cycles = 1000 + s.at[k] / 100;
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
	/* neighbours differ by 10 of a thousand cycles */
	estimate_expect_near(no[cpi].half, 1.978 * sqrt(0.01 * 0.01 / 2 / MANY), 0.02);
	/* pairs by 20 to both sides, from their mean */
	estimate_expect_near(e[cpi].half, 2.09 * sqrt(0.01 * 0.01 / 2 / MANY + 0.02 * 0.02 / 19),
	                     0.02);
	sample_deinit(&s);
	free(e);
	free(no);
}

static void plans_fit(void **state)
{
	(void)state;
	const struct sample_plan p = {.unit = 1000, .warm = 2000, .every = 10000, .offset = 5000};
	assert_true(sample_room(&p) >= 3000 + 16);
	assert_int_equal(sample_fits(&p, 5000), 0);
	assert_int_equal(sample_fits(&p, 6000), 0);
	assert_int_equal(sample_fits(&p, 7000), 1);
	assert_int_equal(sample_fits(&p, 17000), 2);
	assert_int_equal(sample_fits(&p, 16900), 2);
	assert_int_equal(sample_fits(&p, 15900), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(normal_quantiles),
		cmocka_unit_test(student_quantiles),
		cmocka_unit_test(sums_grow_and_ratios_do_not),
		cmocka_unit_test(units_say_what_they_say),
		cmocka_unit_test(pairs_take_the_bias),
		cmocka_unit_test(plans_fit),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
