#include "ui/screen/draw.h"

#include <ncurses.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "core/base/alloc.h"
#include "hwviews/grid/utf8.h"

enum { LINE_N = 1, LINE_E = 2, LINE_S = 4, LINE_W = 8 };
enum { RUN_CELLS = 512 };

bool canvas_size(struct canvas *c, int rows, int cols)
{
	uint8_t *lines = alloc_zeroed((size_t)rows * (size_t)cols, 1);
	if (!lines)
		return false;
	free(c->lines);
	c->lines = lines;
	c->rows = rows;
	c->cols = cols;
	return true;
}

void canvas_deinit(struct canvas *c)
{
	free(c->lines);
	c->lines = NULL;
}

static void set_ink(struct ink ink)
{
	attr_set(ink.attr, 0, (void *)&ink.pair);
}

/* Returns a displayable character for code, of exactly *cells cells. */
static wchar_t shown_char(const struct canvas *c, uint32_t code, unsigned *cells)
{
	*cells = utf8_char_width(code);
	if (code < 0x20 || code == 0x7f)
		return code == '\t' ? L' ' : c->ascii ? L'?' : L'\u00b7';
	if (c->ascii)
		return (wchar_t)utf8_ascii(code);
	/* If the C library and our tables disagree on the width, the rest of the line would shift.
	 */
	if (wcwidth((wchar_t)code) != (int)*cells)
		return L'?';
	return (wchar_t)code;
}

int draw_text_from(struct canvas *c, int y, int x, int width, struct ink ink, const char *s,
                   int skip)
{
	wchar_t run[RUN_CELLS + 1];
	size_t n = 0, left = strlen(s);
	int used = 0;
	unsigned total = utf8_width(s);
	if (y < 0 || y >= c->rows || x < 0 || x >= c->cols || width <= 0 || (int)total <= skip)
		return 0;
	if (width > c->cols - x)
		width = c->cols - x;
	bool cut = (int)total - skip > width;
	int room = width;
	if (cut) {
		const char *shown = s + utf8_fit(s, (unsigned)skip);
		room = (int)(utf8_width(shown) -
		             utf8_width(shown + utf8_fit_text(shown, (unsigned)width - 1)));
	}
	while (left > 0 && n < RUN_CELLS - 2) {
		uint32_t code;
		unsigned cells;
		size_t len = utf8_decode(s, left, &code);
		wchar_t wc = shown_char(c, code, &cells);
		s += len;
		left -= len;
		if (!cells)
			continue;
		if (skip > 0) {
			skip -= (int)cells;
			continue;
		}
		if (used + (int)cells > room)
			break;
		/* A question mark in place of a wide character fills two cells. */
		run[n++] = wc;
		if (cells == 2 && wc < 0x80)
			run[n++] = wc;
		used += (int)cells;
	}
	if (cut) {
		run[n++] = c->ascii ? L'~' : L'\u2026';
		used++;
	}
	set_ink(ink);
	mvaddnwstr(y, x, run, (int)n);
	return used;
}

int draw_text(struct canvas *c, int y, int x, int width, struct ink ink, const char *s)
{
	return draw_text_from(c, y, x, width, ink, s, 0);
}

void draw_blank(struct canvas *c, int y, int x, int width, struct ink ink)
{
	if (y < 0 || y >= c->rows || x < 0 || x >= c->cols)
		return;
	if (width > c->cols - x)
		width = c->cols - x;
	set_ink(ink);
	if (width > 0)
		mvhline(y, x, ' ', width);
}

void draw_tint(struct canvas *c, int y, int x, int width, struct ink ink)
{
	if (y < 0 || y >= c->rows || x < 0 || x >= c->cols || width <= 0)
		return;
	mvchgat(y, x, width > c->cols - x ? c->cols - x : width, ink.attr, 0, (void *)&ink.pair);
}

void draw_hline(struct canvas *c, int y, int x, int width)
{
	for (int i = 0; i < width; i++)
		if (y >= 0 && y < c->rows && x + i >= 0 && x + i < c->cols)
			c->lines[y * c->cols + x + i] |= LINE_E | LINE_W;
}

void draw_vline(struct canvas *c, int y, int x, int height)
{
	for (int i = 0; i < height; i++)
		if (y + i >= 0 && y + i < c->rows && x >= 0 && x < c->cols)
			c->lines[(y + i) * c->cols + x] |= LINE_N | LINE_S;
}

