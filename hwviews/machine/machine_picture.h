/* The machine as a picture of boxes: each with title, fill and activity. */
#ifndef CYCLOPS_HWVIEWS_MACHINE_MACHINE_PICTURE_H
#define CYCLOPS_HWVIEWS_MACHINE_MACHINE_PICTURE_H

#include "hwviews/grid/grid.h"
#include "hwviews/machine/machine_box.h"

/* The cells of a row that the picture shows. */
enum machine_cell { MACHINE_HOLDS, MACHINE_STALLED, MACHINE_OLDEST, MACHINE_CELLS };

struct machine_picture {
	const struct session *s;
	const struct machine_boxes *boxes;
	int row[BOX_COUNT];             /* in the grid; -1: the box has none */
	unsigned column[MACHINE_CELLS]; /* in the grid */
};

/* Draws into g within `columns` and `rows` (0: no limit); nothing if they are too small. */
void machine_picture_draw(const struct machine_picture *m, struct grid *g, unsigned columns,
                          unsigned rows);

#endif
