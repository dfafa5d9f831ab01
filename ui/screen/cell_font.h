/* Draws characters of a terminal into cells of pixels, with the font DejaVu Sans Mono.
 *
 * Lines and blocks are drawn without the font, so that they meet at the edges of cells. */
#ifndef CYCLOPS_UI_SCREEN_CELL_FONT_H
#define CYCLOPS_UI_SCREEN_CELL_FONT_H

#include <stdint.h>

#include "core/base/err.h"
#include "ui/screen/svg_row.h"

enum { CELL_WIDTH = 9, CELL_HEIGHT = 18, CELL_COVER_MAX = 7 };

/* How much of each pixel a character covers, 0 to CELL_COVER_MAX: two cells, the second for wide
 * characters. */
struct cell_cover {
	uint8_t at[CELL_HEIGHT][2 * CELL_WIDTH];
};

struct cell_font;

/* folder: of the font's files; NULL: their usual places. NULL with *err. */
struct cell_font *cell_font_new(const char *folder, struct err *err);
/* Valid until the next call. */
const struct cell_cover *cell_font_cover(struct cell_font *font, const struct glyph *g);
/* font may be NULL. */
void cell_font_free(struct cell_font *font);

#endif
