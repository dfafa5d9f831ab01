/* core/prof/metrics: against values computed by hand. */
#include "core/prof/common/metrics.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void near(double got, double want)
{
	if (fabs(got - want) > 1e-12)
		fail_msg("%.15g, not %.15g", got, want);
}

static void distance_of_normalised_profiles(void **state)
{
	(void)state;
	/* 0.5 0.3 0.2 against 0.25 0.25 0.5: 0.25 + 0.05 + 0.3 */
	const struct metric_point p[] = {{50, 1}, {30, 1}, {20, 2}};
	near(metric_manhattan(p, 3), 0.6);
	near(metric_accuracy(p, 3), 0.7);
	/* Only shares count, not how much was sampled. */
	const struct metric_point scaled[] = {{500, 5}, {300, 3}, {200, 2}};
	near(metric_manhattan(scaled, 3), 0);
	near(metric_accuracy(scaled, 3), 1);
	const struct metric_point apart[] = {{7, 0}, {0, 9}};
	near(metric_manhattan(apart, 2), 2);
	near(metric_accuracy(apart, 2), 0);
}

static void nothing_seen_is_farthest(void **state)
{
	(void)state;
	const struct metric_point none[] = {{7, 0}, {3, 0}};
	near(metric_manhattan(none, 2), 2);
	near(metric_accuracy(none, 2), 0);
	near(metric_manhattan(none, 0), 0);
}

static void rms_is_weighted_by_the_value(void **state)
{
	(void)state;
	/* Invariance 0.9 estimated 0.8, weight 90; 0.1 estimated 0.2, weight 10; 1 never seen,
	 * weight 100. */
	const struct metric_value v[] = {
		{1, 90, 100, 8, 10}, {1, 10, 100, 2, 10}, {2, 100, 100, 0, 0},
	};
	near(metric_invariance_rms(v, 2), 0.1);
	near(metric_invariance_rms(v, 3), sqrt((90 * 0.01 + 10 * 0.01 + 100 * 1.0) / 200));
	near(metric_invariance_rms(v, 0), 0);
	near(metric_invariance(1, 4), 0.25);
	near(metric_invariance(0, 0), 0);
}

static void only_what_an_optimizer_would_use_counts(void **state)
{
	(void)state;
	size_t n;
	const struct metric_value v[] = {
		{1, 600, 1000, 50, 100}, /* 0.6 against 0.5, weight 600 */
		{1, 100, 1000, 20, 100}, /* 0.1 against 0.2, weight 100 */
		{1, 99, 1000, 90, 100},  /* too seldom for its instruction */
		{2, 999, 999, 0, 10},    /* executes too seldom */
		{3, 390, 1000, 0, 10},   /* its invariant values cover too little */
		{4, 200, 1000, 20, 100}, /* 0.2 and 0.2: together enough; right */
		{4, 200, 1000, 10, 100}, /* 0.2 against 0.1 */
	};
	double weighted = 600 * 0.1 + 100 * 0.1 + 200 * 0 + 200 * 0.1;
	near(metric_invariance_error(v, sizeof v / sizeof *v, &metric_sastry, &n), weighted / 1100);
	assert_int_equal(n, 4);
	near(metric_invariance_error(v + 3, 2, &metric_sastry, &n), 0);
	assert_int_equal(n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(distance_of_normalised_profiles),
		cmocka_unit_test(nothing_seen_is_farthest),
		cmocka_unit_test(rms_is_weighted_by_the_value),
		cmocka_unit_test(only_what_an_optimizer_would_use_counts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
