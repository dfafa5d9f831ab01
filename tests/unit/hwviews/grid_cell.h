/* A cell of a grid by its column's name. Include after tests/cases.h. */
#ifndef CYCLOPS_TESTS_UNIT_HWVIEWS_GRID_CELL_H
#define CYCLOPS_TESTS_UNIT_HWVIEWS_GRID_CELL_H

#include <string.h>

#include "hwviews/grid/grid.h"

static inline const struct cell *grid_cell_in_column(const struct grid *g, unsigned row,
                                                     const char *column)
{
	for (unsigned c = 0; c < g->column_count; c++)
		if (!strcmp(g->columns[c].name, column))
			return &g->rows[row].cells[c];
	fail_msg("no column %s", column);
	return NULL;
}

#endif
