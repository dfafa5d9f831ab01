/* A grid as comma-separated values (hwviews/grid/csv_cell.h; lines end in a newline alone): a line
 * of column names, then one for each row except headings. Numbers are plain, addresses 0x.... */
#ifndef CYCLOPS_UI_RENDER_RENDER_CSV_H
#define CYCLOPS_UI_RENDER_RENDER_CSV_H

#include <stdio.h>

#include "hwviews/grid/grid.h"

void render_csv(FILE *f, const struct grid *g);

#endif
