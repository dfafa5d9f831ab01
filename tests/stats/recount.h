/* Common parts of the second count. */
#ifndef CYCLOPS_TESTS_STATS_RECOUNT_H
#define CYCLOPS_TESTS_STATS_RECOUNT_H

#include "tests/predict/bench.h"

/* A machine with a guest of this folder. */
struct opening {
	const char *options, *guest;            /* words name=value; name */
	const char *firmware, *microprogram;    /* paths; NULL: none */
	uint64_t functional;                    /* instructions executed without timing first */
	bool drawn;                             /* a configuration at random */
};
struct session *open_run(const struct opening *o); /* never NULL; freed with session_free() */

bool file_says(const char *path, const char *text);

void check_formulas(struct bench *b);
void check_effects(struct bench *b);

#endif
