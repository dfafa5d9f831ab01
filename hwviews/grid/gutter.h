/* Arrows beside rows: lines from rows to rows, drawn in lanes on one side of a column of text.
 * Arrows to one row share a lane. */
#ifndef CYCLOPS_HWVIEWS_GRID_GUTTER_H
#define CYCLOPS_HWVIEWS_GRID_GUTTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gutter_arc {
	uint32_t from, to; /* rows, not the same */
};

enum gutter_side { GUTTER_LEFT, GUTTER_RIGHT }; /* of what the arrows point at */

struct gutter {
	/* [rows], owned: UTF-8, all of the same width; "" each if there are no arrows */
	char **lines;
	uint32_t rows;
	uint32_t undrawn; /* arrows for which there was no lane */
};

/* At most lanes_most lanes, the nearest for the shortest arrows. False if memory is out. */
bool gutter_draw(const struct gutter_arc *arcs, size_t n, uint32_t rows, enum gutter_side side,
                 uint32_t lanes_most, struct gutter *out);
void gutter_free(struct gutter *g);

#endif
