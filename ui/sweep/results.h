/* Results of a sweep, as files and as a table: a row for each job, in the plan's order. CSV and
 * plots have no data of the host, so interrupting the sweep does not change them. */
#ifndef CYCLOPS_UI_SWEEP_RESULTS_H
#define CYCLOPS_UI_SWEEP_RESULTS_H

#include <stdbool.h>
#include <stdio.h>

#include "core/base/err.h"
#include "ui/sweep/sweep.h"

struct results_count {
	/* stale: of another build, not counted as missing */
	size_t done, failed, missing, stale;
};

struct results_count results_count(const struct sweep *s);

/* Writes results.csv, results.json and the plots; false with *err: some may not have been written.
 */
bool results_write(const struct sweep *s, struct err *err);
/* Prints the table on stdout and, with `files`, the paths of the files. */
void results_print(const struct sweep *s, bool files);

#endif
