/* What a sample says about the whole program: values with confidence intervals.
 *
 * A statistic is estimated as a ratio of sums over all units, a count by the instructions that the
 * sample has and those of the program, and from each its bias is taken, which pairs of units know
 * (core/run/sample.h). Errors are made of what the statistic becomes when one unit after the other
 * is left out, as the jackknife's (Efron, The Jackknife, the Bootstrap and Other Resampling Plans,
 * 1982): so they hold for every formula of stats.def. Units are evenly spread, and neighbours are
 * alike where the program has phases. So what counts is how much neighbours differ, not how much
 * all do (Wolter, Introduction to Variance Estimation, 2007, chapter 8: v2); of pairs, how much all
 * do. The interval is Student's. That the units were drawn without replacement makes it wider than
 * it need be, never narrower. */
#ifndef CYCLOPS_CORE_RUN_ESTIMATE_H
#define CYCLOPS_CORE_RUN_ESTIMATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sample;
struct stat_row;

/* Fewer pairs say nothing. */
enum { ESTIMATE_PAIRS = 5 };

struct estimate {
	double value;
	double half; /* of the interval's width; INFINITY if fewer than two units say something */
};

/* x of which a standard normal variable is below with probability p, 0 < p < 1. */
double normal_quantile(double p);
/* The same of Student's distribution with n >= 1 degrees of freedom. */
double student_quantile(double p, double n);

/* Whether a value of the row grows with the program: all counts, and sums of such. */
bool estimate_is_total(const struct stat_row *row);
/* Of all rows of stat_rows, into out[stat_row_count], for a program of so many instructions.
 * confidence: 0 < c < 1. */
void estimate_all(const struct sample *s, uint64_t insts, double confidence, struct estimate *out);

/* Coefficient of variation of the units' own cycles per instruction; 0 of fewer than two. */
double sample_variation(const struct sample *s);
/* Units that it takes until half the interval of the CPI is at most target * CPI, if they vary as
 * these do, with which it is reached * CPI. */
uint64_t estimate_needed(const struct sample *s, double reached, double target, double confidence);

#endif
