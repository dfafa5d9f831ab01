/* What a sweep found out, as files and as a table: one row for each job, in the plan's order.
 * Nothing in CSV and plots depends on the host, so that they are the same however often the sweep
 * was interrupted. */
#ifndef CYCLOPS_UI_SWEEP_RESULTS_H
#define CYCLOPS_UI_SWEEP_RESULTS_H

#include <stdbool.h>
#include <stdio.h>

#include "core/base/err.h"
#include "ui/sweep/sweep.h"

struct results_count {
	/* stale: of another build, which does not count as missing */
	size_t done, failed, missing, stale;
};

struct results_count results_count(const struct sweep *s);

/* Writes results.csv, results.json and the plots; false with *err: some may not have been written.
 */
bool results_write(const struct sweep *s, struct err *err);
/* The table on stdout, and where the files are. */
void results_print(const struct sweep *s, bool files);

#endif
