/* Cells of comma-separated values (RFC 4180). All CSV that Cyclops writes comes from here.
 *
 * A text stays one cell of one line, whatever is in it: line ends become a space, other control
 * characters and those that are not seen are left out, quotes are doubled. No spreadsheet takes it
 * for a formula: a character that would begin one (= + - @, also in wide forms, and after spaces)
 * gets an apostrophe in front, unless it is a number. */
#ifndef CYCLOPS_HWVIEWS_GRID_CSV_CELL_H
#define CYCLOPS_HWVIEWS_GRID_CSV_CELL_H

#include <stdio.h>

void csv_cell(FILE *f, const char *text);

#endif
