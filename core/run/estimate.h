/* Estimates of the whole program from a sample: values with confidence intervals.
 *
 * A statistic is estimated as a ratio of sums over all units; a count is scaled from the sample's
 * instructions to the program's. The bias that pairs of units measure (core/run/sample.h) is then
 * corrected. Errors come from the jackknife, which recomputes a statistic without each unit in turn
 * (Efron, The Jackknife, the Bootstrap and Other Resampling Plans, 1982): so they hold for every
 * formula of stats.def. Units are evenly spread, and neighbours are alike if the program has
 * phases; so the variance is that of the differences of neighbours (Wolter, Introduction to
 * Variance Estimation, 2007, chapter 8: v2), but for pairs the overall variance. The interval is
 * Student's. Drawing units without replacement makes it wider than necessary, never narrower. */
#ifndef CYCLOPS_CORE_RUN_ESTIMATE_H
#define CYCLOPS_CORE_RUN_ESTIMATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sample;
struct stat_row;

/* Fewer pairs are ignored. */
enum { ESTIMATE_PAIRS = 5 };

struct estimate {
	double value;
	double half; /* half the interval's width; INFINITY if fewer than two units count */
};

/* Value below which a standard normal variable lies with probability p, 0 < p < 1. */
double normal_quantile(double p);
/* The same for Student's distribution with n >= 1 degrees of freedom. */
double student_quantile(double p, double n);

/* Whether a value of the row grows with the program: all counts, and sums of counts. */
bool estimate_is_total(const struct stat_row *row);
/* Estimates all rows of stat_rows into out[stat_row_count], for a program of so many instructions.
 * confidence: 0 < c < 1. */
void estimate_all(const struct sample *s, uint64_t insts, double confidence, struct estimate *out);

/* Coefficient of variation of the units' own cycles per instruction; 0 of fewer than two. */
double sample_variation(const struct sample *s);
/* Units needed until half the interval of the CPI is at most target * CPI, if they vary as the
 * present ones, which reach reached * CPI. */
uint64_t estimate_needed(const struct sample *s, double reached, double target, double confidence);

#endif
