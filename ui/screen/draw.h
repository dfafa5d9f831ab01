/* Text and lines on the terminal.
 *
 * All output of the screen passes through these functions: control characters, broken UTF-8 and
 * characters that the terminal's locale lacks never reach the terminal, and no text wraps; text
 * that is cut ends in `…`. Lines are collected until draw_lines(), and joined where they meet. */
#ifndef CYCLOPS_UI_SCREEN_DRAW_H
#define CYCLOPS_UI_SCREEN_DRAW_H

#include <stdbool.h>
#include <stdint.h>

#include "ui/screen/theme.h"

struct rect {
	int y, x, h, w; /* character cells */
};

static inline bool rect_has(const struct rect *r, int y, int x)
{
	return y >= r->y && y < r->y + r->h && x >= r->x && x < r->x + r->w;
}

struct canvas {
	int rows, cols;
	bool ascii;         /* no character outside ASCII may be shown */
	uint8_t *lines;     /* [rows * cols], owned: LINE_* bits */
	struct theme theme;
};

/* Sizes the canvas for a screen, initially and after a resize. False if memory is short: the canvas
 * is unchanged. */
bool canvas_size(struct canvas *c, int rows, int cols);
void canvas_deinit(struct canvas *c);

/* Writes s in at most `width` cells and returns how many it took. */
int draw_text(struct canvas *c, int y, int x, int width, struct ink ink, const char *s);
/* draw_text() without the first `skip` cells of s. */
int draw_text_from(struct canvas *c, int y, int x, int width, struct ink ink, const char *s,
                   int skip);
/* Writes a key and its hint, before column `end`; returns the column after them. */
int draw_hint(struct canvas *c, int y, int x, int end, const char *key, const char *hint);
/* Gives `width` blank cells this ink. */
void draw_blank(struct canvas *c, int y, int x, int width, struct ink ink);
/* Changes the ink of cells that are written already. */
void draw_tint(struct canvas *c, int y, int x, int width, struct ink ink);

void draw_hline(struct canvas *c, int y, int x, int width);
void draw_vline(struct canvas *c, int y, int x, int height);
/* Draws the lines collected since the last call. */
void draw_lines(struct canvas *c, struct ink ink);
/* Draws a box around r immediately. */
void draw_box(struct canvas *c, const struct rect *r, struct ink ink);

#endif
