/* The picture of `view machine`: its boxes in columns, from fetch on the left to memory on the
 * right, profiling devices below. */
#ifndef CYCLOPS_HWVIEWS_MACHINE_MACHINE_PICTURE_H
#define CYCLOPS_HWVIEWS_MACHINE_MACHINE_PICTURE_H

#include "hwviews/machine/machine_box_draw.h"

/* Draws it into g in at most so many columns and rows (0: as many as it likes); nothing where that
 * is too few. */
void machine_picture_draw(const struct machine_picture *m, struct grid *g, unsigned columns,
                          unsigned rows);

#endif
