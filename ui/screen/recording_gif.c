#include "ui/screen/recording_gif.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/output_file.h"
#include "ui/screen/cell_font.h"
#include "ui/screen/gif.h"

enum { MARGIN = 10, LONGEST = 65535 };
/* Players show pictures of a shorter time longer. */
#define SHORTEST_SECONDS 0.04

struct recording_gif {
	int rows, cols;
	struct svg_look look;
	struct cell_font *font; /* owned */
	struct glyph *now;      /* [rows * cols], owned: the screen */
	struct glyph *drawn;    /* [rows * cols], owned: as the pictures written show it */
	uint32_t *pixels;       /* of the whole film, owned: where a part is drawn */
	double shown_at;        /* time at which `now` began to differ from `drawn` */
	double row_at;          /* of the last row: rows of one time are one picture */
	bool marked;            /* `now` is the marked picture */
	long kept;              /* bytes of `body` up to the marked picture; 0: it is the last */
	bool begun;             /* the first picture is written */
	bool changed;           /* since the last one */
	long dropped, dropped_end; /* bytes of `body` that a return dropped */
	char *body;             /* owned by f */
	size_t bytes;
	FILE *f; /* owned */
	bool full, failed;
};

static unsigned gif_film_width(const struct recording_gif *g)
{
	return (unsigned)(2 * MARGIN + g->cols * CELL_WIDTH);
}

static unsigned gif_film_height(const struct recording_gif *g)
{
	return (unsigned)(2 * MARGIN + g->rows * CELL_HEIGHT);
}

struct recording_gif *recording_gif_new(int rows, int cols, bool light, const char *font_folder,
                                        struct err *err)
{
	struct recording_gif *g = alloc_zeroed(1, sizeof *g);
	const size_t cells = (size_t)rows * (size_t)cols;
	if (g) {
		g->rows = rows;
		g->cols = cols;
		g->look = svg_look(light);
		g->now = alloc_zeroed(cells, sizeof *g->now);
		g->drawn = alloc_zeroed(cells, sizeof *g->drawn);
		g->pixels = alloc_bytes((size_t)gif_film_width(g) * gif_film_height(g) *
		                        sizeof *g->pixels);
		g->f = alloc_stream(&g->body, &g->bytes);
	}
	if (!g || !g->now || !g->drawn || !g->pixels || !g->f) {
		err_set(err, "out of memory for a recording");
	} else if (gif_film_width(g) > GIF_SIDE_MAX || gif_film_height(g) > GIF_SIDE_MAX) {
		err_set(err, "the terminal is too large for a GIF");
	} else if ((g->font = cell_font_new(font_folder, err))) {
		for (size_t i = 0; i < cells; i++)
			g->now[i] = (struct glyph){.text = L" ", .fg = -1, .bg = -1};
		gif_begin(g->f, gif_film_width(g), gif_film_height(g));
		return g;
	}
	recording_gif_free(g);
	return NULL;
}

void recording_gif_free(struct recording_gif *g)
{
	if (!g)
		return;
	if (g->f)
		fclose(g->f);
	cell_font_free(g->font);
	free(g->body);
	free(g->now);
	free(g->drawn);
	free(g->pixels);
	free(g);
}

/* ---- a picture ---- */
static uint32_t gif_mix(uint32_t ink, uint32_t ground, unsigned cover)
{
	uint32_t mixed = 0;
	for (int shift = 0; shift < 24; shift += 8)
		mixed |= ((ink >> shift & 255) * cover +
		          (ground >> shift & 255) * (CELL_COVER_MAX - cover) + CELL_COVER_MAX / 2) /
		         CELL_COVER_MAX << shift;
	return mixed;
}

/* Draws a cell, and the next one if the character is wide; returns how many. to: its upper left
 * pixel. */
static int gif_draw_cell(const struct recording_gif *g, const struct glyph *c, int room,
                         uint32_t *to, unsigned stride)
{
	unsigned ink, ground;
	uint32_t inks[CELL_COVER_MAX + 1];
	const int cells = room > 1 && wcwidth(c->text[0]) > 1 ? 2 : 1;
	const struct cell_cover *cover = cell_font_cover(g->font, c);
	glyph_colours(&g->look, c, &ink, &ground);
	for (unsigned i = 0; i <= CELL_COVER_MAX; i++)
		inks[i] = gif_mix(ink, ground, i);
	for (unsigned y = 0; y < CELL_HEIGHT; y++)
		for (int x = 0; x < cells * CELL_WIDTH; x++)
			to[y * stride + (unsigned)x] = inks[cover->at[y][x]];
	return cells;
}

