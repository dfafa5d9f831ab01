#include "ui/screen/svg_row.h"

#include <limits.h>
#include <stdlib.h>

struct svg_look svg_look(bool light)
{
	return light ? (struct svg_look){.background = 0xffffff, .foreground = 0x202327}
	             : (struct svg_look){.background = 0x14171c, .foreground = 0xd3d7de};
}

void svg_begin(FILE *f, const struct svg_look *look, double width, double height)
{
	fprintf(f,
	        "<svg xmlns='http://www.w3.org/2000/svg' width='%.0f' height='%.0f' viewBox='0 0 "
	        "%.0f %.0f'>\n<rect width='100%%' height='100%%' rx='9' fill='#%06x'/>\n",
	        width, height, width, height, look->background);
}

static unsigned svg_palette(int i)
{
	static const unsigned basic[16] = {
		0x1d2026, 0xd0623f, 0x5fa97c, 0xd9a441, 0x5394d6, 0xb07cc6, 0x55aebb, 0xcfd3da,
		0x6b7280, 0xf0845c, 0x83cba0, 0xf2c46d, 0x7db8f0, 0xcf9fe2, 0x7fd0dc, 0xf5f7fa};
	static const unsigned steps[6] = {0, 95, 135, 175, 215, 255};
	if (i & SVG_RGB)
		return (unsigned)(i & ~SVG_RGB);
	if (i < 16)
		return basic[i];
	if (i >= 232)
		return (unsigned)(8 + 10 * (i - 232)) * 0x10101;
	i -= 16;
	return steps[i / 36 % 6] << 16 | steps[i / 6 % 6] << 8 | steps[i % 6];
}

void glyph_colours(const struct svg_look *look, const struct glyph *g, unsigned *ink,
                   unsigned *ground)
{
	*ink = g->fg < 0 ? look->foreground : svg_palette(g->fg);
	*ground = g->bg < 0 ? look->background : svg_palette(g->bg);
	if (g->attr & (A_REVERSE | A_STANDOUT)) {
		const unsigned swapped = *ink;
		*ink = *ground;
		*ground = swapped;
	}
	if (g->attr & A_DIM) {
		unsigned mixed = 0;
		for (int shift = 0; shift < 24; shift += 8)
			mixed |= ((*ink >> shift & 255) * 3 + (*ground >> shift & 255) * 2) / 5
			         << shift;
		*ink = mixed;
	}
}

static void svg_write_grounds(FILE *f, const struct svg_look *look, const struct glyph *row,
                              int cols)
{
	unsigned ink, ground, next;
	for (int x = 0, end; x < cols; x = end) {
		glyph_colours(look, &row[x], &ink, &ground);
		for (end = x + 1; end < cols; end++) {
			glyph_colours(look, &row[end], &ink, &next);
			if (next != ground)
				break;
		}
		if (ground != look->background)
			fprintf(f, "<rect x='%.1f' width='%.1f' height='17.3' fill='#%06x'/>",
			        x * SVG_CELL_WIDTH, (end - x) * SVG_CELL_WIDTH, ground);
	}
}

/* ---- lines ---- */
unsigned glyph_line_bits(const struct glyph *g)
{
	static const struct {
		wchar_t wc;
		unsigned bits;
	} table[] = {{L'─', 10}, {L'│', 5},  {L'┌', 6},  {L'┐', 12}, {L'└', 3}, {L'┘', 9},
	             {L'├', 7},  {L'┤', 13}, {L'┬', 14}, {L'┴', 11}, {L'┼', 15}};
	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		if (table[i].wc == g->text[0])
			return table[i].bits;
	return 0;
}

/* The lines of cells from..to - 1, each as long as it is. */
static void svg_write_line_run(FILE *f, const struct glyph *row, int from, int to, unsigned ink)
{
	const double half = SVG_CELL_WIDTH / 2;
	fprintf(f, "<path stroke='#%06x' d='", ink);
	for (int x = from, end; x < to; x = end) {
		const unsigned first = glyph_line_bits(&row[x]);
		unsigned last = first;
		for (end = x + 1; end < to && last & 2 && glyph_line_bits(&row[end]) & 8; end++)
			last = glyph_line_bits(&row[end]);
		if ((first | last) & 10)
			fprintf(f, "M%.1f 8.5H%.1f", x * SVG_CELL_WIDTH + (first & 8 ? 0 : half),
			        end * SVG_CELL_WIDTH - (last & 2 ? 0 : half));
	}
	for (int x = from; x < to; x++) {
		const unsigned bits = glyph_line_bits(&row[x]);
		if (bits & 5)
			fprintf(f, "M%.1f %sV%s", x * SVG_CELL_WIDTH + half, bits & 1 ? "0" : "8.5",
			        bits & 4 ? "17" : "8.5");
	}
	fputs("'/>", f);
}

static void svg_write_lines(FILE *f, const struct svg_look *look, const struct glyph *row, int cols)
{
	unsigned ink, next, ground;
	for (int x = 0, end; x < cols; x = end) {
		glyph_colours(look, &row[x], &ink, &ground);
		for (end = x; end < cols && glyph_line_bits(&row[end]); end++) {
			glyph_colours(look, &row[end], &next, &ground);
			if (next != ink)
				break;
		}
		if (end > x)
			svg_write_line_run(f, row, x, end, ink);
		else
			end++;
	}
}

/* ---- words ---- */
static void svg_write_glyph(FILE *f, const struct glyph *g)
{
	char text[MB_LEN_MAX * (CCHARW_MAX + 1)];
	const size_t n = wcstombs(text, g->text, sizeof text - 1);
	for (size_t i = 0; n != (size_t)-1 && i < n; i++)
		if (text[i] == '<' || text[i] == '>' || text[i] == '&')
			fprintf(f, "&#%d;", text[i]);
		else
			fputc(text[i], f);
}

static bool svg_is_blank(const struct glyph *g)
{
	return g->text[0] == L' ' || glyph_line_bits(g);
}

/* Words, each as wide as its cells whatever the font is. */
static void svg_write_texts(FILE *f, const struct svg_look *look, const struct glyph *row, int cols)
{
	unsigned ink, ground;
	for (int x = 0, end; x < cols; x = end) {
		const struct glyph *g = &row[x];
		end = x + 1;
		if (svg_is_blank(g))
			continue;
		glyph_colours(look, g, &ink, &ground);
		while (end < cols && glyph_same_look(&row[end], g) && !svg_is_blank(&row[end]))
			end++;
		fprintf(f, "<text x='%.1f' y='12.8' textLength='%.1f' fill='#%06x'%s%s%s>",
		        x * SVG_CELL_WIDTH, (end - x) * SVG_CELL_WIDTH, ink,
		        g->attr & A_BOLD ? " font-weight='bold'" : "",
		        g->attr & A_ITALIC ? " font-style='italic'" : "",
		        g->attr & A_UNDERLINE ? " text-decoration='underline'" : "");
		for (int i = x; i < end; i++) {
			svg_write_glyph(f, &row[i]);
			i += wcwidth(row[i].text[0]) > 1;
		}
		fputs("</text>", f);
	}
}

void svg_row_write(FILE *f, const struct svg_look *look, const struct glyph *row, int cols)
{
	svg_write_grounds(f, look, row, cols);
	svg_write_lines(f, look, row, cols);
	svg_write_texts(f, look, row, cols);
}
