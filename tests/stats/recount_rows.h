/* The expected value of each statistic, computed from a watch's counts. */
#ifndef CYCLOPS_TESTS_STATS_RECOUNT_ROWS_H
#define CYCLOPS_TESTS_STATS_RECOUNT_ROWS_H

#include "tests/stats/recount.h"
#include "core/prof/cop/cop.h"
#include "core/prof/profileme/profileme.h"
#include "core/prof/sampler/sampler.h"
#include "tests/stats/watch.h"

struct compared {
	struct bench bench;
	const struct stats *stats;
	const char *options;
	bool *said, *counted; /* [stat_row_count]: in this run; in any, and not 0 */
};
extern struct compared all;
void want(const char *name, uint64_t right);
void recount_compare(const struct watch *w, const struct opening *r);

#endif
