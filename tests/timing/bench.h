/* The state of a run of the timing tests; groups see it as an opaque struct. */
#ifndef CYCLOPS_TESTS_TIMING_BENCH_H
#define CYCLOPS_TESTS_TIMING_BENCH_H

#include "tests/timing/harness.h"

enum { CLAIMS = 1024 };

struct bench {
	const char *ignore; /* parameter whose options are dropped, NULL in the run that counts */
	bool noticed;       /* a check of that parameter failed */
	int passed, failed;
	unsigned group;     /* the one that runs */
	struct { const char *parameter; unsigned group; } claim[CLAIMS]; /* checks by group */
	unsigned claims;
};

/* The group that runs has a check of this parameter. */
void bench_claim(struct bench *b, const char *parameter);

/* True for parameters of pipeline, predictors and memory system; other tests cover the rest. */
bool bench_is_timing(const char *parameter);

#endif
