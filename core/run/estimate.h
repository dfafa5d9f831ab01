/* Estimates of the whole program from a sample: values with confidence intervals.
 *
 * A statistic is estimated as a ratio of sums over all units; a count is scaled from the sample's
 * instructions to the program's. The bias that pairs of units measure (core/run/sample.h) is then
 * corrected. Errors come from the jackknife, which recomputes a statistic without each unit in turn
 * (Efron, The Jackknife, the Bootstrap and Other Resampling Plans, 1982): so they hold for every
 * formula of stats.def.
 *
 * One unit per stratum has no unbiased estimate of its variance. Strata are collapsed instead
 * (Cochran, Sampling Techniques, 1977, section 5A.12): half the squared difference of the units of
 * two neighbouring strata has the mean of the two strata's variances as its expectation, plus half
 * the squared difference of their means. So the estimate is never too small in expectation,
 * whatever the program does, and hardly too large where neighbours are alike. Each stratum is
 * collapsed with both its neighbours, the last one with the first (Wolter, Introduction to Variance
 * Estimation, 2007, section 8.2), which is 2n/3 degrees of freedom. Passes are independent samples:
 * a unit's neighbours are of its own pass, for the others are nearer than its stratum is long.
 * Pairs have their overall variance. The interval is Student's, widened to both sides as far as the
 * units' skewness moves one of them (Johnson, "Modified t tests and confidence intervals for
 * asymmetrical populations", JASA 73, 1978; Hall, JRSS B 54, 1992): where a tenth of the units is
 * slow, 200 units are not normal.
 *
 * Equal units don't prove that the program is uniform: no interval is narrower than the change that
 * one more count in the sample makes. */
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
	/* half the interval's width; INFINITY if fewer than two units count; 0 if no count changes
	 * the value */
	double half;
};

/* Value below which a standard normal variable lies with probability p, 0 < p < 1. */
double normal_quantile(double p);
/* The same for Student's distribution with n >= 1 degrees of freedom. */
double student_quantile(double p, double n);

/* Whether a value of the row grows with the program: all counts, and sums of counts. */
bool estimate_is_total(const struct stat_row *row);
/* Estimates all rows of stat_rows into out[stat_row_count], for a program of `insts` instructions.
 * confidence: 0 < c < 1. */
void estimate_all(const struct sample *s, uint64_t insts, double confidence, struct estimate *out);

/* Coefficient of variation of the units' own cycles per instruction; 0 of fewer than two. */
double sample_variation(const struct sample *s);
/* The least share of a program's instructions in which a unit lies with this confidence. A smaller
 * part may have none, and its CPI is then unknown. */
double sample_unseen(const struct sample *s, double confidence);
/* The share of the variance of a pass's CPI that the units' phase explains: their place modulo
 * `period`; 0 if that may be chance. Near 1: the program has this period, or a fraction of it.
 * Units of neighbouring phases are compared: von Neumann's ratio (Annals of Mathematical Statistics
 * 12, 1941). */
double sample_periodicity(const struct sample *s, size_t pass, uint64_t period);
/* Number of units after which the CPI's half interval, now reached * CPI, is at most target * CPI
 * if further units vary alike, and sample_unseen() is at most the target. */
uint64_t estimate_needed(const struct sample *s, double reached, double target, double confidence);

#endif
