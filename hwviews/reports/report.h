/* Reports: results of a whole run, as grids. They are read at its end, by `report NAME` and
 * --report; views are for use during the run. One table, reports.def. */
#ifndef CYCLOPS_HWVIEWS_REPORTS_REPORT_H
#define CYCLOPS_HWVIEWS_REPORTS_REPORT_H

#include "hwviews/grid/view.h"

struct report {
	const char *name;   /* one word or two: "oracle", "oracle blocks" */
	const char *title;
	const char *args;   /* "[ADDRESS] [ROWS|all]", or "" */
	struct view_help help;
	const char *device; /* required device, or NULL */
	/* The same as for a view. args->rows: number of rows unless the words give one, 0: all.
	 * Columns are machine-readable. */
	bool (*build)(const struct session *s, const struct view_args *args, struct grid *out,
	              struct err *err);
};

#define REPORT(name) extern const struct report report_##name;
#include "hwviews/reports/reports.def"
#undef REPORT

/* In the order of reports.def. */
extern const struct report *const reports[];
extern const unsigned report_count;

/* The report with the longest name that argv[0..argc) begins with; *used receives its number of
 * words. NULL with *err naming the nearest. */
const struct report *report_find(int argc, const char *const *argv, int *used, struct err *err);
/* False with *err, *out untouched: a device is missing, or the arguments are wrong. */
bool report_build(const struct report *r, const struct session *s, const struct view_args *args,
                  struct grid *out, struct err *err);

#endif
