/* A row of a terminal's screen as SVG, for recordings and for the pictures of the manual. */
#ifndef CYCLOPS_UI_SCREEN_SVG_ROW_H
#define CYCLOPS_UI_SCREEN_SVG_ROW_H

#include <ncurses.h>
#include <stdbool.h>
#include <stdio.h>
#include <wchar.h>

#define SVG_CELL_WIDTH 8.4
#define SVG_CELL_HEIGHT 17.0

/* Rows are within such a group. */
#define SVG_GROUP                                                                                  \
	"<g font-family='DejaVu Sans Mono,Menlo,Consolas,monospace' font-size='14' "               \
	"fill='none' style='white-space:pre'>\n"

/* A colour with this bit is RGB, and no index. */
enum { SVG_RGB = 1 << 24 };

/* Contents of a cell of the terminal. */
struct glyph {
	wchar_t text[CCHARW_MAX + 1];
	attr_t attr;
	int fg, bg; /* palette indices, -1: the terminal's default */
};

static inline bool glyph_same_look(const struct glyph *a, const struct glyph *b)
{
	return a->attr == b->attr && a->fg == b->fg && a->bg == b->bg;
}

/* Default colours of the terminal, RGB. */
struct svg_look {
	unsigned background, foreground;
};

struct svg_look svg_look(bool light);
/* Ink and ground of a cell, RGB. */
void glyph_colours(const struct svg_look *look, const struct glyph *g, unsigned *ink,
                   unsigned *ground);
/* Bits of a line character: 1 up, 2 right, 4 down, 8 left; 0 for any other character. Fonts leave
 * gaps between rows, so these are drawn. */
unsigned glyph_line_bits(const struct glyph *g);
/* Begins a picture of that many pixels. */
void svg_begin(FILE *f, const struct svg_look *look, double width, double height);
/* Writes a row whose left upper corner is at 0, 0. The cell after a wide character is skipped. */
void svg_row_write(FILE *f, const struct svg_look *look, const struct glyph *row, int cols);

#endif
