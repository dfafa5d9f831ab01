/* A grid as plain text: title line, column heads, aligned rows. For batch output, pipes and
 * handouts. */
#ifndef CYCLOPS_UI_RENDER_RENDER_TEXT_H
#define CYCLOPS_UI_RENDER_RENDER_TEXT_H

#include <stdbool.h>
#include <stdio.h>

#include "hwviews/grid/grid.h"

struct text_style {
	unsigned width;    /* cells; longer lines are cut with `…`; 0 = as wide as the texts need */
	/* most rows shown, around the grid's focus row; a line counts the others; 0 = all */
	unsigned rows;
	bool ascii;        /* only ASCII: `…` becomes `~`, and so on */
	/* `*` after cells that changed since the last stop, `+` before new rows */
	bool marks;
	/* text at the right end of the title line ("cycle 1,204,377"), or NULL */
	const char *right;
};

void render_text(FILE *f, const struct grid *g, const struct text_style *style);
/* Returns the same as a string, malloc'd; NULL if memory runs out. */
char *render_text_string(const struct grid *g, const struct text_style *style);

#endif