static wchar_t line_char(const struct canvas *c, unsigned bits)
{
	static const wchar_t drawn[16] = {
		[LINE_E] = L'─',
		[LINE_W] = L'─',
		[LINE_E | LINE_W] = L'─',
		[LINE_N] = L'│',
		[LINE_S] = L'│',
		[LINE_N | LINE_S] = L'│',
		[LINE_S | LINE_E] = L'┌',
		[LINE_S | LINE_W] = L'┐',
		[LINE_N | LINE_E] = L'└',
		[LINE_N | LINE_W] = L'┘',
		[LINE_N | LINE_S | LINE_E] = L'├',
		[LINE_N | LINE_S | LINE_W] = L'┤',
		[LINE_S | LINE_E | LINE_W] = L'┬',
		[LINE_N | LINE_E | LINE_W] = L'┴',
		[LINE_N | LINE_S | LINE_E | LINE_W] = L'┼',
	};
	if (!c->ascii)
		return drawn[bits];
	return !(bits & (LINE_N | LINE_S)) ? L'-' : !(bits & (LINE_E | LINE_W)) ? L'|' : L'+';
}

/* Directions in which the line at (y, x) is continued by a neighbour. */
static unsigned draw_joined_directions(const struct canvas *c, int y, int x)
{
	const uint8_t *at = &c->lines[y * c->cols + x];
	unsigned bits = *at;
	if (x + 1 < c->cols && (at[1] & LINE_W))
		bits |= LINE_E;
	if (x > 0 && (at[-1] & LINE_E))
		bits |= LINE_W;
	if (y + 1 < c->rows && (at[c->cols] & LINE_N))
		bits |= LINE_S;
	if (y > 0 && (at[-c->cols] & LINE_S))
		bits |= LINE_N;
	/* Draw a crossing only where the neighbours are lines. */
	if ((bits & LINE_E) && !(x + 1 < c->cols && (at[1] & LINE_W)) && (bits & (LINE_N | LINE_S)))
		bits &= ~(unsigned)LINE_E;
	if ((bits & LINE_W) && !(x > 0 && (at[-1] & LINE_E)) && (bits & (LINE_N | LINE_S)))
		bits &= ~(unsigned)LINE_W;
	if ((bits & LINE_S) && !(y + 1 < c->rows && (at[c->cols] & LINE_N)) &&
	    (bits & (LINE_E | LINE_W)))
		bits &= ~(unsigned)LINE_S;
	if ((bits & LINE_N) && !(y > 0 && (at[-c->cols] & LINE_S)) && (bits & (LINE_E | LINE_W)))
		bits &= ~(unsigned)LINE_N;
	return bits;
}

void draw_lines(struct canvas *c, struct ink ink)
{
	set_ink(ink);
	for (int y = 0; y < c->rows; y++) {
		for (int x = 0; x < c->cols; x++) {
			if (!c->lines[y * c->cols + x])
				continue;
			wchar_t wc = line_char(c, draw_joined_directions(c, y, x));
			mvaddnwstr(y, x, &wc, 1);
		}
	}
	memset(c->lines, 0, (size_t)c->rows * (size_t)c->cols);
}

int draw_hint(struct canvas *c, int y, int x, int end, const char *key, const char *hint)
{
	x += draw_text(c, y, x, end - x, theme_ink(&c->theme, INK_KEY, GROUND_NONE), key) + 1;
	x += draw_text(c, y, x, end - x, theme_ink(&c->theme, ROLE_DIM, GROUND_NONE), hint) + 2;
	return x;
}

void draw_box(struct canvas *c, const struct rect *r, struct ink ink)
{
	int bottom = r->y + r->h - 1, right = r->x + r->w - 1;
	set_ink(ink);
	for (int x = r->x; x <= right; x++) {
		unsigned side = x == r->x ? LINE_E : x == right ? LINE_W : LINE_E | LINE_W;
		bool corner = x == r->x || x == right;
		wchar_t above = line_char(c, side | (corner ? LINE_S : 0)),
			below = line_char(c, side | (corner ? LINE_N : 0));
		mvaddnwstr(r->y, x, &above, 1);
		mvaddnwstr(bottom, x, &below, 1);
	}
	for (int y = r->y + 1; y < bottom; y++) {
		wchar_t wc = line_char(c, LINE_N | LINE_S);
		mvaddnwstr(y, r->x, &wc, 1);
		mvaddnwstr(y, right, &wc, 1);
		draw_blank(c, y, r->x + 1, r->w - 2, ink);
		set_ink(ink);
	}
}
