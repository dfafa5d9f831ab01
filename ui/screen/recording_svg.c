#include "ui/screen/recording_svg.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/output_file.h"

#define CELL_WIDTH 8.4
#define CELL_HEIGHT 17.0
#define MARGIN 10.0

/* The time of one version of a row. */
struct span {
	double from, to; /* seconds; to < 0: it is the last one */
};

struct recording_svg {
	int rows, cols;
	unsigned background, foreground; /* RGB */
	char *body; /* owned by f */
	size_t bytes;
	FILE *f;            /* of the body; owned */
	struct span *spans; /* [count], owned: of version i */
	unsigned count;
	long *shown;        /* [rows], owned: present version of each row; -1: none yet */
	bool full, failed;
};

struct recording_svg *recording_svg_new(int rows, int cols, bool light)
{
	struct recording_svg *v = alloc_zeroed(1, sizeof *v);
	if (!v)
		return NULL;
	v->rows = rows;
	v->cols = cols;
	v->background = light ? 0xffffff : 0x14171c;
	v->foreground = light ? 0x202327 : 0xd3d7de;
	v->shown = alloc_zeroed((size_t)rows, sizeof *v->shown);
	v->f = v->shown ? alloc_stream(&v->body, &v->bytes) : NULL;
	for (int y = 0; v->f && y < rows; y++)
		v->shown[y] = -1;
	if (v->f)
		return v;
	free(v->shown);
	free(v);
	return NULL;
}

void recording_svg_free(struct recording_svg *v)
{
	if (!v)
		return;
	if (v->f)
		fclose(v->f);
	free(v->body);
	free(v->spans);
	free(v->shown);
	free(v);
}

/* ---- a row ---- */
static unsigned svg_palette(int i)
{
	static const unsigned basic[16] = {
		0x1d2026, 0xd0623f, 0x5fa97c, 0xd9a441, 0x5394d6, 0xb07cc6, 0x55aebb, 0xcfd3da,
		0x6b7280, 0xf0845c, 0x83cba0, 0xf2c46d, 0x7db8f0, 0xcf9fe2, 0x7fd0dc, 0xf5f7fa};
	static const unsigned steps[6] = {0, 95, 135, 175, 215, 255};
	if (i < 16)
		return basic[i];
	if (i >= 232)
		return (unsigned)(8 + 10 * (i - 232)) * 0x10101;
	i -= 16;
	return steps[i / 36 % 6] << 16 | steps[i / 6 % 6] << 8 | steps[i % 6];
}

static void svg_colours(const struct recording_svg *v, const struct glyph *g, unsigned *ink,
                        unsigned *ground)
{
	*ink = g->fg < 0 ? v->foreground : svg_palette(g->fg);
	*ground = g->bg < 0 ? v->background : svg_palette(g->bg);
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

/* Bits of a line character: 1 up, 2 right, 4 down, 8 left; 0: another character. Line characters
 * are drawn, as fonts leave gaps between rows. */
static unsigned svg_line_bits(wchar_t wc)
{
	static const struct {
		wchar_t wc;
		unsigned bits;
	} table[] = {{L'─', 10}, {L'│', 5},  {L'┌', 6},  {L'┐', 12}, {L'└', 3}, {L'┘', 9},
	             {L'├', 7},  {L'┤', 13}, {L'┬', 14}, {L'┴', 11}, {L'┼', 15}};
	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		if (table[i].wc == wc)
			return table[i].bits;
	return 0;
}

static void svg_write_box_line(FILE *f, const struct glyph *g, int x, unsigned ink)
{
	const unsigned bits = svg_line_bits(g->text[0]);
	const double left = x * CELL_WIDTH, middle = left + CELL_WIDTH / 2;
	fprintf(f, "<path stroke='#%06x' d='", ink);
	if (bits & 10)
		fprintf(f, "M%.1f 8.5H%.1f", bits & 8 ? left : middle,
		        bits & 2 ? left + CELL_WIDTH : middle);
	if (bits & 5)
		fprintf(f, "M%.1f %sV%s", middle, bits & 1 ? "0" : "8.5", bits & 4 ? "17" : "8.5");
	fputs("'/>", f);
}

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
	return g->text[0] == L' ' || svg_line_bits(g->text[0]);
}

static bool svg_same_look(const struct glyph *a, const struct glyph *b)
{
	return a->fg == b->fg && a->bg == b->bg && a->attr == b->attr;
}

static void svg_write_grounds(struct recording_svg *v, const struct glyph *row)
{
	unsigned ink, ground, next;
	for (int x = 0, end; x < v->cols; x = end) {
		svg_colours(v, &row[x], &ink, &ground);
		for (end = x + 1; end < v->cols; end++) {
			svg_colours(v, &row[end], &ink, &next);
			if (next != ground)
				break;
		}
		if (ground != v->background)
			fprintf(v->f, "<rect x='%.1f' width='%.1f' height='17.3' fill='#%06x'/>",
			        x * CELL_WIDTH, (end - x) * CELL_WIDTH, ground);
	}
}

