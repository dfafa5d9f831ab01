/* Pictures beside grids: text, boxes and lines that join. */
#include "hwviews/grid/picture.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "hwviews/grid/utf8.h"

enum { PICTURE_UP = 1, PICTURE_DOWN = 2, PICTURE_LEFT = 4, PICTURE_RIGHT = 8 };

struct picture *picture_new(unsigned width, unsigned height)
{
	struct picture *p = alloc_bytes(sizeof *p);
	struct picture_cell *cells = p ? alloc_bytes((size_t)width * height * sizeof *cells) : NULL;
	if (!cells) {
		free(p);
		return NULL;
	}
	for (size_t i = 0; i < (size_t)width * height; i++)
		cells[i] = (struct picture_cell){
			.code = ' ', .row = PICTURE_NO_ROW, .column = PICTURE_NO_COLUMN};
	*p = (struct picture){width, height, cells};
	return p;
}

void picture_free(struct picture *p)
{
	if (p)
		free(p->cells);
	free(p);
}

static struct picture_cell *picture_cell_at(struct picture *p, unsigned y, unsigned x)
{
	return y < p->height && x < p->width ? &p->cells[(size_t)y * p->width + x] : NULL;
}

static void picture_set_cell(struct picture *p, unsigned y, unsigned x, enum role role,
                             struct picture_of of, uint32_t code)
{
	struct picture_cell *c = picture_cell_at(p, y, x);
	if (c)
		*c = (struct picture_cell){.code = code, .role = (uint8_t)role,
		                           .row = (int16_t)of.row, .column = (uint8_t)of.column};
}

unsigned picture_text(struct picture *p, unsigned y, unsigned x, unsigned width, enum role role,
                      struct picture_of of, const char *s)
{
	const bool cut = width && utf8_width(s) > width;
	unsigned used = 0;
	for (size_t n = cut ? utf8_fit_text(s, width - 1) : strlen(s), at = 0;
	     at < n && used < width;) {
		uint32_t code;
		at += utf8_decode(s + at, n - at, &code);
		/* each character must take one cell: wider ones would shift the rest */
		if (utf8_char_width(code) != 1)
			code = 0xfffd;
		picture_set_cell(p, y, x + used++, role, of, code);
	}
	if (cut)
		picture_set_cell(p, y, x + used++, role, of, 0x2026);
	return used;
}

/* Adds lines to a cell. The last call decides the cell's look. */
static void picture_join_lines(struct picture *p, unsigned y, unsigned x, unsigned lines,
                               enum role role)
{
	struct picture_cell *c = picture_cell_at(p, y, x);
	if (!c)
		return;
	c->code = 0;
	c->lines |= (uint8_t)lines;
	c->role = (uint8_t)role;
}

void picture_line(struct picture *p, unsigned y0, unsigned x0, unsigned y1, unsigned x1,
                  enum role role)
{
	if (y0 == y1) {
		const unsigned from = x0 < x1 ? x0 : x1, to = x0 < x1 ? x1 : x0;
		for (unsigned x = from; x <= to; x++)
			picture_join_lines(p, y0, x,
			                   (x > from ? PICTURE_LEFT : 0u) |
			                           (x < to ? PICTURE_RIGHT : 0u),
			                   role);
		return;
	}
	const unsigned from = y0 < y1 ? y0 : y1, to = y0 < y1 ? y1 : y0;
	for (unsigned y = from; y <= to; y++)
		picture_join_lines(p, y, x0,
		                   (y > from ? PICTURE_UP : 0u) | (y < to ? PICTURE_DOWN : 0u),
		                   role);
}

void picture_own(struct picture *p, unsigned y, unsigned x, int row)
{
	struct picture_cell *c = picture_cell_at(p, y, x);
	if (c)
		c->row = (int16_t)row;
}

void picture_box(struct picture *p, unsigned y, unsigned x, unsigned h, unsigned w, enum role role,
                 int row)
{
	for (unsigned i = 0; i < h; i++)
		for (unsigned k = 0; k < w; k++)
			picture_own(p, y + i, x + k, row);
	picture_line(p, y, x, y, x + w - 1, role);
	picture_line(p, y + h - 1, x, y + h - 1, x + w - 1, role);
	picture_line(p, y, x, y + h - 1, x, role);
	picture_line(p, y, x + w - 1, y + h - 1, x + w - 1, role);
}

const struct picture_cell *picture_at(const struct picture *p, unsigned y, unsigned x)
{
	return &p->cells[(size_t)y * p->width + x];
}

char *picture_char(const struct picture_cell *c, char buf[PICTURE_BYTES])
{
	static const uint16_t joined[16] = {' ',    0x2502, 0x2502, 0x2502, 0x2500, 0x2518,
	                                    0x2510, 0x2524, 0x2500, 0x2514, 0x250c, 0x251c,
	                                    0x2500, 0x2534, 0x252c, 0x253c};
	const uint32_t code = c->code ? c->code : joined[c->lines & 15];
	unsigned n = 0;
	if (code < 0x80) {
		buf[n++] = (char)code;
	} else if (code < 0x800) {
		buf[n++] = (char)(0xc0 | code >> 6);
		buf[n++] = (char)(0x80 | (code & 63));
	} else if (code < 0x10000) {
		buf[n++] = (char)(0xe0 | code >> 12);
		buf[n++] = (char)(0x80 | (code >> 6 & 63));
		buf[n++] = (char)(0x80 | (code & 63));
	} else {
		buf[n++] = (char)(0xf0 | code >> 18);
		buf[n++] = (char)(0x80 | (code >> 12 & 63));
		buf[n++] = (char)(0x80 | (code >> 6 & 63));
		buf[n++] = (char)(0x80 | (code & 63));
	}
	buf[n] = '\0';
	return buf;
}

bool picture_find(const struct picture *p, int row, unsigned *first, unsigned *last)
{
	bool found = false;
	for (unsigned y = 0; y < p->height; y++)
		for (unsigned x = 0; x < p->width; x++) {
			if (picture_at(p, y, x)->row != row)
				continue;
			*first = found ? *first : y;
			*last = y;
			found = true;
			break;
		}
	return found;
}
