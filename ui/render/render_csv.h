/* A grid as comma-separated values (hwviews/grid/csv_cell.h): a line of column names, then a line
 * for each row except headings; lines end in "\n". Numbers are plain, addresses 0x.... */
#ifndef CYCLOPS_UI_RENDER_RENDER_CSV_H
#define CYCLOPS_UI_RENDER_RENDER_CSV_H

#include <stdio.h>

#include "hwviews/grid/grid.h"

void render_csv(FILE *f, const struct grid *g);

#endif
