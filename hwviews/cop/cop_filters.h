/* Counts of the program's instructions by the outcome of the co-processor's filters. */
#ifndef CYCLOPS_HWVIEWS_COP_COP_FILTERS_H
#define CYCLOPS_HWVIEWS_COP_COP_FILTERS_H

#include <stdbool.h>
#include <stdint.h>

struct session;

/* Instructions of the selected classes. Each is in one count: the first that applies. */
struct filter_counts {
	uint64_t tagged;
	uint64_t elsewhere; /* not in the sampled region */
	uint64_t high, low; /* masked by this table */
};

enum { FILTER_FUNCTIONS = 8, FILTER_REGIONS = 64 };

struct filter_function {
	uint64_t addr; /* 0: unused */
	struct filter_counts n; /* as if its region were sampled: elsewhere is 0 */
};

struct filter_region {
	uint64_t value; /* hash & mask */
	struct filter_counts n; /* as in struct filter_function */
};

struct filter_survey {
	struct filter_counts all;
	/* those with the most masked instructions, most first */
	struct filter_function functions[FILTER_FUNCTIONS];
	unsigned function_count; /* functions with masked instructions, in all */
	/* [region_count], by value; those with selected instructions */
	struct filter_region regions[FILTER_REGIONS];
	unsigned region_count;
	/* true: further regions are not listed */
	bool more_regions;
};

/* Looks at every function of the program (not the firmware's). Takes milliseconds for a large
 * program. */
void filter_survey(const struct session *s, struct filter_survey *out);

#endif
