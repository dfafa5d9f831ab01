/* Cells of comma-separated values (RFC 4180). Cyclops writes all its CSV with these functions.
 *
 * Any text stays one cell of one line: line ends become a space, other control characters and
 * invisible ones are left out, quotes are doubled. No spreadsheet reads the cell as a formula:
 * unless the text is a number, a leading = + - @ (also in wide forms, and after spaces) gets an
 * apostrophe in front. */
#ifndef CYCLOPS_HWVIEWS_GRID_CSV_CELL_H
#define CYCLOPS_HWVIEWS_GRID_CSV_CELL_H

#include <stdio.h>

void csv_cell(FILE *f, const char *text);

#endif
