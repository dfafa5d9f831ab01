/* The help of a view or report: the author's text, and a line for each of its columns. */
#ifndef CYCLOPS_HWVIEWS_GRID_VIEW_HELP_H
#define CYCLOPS_HWVIEWS_GRID_VIEW_HELP_H

#include <stdio.h>

#include "hwviews/grid/grid.h"

enum { VIEW_TABLES_MAX = 4 };

struct view_table {
	const struct grid_column *columns; /* [count]; static */
	unsigned count;
	unsigned indent;     /* cells before the columns' sentences; 0: default, 13 */
	const char *before;  /* states when this table is shown; lines <= 78; NULL: none */
};

/* Texts are static, and their lines 78 cells at most. An empty line separates the tables from
 * `about` and from hints, unless `about` ends with a line feed, or hints begin with one or a
 * blank. */
struct view_help {
	const char *about;   /* describes the structure, and the signs in its cells */
	/* the view shows one table; columns with equal help share a line */
	struct view_table tables[VIEW_TABLES_MAX];
	const char *hints;   /* how to read the view, and parameters that shape it; NULL: none */
};

/* Prints a sentence from cell `at` on, broken at 78 cells and continued at `indent`, and a line
 * feed. */
void view_help_wrap(FILE *f, const char *text, unsigned at, unsigned indent);
/* The whole help as text without a final line feed; the caller frees it. NULL: out of memory. */
char *view_help_text(const struct view_help *h);

#endif
