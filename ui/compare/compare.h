/* Machines beside each other: what each did with the same program, as grids that text, JSON and CSV
 * come from.
 *
 * Whoever ran the machines fills a struct comparison; nothing here runs or prints. The first
 * machine that did not fail is the one that others are compared with. A machine that failed keeps
 * its column, which is empty. */
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
	int exit_status;          /* as of `cyclops run`; of COMPARED_FAILED nothing */
	/* of COMPARED_FAILED; else what there is to say of its end, may be empty */
	char why[300];
	double seconds;           /* of the host */
	struct stats stats;       /* not of COMPARED_FAILED */
	uint64_t output, errors;  /* digests of what the program wrote */
};

struct comparison {
	const char *program; /* its name; borrowed */
	struct compared *machine; /* [count], borrowed */
	unsigned count;
};

/* Which statistics. */
struct compare_choice {
	/* as parse_matches() takes; [pattern_count]; none: all but what stands in other tables */
	const char *const *patterns;
	unsigned pattern_count;
	bool equal;   /* also those that don't differ */
	bool all;     /* every one there is, equal or not */
	unsigned top; /* at most so many, 0: all */
};

/* Machines of one page of columns. */
struct compare_page {
	unsigned first, count;
};

/* The one to compare with; NULL if all failed. */
const struct compared *compare_base(const struct comparison *c);
/* What heads a machine's column: its name if all are short, else its letter. */
const char *compare_title(const struct comparison *c, unsigned i);

/* A row for each machine. `full` has every column there is, for JSON; without it `why` is left out.
 */
void compare_machines(const struct comparison *c, bool full, struct grid *out);
/* A row for each statistic, those that differ most first: what tiny counts do weighs little. */
void compare_statistics(const struct comparison *c, const struct compare_choice *choice,
                        struct compare_page page, struct grid *out);
/* The stacks: a row for each cause, in a column for each machine its cycles per instruction, or of
 * the slot stack its percents of all dispatch slots, with a bar of at most `bar` cells (0: none),
 * all to one scale; then their sum. `zeros` has rows that are 0.000 everywhere, too; without it
 * slots that are less than a percent on every machine are one row, "others". */
enum compare_stack { COMPARE_CPI, COMPARE_SLOTS, COMPARE_STACKS };
void compare_stack(const struct comparison *c, enum compare_stack which, struct compare_page page,
                   unsigned bar, bool zeros, struct grid *out);
/* Cells that a number takes there, with the blank before its bar. */
unsigned compare_stack_number(enum compare_stack which);

/* False with *err, naming the nearest statistic, if a pattern fits none. */
bool compare_patterns_ok(const char *const *patterns, unsigned n, struct err *err);

#endif