/* Words, each as wide as its cells whatever the font is. */
static void svg_write_texts(struct recording_svg *v, const struct glyph *row)
{
	unsigned ink, ground;
	for (int x = 0, end; x < v->cols; x = end) {
		const struct glyph *g = &row[x];
		end = x + 1;
		svg_colours(v, g, &ink, &ground);
		if (svg_line_bits(g->text[0]))
			svg_write_box_line(v->f, g, x, ink);
		if (svg_is_blank(g))
			continue;
		while (end < v->cols && svg_same_look(&row[end], g) && !svg_is_blank(&row[end]))
			end++;
		fprintf(v->f, "<text x='%.1f' y='12.8' textLength='%.1f' fill='#%06x'%s%s%s>",
		        x * CELL_WIDTH, (end - x) * CELL_WIDTH, ink,
		        g->attr & A_BOLD ? " font-weight='bold'" : "",
		        g->attr & A_ITALIC ? " font-style='italic'" : "",
		        g->attr & A_UNDERLINE ? " text-decoration='underline'" : "");
		for (int i = x; i < end; i++) {
			svg_write_glyph(v->f, &row[i]);
			i += wcwidth(row[i].text[0]) > 1;
		}
		fputs("</text>", v->f);
	}
}

void recording_svg_row(struct recording_svg *v, int y, const struct glyph *row, double at)
{
	if (v->full || v->failed || y >= v->rows)
		return;
	struct span *more = alloc_resize(v->spans, (v->count + 1) * sizeof *more);
	if (!more) {
		v->failed = true;
		return;
	}
	v->spans = more;
	if (v->shown[y] >= 0)
		v->spans[v->shown[y]].to = at;
	v->shown[y] = v->count;
	v->spans[v->count] = (struct span){at, -1};
	fprintf(v->f, "<g id='v%u' transform='translate(%.0f %.1f)'>", v->count++, MARGIN,
	        MARGIN + y * CELL_HEIGHT);
	svg_write_grounds(v, row);
	svg_write_texts(v, row);
	fputs("</g>\n", v->f);
	v->full = ftell(v->f) > RECORDING_SVG_BYTES_MAX;
}

/* ---- the film ---- */
/* Writes when each version is seen: in `length` seconds, again and again. */
static void svg_write_times(const struct recording_svg *v, FILE *f, double length)
{
	fprintf(f, "<style>g[id]{visibility:hidden;animation:%.3fs step-end infinite}\n", length);
	for (unsigned i = 0; i < v->count; i++) {
		const struct span *s = &v->spans[i];
		const double from = 100 * s->from / length, to = 100 * s->to / length;
		fprintf(f, "@keyframes k%u{0%%{visibility:%s}", i,
		        s->from > 0 ? "hidden" : "visible");
		if (s->from > 0)
			fprintf(f, "%.4f%%{visibility:visible}", from);
		if (s->to >= 0 && to < 100)
			fprintf(f, "%.4f%%{visibility:hidden}", to);
		fprintf(f, "}#v%u{animation-name:k%u%s}\n", i, i,
		        s->to < 0 ? ";visibility:visible" : "");
	}
	fputs("@media(prefers-reduced-motion:reduce){g[id]{animation:none}}</style>\n", f);
}

bool recording_svg_write(struct recording_svg *v, const char *path, double end, struct err *err)
{
	struct output_file o;
	const double width = 2 * MARGIN + v->cols * CELL_WIDTH,
		     height = 2 * MARGIN + v->rows * CELL_HEIGHT;
	fflush(v->f);
	if (v->failed || ferror(v->f))
		return err_set(err, "%s: out of memory while the screen was recorded", path);
	if (!output_begin(&o, path, OUTPUT_FILE_REGULAR, err))
		return false;
	fprintf(o.f,
	        "<svg xmlns='http://www.w3.org/2000/svg' width='%.0f' height='%.0f' viewBox='0 0 "
	        "%.0f %.0f'>\n<rect width='100%%' height='100%%' rx='9' fill='#%06x'/>\n",
	        width, height, width, height, v->background);
	svg_write_times(v, o.f, end > 0 ? end : 1);
	fputs("<g font-family='DejaVu Sans Mono,Menlo,Consolas,monospace' font-size='14' "
	      "fill='none' style='white-space:pre'>\n",
	      o.f);
	fwrite(v->body, 1, v->bytes, o.f);
	fputs("</g>\n</svg>\n", o.f);
	return output_end(&o, path, err);
}
