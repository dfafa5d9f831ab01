/* The paths that an instrumented program has executed, with their weights: times, metrics,
 * instructions. A path is hot if it has at least a given share of the whole; a hot path is dense if
 * it has more of it per instruction than the program, sparse if less (Ammons, Ball and Larus,
 * section 6.4). */
#ifndef CYCLOPS_HWVIEWS_FLOW_PATH_ROWS_H
#define CYCLOPS_HWVIEWS_FLOW_PATH_ROWS_H

#include "hwviews/grid/view.h"
#include "loader/edit/moved_code.h"
#include "loader/instrument/instrument_options.h"
#include "loader/instrument/path_profile.h"

enum path_value {
	PATH_TIMES, PATH_METRIC, PATH_INSTS = PATH_METRIC + INSTRUMENT_METRICS, PATH_VALUES
};

/* Sums over the paths of the whole program, or of one function. */
struct path_sums {
	uint64_t value[PATH_VALUES];
};

struct path_row {
	uint32_t function;   /* of profile->functions */
	uint64_t path;
	struct path_sums sums;
};

struct path_group {
	uint32_t function;
	uint32_t first, count; /* rows */
	struct path_sums sums;
};

struct path_rows {
	const struct session *s;
	struct moved_code moved;
	const struct path_profile *profile; /* borrowed from the session */
	/* [count], owned: by group, and in each by weight, the most first */
	struct path_row *rows;
	/* [group_count], owned: functions in which paths were executed, by weight */
	struct path_group *groups;
	uint32_t count, group_count;
	struct path_sums total;
	uint64_t lost;             /* executions not counted for lack of room */
	/* "times", statistics, "insts"; NULL: no such metric */
	const char *name[PATH_VALUES];
	enum path_value by;        /* the weight */
	double threshold;          /* least share of a hot path */
};

/* Reads the rows, sorted by the weight named `by`; NULL: the first metric if it counted anything,
 * else instructions. False with *err: the program counts no paths, or `by` names no weight. */
bool path_rows_read(const struct session *s, const char *by, double threshold,
                    struct path_rows *out, struct err *err);
void path_rows_free(struct path_rows *p);
bool path_is_hot(const struct path_rows *p, const struct path_sums *sums);
/* Its class: "dense", "sparse", or "hot" if there is no metric to decide; "cold". */
const char *path_class(const struct path_rows *p, const struct path_sums *sums);

#endif
