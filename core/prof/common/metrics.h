/* How far a profile is from the exact one, as the papers measure it.
 *
 * A profile is a list of (what, how often). Who compares two joins them first: one struct
 * metric_point for everything that occurs in either, with 0 where one of them knows nothing of it.
 * Nothing here allocates. */
#ifndef CYCLOPS_CORE_PROF_COMMON_METRICS_H
#define CYCLOPS_CORE_PROF_COMMON_METRICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Counts of one thing: an instruction, a block, an edge. Estimates may be scaled, and so need not
 * be whole. */
struct metric_point {
	double exact, estimate;
};

/* Manhattan distance of the two profiles, each divided by its sum: 0 (the same) to 2 (nothing in
 * common). A profile without any count is the farthest from one with some, and equal to another
 * without. (Vaswani, VI.C) */
double metric_manhattan(const struct metric_point *p, size_t n);
/* 1 - distance / 2: a ratio, 0 to 1. (Vaswani, VI.C) */
double metric_accuracy(const struct metric_point *p, size_t n);

/* An instruction with one of its values: how often both were seen together, and the instruction at
 * all. */
struct metric_value {
	uint64_t pc;
	uint64_t exact_hits, exact_total;       /* hits <= total */
	/* total 0: the profiler never saw the instruction, its estimate is 0 */
	uint64_t estimate_hits, estimate_total;
};

/* Share of an instruction's executions that gave this value; 0 of nothing. */
double metric_invariance(uint64_t hits, uint64_t total);

/* Root mean square of the errors in invariance, each weighted by the frequency of its value
 * (exact_hits). 0 if nothing has any. (Zilles and Sohi, "Quantitative results" of the value
 * profiling case study) */
double metric_invariance_rms(const struct metric_value *v, size_t n);

/* What a realistic optimizer would use. */
struct metric_selection {
	uint64_t least_executions; /* of an instruction */
	double least_invariance;   /* of a value, for it to count as sufficiently invariant */
	/* share of the executions of an instruction that such values have together */
	double least_coverage;
};

/* 1000 executions, 10 %, 40 %. (Sastry, Bodik and Smith, 5.3.1) */
extern const struct metric_selection metric_sastry;

/* Frequency-weighted mean of |exact invariance - estimate| over the values that the selection picks
 * from the exact profile; all values of an instruction must stand together. *selected, if not NULL,
 * receives their number. (Sastry, Bodik and Smith, 5.3.1) */
double metric_invariance_error(const struct metric_value *v, size_t n,
                               const struct metric_selection *how, size_t *selected);

#endif
