/* What the co-processor's filters make of the program's code, counted over all of it. */
#ifndef CYCLOPS_HWVIEWS_COP_COP_FILTERS_H
#define CYCLOPS_HWVIEWS_COP_COP_FILTERS_H

#include <stdbool.h>
#include <stdint.h>

struct session;

/* Instructions of the classes that are asked for: they are in one of these, the first that applies.
 */
struct filter_counts {
	uint64_t tagged;
	uint64_t elsewhere; /* not in the region that is sampled */
	uint64_t high, low; /* masked by this table */
};

enum { FILTER_FUNCTIONS = 8, FILTER_REGIONS = 64 };

struct filter_function {
	uint64_t addr; /* 0: there is none */
	struct filter_counts n; /* whatever region is sampled: nothing is elsewhere */
};

struct filter_region {
	uint64_t value; /* hash & mask */
	struct filter_counts n; /* the same */
};

struct filter_survey {
	struct filter_counts all;
	/* where most is masked, the most first */
	struct filter_function functions[FILTER_FUNCTIONS];
	unsigned function_count;                            /* in which something is, in all */
	/* [region_count], by value; those that have such instructions */
	struct filter_region regions[FILTER_REGIONS];
	unsigned region_count;
	/* there are more, which are not counted */
	bool more_regions;
};

/* Looks at every function of the program (not firmware's). Some milliseconds for a large one. */
void filter_survey(const struct session *s, struct filter_survey *out);

#endif
