/* Comparison of several machines' runs of one program, as grids from which text, JSON and CSV are
 * made.
 *
 * The caller runs the machines and fills a struct comparison; nothing here runs or prints. The
 * first machine that did not fail is the base of the comparison. A failed machine keeps an empty
 * column. */
#ifndef CYCLOPS_UI_COMPARE_COMPARE_H
#define CYCLOPS_UI_COMPARE_COMPARE_H

#include <stdbool.h>

#include "core/base/err.h"
#include "core/defs/config.h"
#include "core/defs/stats_fields.h"
#include "hwviews/grid/grid.h"

enum { COMPARE_MAX = 26 }; /* machines: each has a letter */

enum compared_state { COMPARED_ENDED, COMPARED_LIMIT, COMPARED_FAILED };

struct compared {
	const char *name;         /* "default,pipe.rob_size=128", unique; borrowed */
	struct config cfg;
	enum compared_state state;
	int exit_status;          /* as of `cyclops run`; undefined if COMPARED_FAILED */
	/* reason if COMPARED_FAILED, else a remark on its end; may be empty */
	char why[300];
	double seconds;           /* of the host */
	struct stats stats;       /* not of COMPARED_FAILED */
	uint64_t output, errors;  /* digests of the program's stdout and stderr */
};

struct comparison {
	const char *program; /* its name; borrowed */
	struct compared *machine; /* [count], borrowed */
	unsigned count;
};

/* Choice of statistics. */
struct compare_choice {
	/* for parse_matches(); [pattern_count]; none: all statistics that are in no other table */
	const char *const *patterns;
	unsigned pattern_count;
	bool equal;   /* include statistics that don't differ */
	bool all;     /* every statistic, equal or not */
	unsigned top; /* most statistics, 0: all */
};

/* The machines in one page of columns. */
struct compare_page {
	unsigned first, count;
};

/* The base of the comparison; NULL if all failed. */
const struct compared *compare_base(const struct comparison *c);
/* Title of a machine's column: its name if all names are short, else its letter. */
const char *compare_title(const struct comparison *c, unsigned i);

/* Builds a row for each machine. full: every column, for JSON; else without `why`. */
void compare_machines(const struct comparison *c, bool full, struct grid *out);
/* Builds a row for each statistic, in descending order of difference; tiny counts weigh little. */
void compare_statistics(const struct comparison *c, const struct compare_choice *choice,
                        struct compare_page page, struct grid *out);
/* Builds a stack: a row for each cause, a column for each machine, then the sum. Cells are cycles
 * per instruction or, in the slot stack, percent of all dispatch slots, with a bar of at most `bar`
 * cells (0: none) at a common scale. zeros: keeps rows that are 0.000 everywhere, and does not
 * merge slots below one percent on every machine into the row "others". */
enum compare_stack { COMPARE_CPI, COMPARE_SLOTS, COMPARE_STACKS };
void compare_stack(const struct comparison *c, enum compare_stack which, struct compare_page page,
                   unsigned bar, bool zeros, struct grid *out);
/* Width in cells of a number in that stack, with the blank before its bar. */
unsigned compare_stack_number(enum compare_stack which);

/* False with *err, naming the nearest statistic, if a pattern matches none. */
bool compare_patterns_ok(const char *const *patterns, unsigned n, struct err *err);

#endif
