/* A picture beside a grid's rows: characters in a rectangle, whose boxes are rows of the grid. A
 * renderer with enough room shows the picture in place of the table; JSON, CSV and Lua have the
 * rows.
 *
 * Lines join where they meet. Drawing is clipped to the rectangle. */
#ifndef CYCLOPS_HWVIEWS_GRID_PICTURE_H
#define CYCLOPS_HWVIEWS_GRID_PICTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "hwviews/grid/role.h"

enum { PICTURE_NO_ROW = -1, PICTURE_NO_COLUMN = 255, PICTURE_BYTES = 5 };

/* Subject of a part of a picture: a grid row (or PICTURE_NO_ROW) and, of its cells, the column of
 * the one shown (or PICTURE_NO_COLUMN). */
struct picture_of {
	int row;
	unsigned column;
};

struct picture_cell {
	uint32_t code;  /* Unicode; 0: the character follows from its lines */
	uint8_t lines;  /* PICTURE_UP ... */
	uint8_t role;   /* enum role */
	uint8_t column; /* as in struct picture_of */
	int16_t row;
};

struct picture {
	unsigned width, height;     /* character cells */
	struct picture_cell *cells; /* [width * height], owned */
};

/* An empty picture; NULL if memory is out. grid_take_picture() gives it to a grid. */
struct picture *picture_new(unsigned width, unsigned height);
void picture_free(struct picture *p);

/* Writes at most `width` cells of s; longer text ends in `…`. Returns the cells taken. */
unsigned picture_text(struct picture *p, unsigned y, unsigned x, unsigned width, enum role role,
                      struct picture_of of, const char *s);
/* Draws lines around h times w cells, which all belong to the row. */
void picture_box(struct picture *p, unsigned y, unsigned x, unsigned h, unsigned w, enum role role,
                 int row);
/* Draws a straight line including both ends, which must differ. */
void picture_line(struct picture *p, unsigned y0, unsigned x0, unsigned y1, unsigned x1,
                  enum role role);

/* Makes the cell belong to this row, too. */
void picture_own(struct picture *p, unsigned y, unsigned x, int row);

const struct picture_cell *picture_at(const struct picture *p, unsigned y, unsigned x);
/* The character of a cell as UTF-8, in buf. Returns buf. */
char *picture_char(const struct picture_cell *cell, char buf[PICTURE_BYTES]);
/* The first and last line of the row; false: the row is not in the picture. */
bool picture_find(const struct picture *p, int row, unsigned *first, unsigned *last);

#endif
