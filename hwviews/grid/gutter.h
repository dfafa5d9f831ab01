/* Arrows beside rows: lines between rows, drawn in lanes on one side of a column of text. Arrows to
 * the same row share a lane. */
#ifndef CYCLOPS_HWVIEWS_GRID_GUTTER_H
#define CYCLOPS_HWVIEWS_GRID_GUTTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gutter_arc {
	uint32_t from, to; /* rows; must differ */
};

enum gutter_side { GUTTER_LEFT, GUTTER_RIGHT }; /* side of the text */

struct gutter {
	/* [rows], owned: UTF-8 of equal width; all "" if there are no arrows */
	char **lines;
	uint32_t rows;
	uint32_t undrawn; /* arrows left out for lack of a lane */
};

/* Draws at most lanes_most lanes; the shortest arrows get the nearest. False if memory is out. */
bool gutter_draw(const struct gutter_arc *arcs, size_t n, uint32_t rows, enum gutter_side side,
                 uint32_t lanes_most, struct gutter *out);
void gutter_free(struct gutter *g);

#endif
