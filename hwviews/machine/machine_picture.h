/* The picture of `view machine`: its boxes in columns, from fetch on the left to memory on the
 * right, profiling devices below. */
#ifndef CYCLOPS_HWVIEWS_MACHINE_MACHINE_PICTURE_H
#define CYCLOPS_HWVIEWS_MACHINE_MACHINE_PICTURE_H

#include "hwviews/machine/machine_boxes.h"

/* Which cells of a row the picture shows. */
enum machine_cell { MACHINE_HOLDS, MACHINE_STALLED, MACHINE_OLDEST, MACHINE_CELLS };

struct machine_picture {
	const struct session *s;
	const struct machine_boxes *boxes;
	int row[BOX_COUNT];             /* of the grid; -1: the box has none */
	unsigned column[MACHINE_CELLS]; /* of the grid */
};

/* Draws it into g in at most so many columns and rows (0: as many as it likes); nothing where that
 * is too few. */
void machine_picture_draw(const struct machine_picture *m, struct grid *g, unsigned columns,
                          unsigned rows);

#endif