static bool gif_row_differs(const struct recording_gif *g, int y)
{
	const size_t at = (size_t)y * (size_t)g->cols;
	for (size_t i = at; i < at + (size_t)g->cols; i++)
		if (!glyph_same_look(&g->now[i], &g->drawn[i]) ||
		    wcscmp(g->now[i].text, g->drawn[i].text) != 0)
			return true;
	return false;
}

/* Writes the rows that differ from the pictures written, as they are until `until`. The first
 * picture is all of the screen, with its margin. */
static void recording_gif_write_picture(struct recording_gif *g, double until)
{
	int top = 0, end = g->rows;
	const int margin = g->begun ? 0 : MARGIN;
	while (g->begun && top < end && !gif_row_differs(g, top))
		top++;
	while (g->begun && end > top && !gif_row_differs(g, end - 1))
		end--;
	if (top == end) { /* nothing is changed in the end, but the time needs a picture */
		top = 0;
		end = 1;
	}
	const unsigned width = (unsigned)(2 * margin + g->cols * CELL_WIDTH);
	const unsigned height = (unsigned)(2 * margin + (end - top) * CELL_HEIGHT);
	for (size_t i = 0; margin && i < (size_t)width * height; i++)
		g->pixels[i] = g->look.background;
	for (int y = top; y < end; y++)
		for (int x = 0; x < g->cols;)
			x += gif_draw_cell(
				g, &g->now[y * g->cols + x], g->cols - x,
				&g->pixels[(unsigned)(margin + (y - top) * CELL_HEIGHT) * width +
			                   (unsigned)(margin + x * CELL_WIDTH)],
				width);
	/* Times are rounded, not their differences, so that no error adds up. */
	const double hundredths = round(100 * until) - round(100 * g->shown_at);
	const struct gif_part part = {(unsigned)(MARGIN - margin),
	                              (unsigned)(MARGIN - margin + top * CELL_HEIGHT), width,
	                              height};
	g->failed |= !gif_write_part(g->f, &part, g->pixels,
	                             hundredths < LONGEST ? (unsigned)hundredths : LONGEST);
	memcpy(g->drawn, g->now, (size_t)g->rows * (size_t)g->cols * sizeof *g->now);
	g->begun = true;
	g->changed = false;
	g->full = ftell(g->f) > RECORDING_GIF_BYTES_MAX;
	if (g->marked)
		g->kept = ftell(g->f);
	g->marked = false;
}

void recording_gif_row(struct recording_gif *g, int y, const struct glyph *row, double at)
{
	if (g->full || g->failed || y >= g->rows)
		return;
	if (g->changed && at > g->row_at && (g->marked || at - g->shown_at >= SHORTEST_SECONDS))
		recording_gif_write_picture(g, at);
	if (!g->changed) {
		g->shown_at = g->begun ? at : 0;
		g->changed = true;
	}
	g->row_at = at;
	memcpy(&g->now[y * g->cols], row, (size_t)g->cols * sizeof *row);
}

void recording_gif_mark(struct recording_gif *g)
{
	/* A picture that is written, or that a full film lacks, needs no return. */
	g->marked = g->changed && !g->full;
	g->kept = g->marked ? 0 : ftell(g->f);
}

void recording_gif_return(struct recording_gif *g)
{
	if (!g->kept)
		return;
	g->dropped = g->kept;
	g->dropped_end = ftell(g->f);
	g->changed = g->full = false;
}

bool recording_gif_write(struct recording_gif *g, const char *path, double end, struct err *err)
{
	struct output_file o;
	if (!g->full && !g->failed && (g->changed || !g->begun))
		recording_gif_write_picture(g, fmax(end, g->shown_at + SHORTEST_SECONDS));
	gif_end(g->f);
	fflush(g->f);
	if (g->failed || ferror(g->f))
		return err_set(err, "%s: out of memory while the screen was recorded", path);
	if (!output_begin(&o, path, OUTPUT_FILE_REGULAR, err))
		return false;
	fwrite(g->body, 1, (size_t)g->dropped, o.f);
	fwrite(g->body + g->dropped_end, 1, g->bytes - (size_t)g->dropped_end, o.f);
	return output_end(&o, path, err);
}
