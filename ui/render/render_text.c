#include "ui/render/render_text.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "hwviews/grid/picture.h"
#include "hwviews/grid/utf8.h"

enum { GAP = 2 };

struct renderer {
	FILE *f;
	const struct grid *g;
	const struct text_style *style;
	unsigned *widths; /* [column_count], 0: left out */
	unsigned shown;
	unsigned pad;     /* blanks owed before the next text, so that no line ends in blanks */
	unsigned gutter;  /* cells before the first column */
};

static void render_text_write_bytes(struct renderer *r, const char *s, size_t n)
{
	if (!n)
		return;
	for (; r->pad; r->pad--)
		fputc(' ', r->f);
	while (n > 0) {
		uint32_t code;
		size_t len = utf8_decode(s, n, &code);
		const bool shown = utf8_is_shown(code);
		if (!r->style->ascii && shown)
			fwrite(s, 1, len, r->f);
		else if (!r->style->ascii)
			fputs("\uFFFD", r->f);
		else
			for (unsigned w = utf8_char_width(code); w > 0; w--)
				fputc(shown ? utf8_ascii(code) : '?', r->f);
		s += len;
		n -= len;
	}
}

/* Writes at most `width` cells of the text; trailing blanks are added to `pad`. Returns the cells
 * taken. */
static unsigned render_text_write_cell(struct renderer *r, const char *s, unsigned width)
{
	unsigned cells = utf8_width(s);
	size_t n = strlen(s);
	const char *end = "";
	if (cells > width) {
		n = width ? utf8_fit_text(s, width - 1) : 0;
		end = width ? "…" : "";
		cells = width ? cells - utf8_width(s + n) + 1 : 0;
	}
	size_t solid = n;
	while (!*end && solid > 0 && s[solid - 1] == ' ')
		solid--;
	render_text_write_bytes(r, s, solid);
	r->pad += (unsigned)(n - solid);
	render_text_write_bytes(r, end, strlen(end));
	return cells;
}

static void render_text_end_line(struct renderer *r)
{
	fputc('\n', r->f);
	r->pad = 0;
}

static void title_line(struct renderer *r)
{
	unsigned width = r->style->width ? r->style->width : UINT_MAX;
	const char *right = r->style->right;
	unsigned need = right ? utf8_width(right) : 0;
	if (right && r->style->width && need + GAP < width / 2)
		width -= need + GAP;
	unsigned used = render_text_write_cell(r, r->g->title, width);
	if (*r->g->summary && used + GAP < width) {
		r->pad += GAP;
		used += GAP;
		used += render_text_write_cell(r, r->g->summary, width - used);
	}
	if (right && (!r->style->width || used + GAP + need <= r->style->width)) {
		r->pad += r->style->width ? r->style->width - used - need : GAP;
		render_text_write_cell(r, right, need);
	}
	render_text_end_line(r);
}

/* Writes a text in its column, marked `*` if changed. room: the column reserves a cell for marks.
 */
static void column_text(struct renderer *r, unsigned c, const char *text, bool changed, bool room)
{
	unsigned width = r->widths[c], mark = room && width > 1;
	unsigned cells = utf8_width(text);
	unsigned left = cells + mark < width ? width - cells - mark : 0;
	enum align align = r->g->columns[c].align;
	unsigned before = align == ALIGN_RIGHT ? left : align == ALIGN_CENTRE ? left / 2 : 0;
	r->pad += before;
	char shorter[256];
	cells = render_text_write_cell(r, utf8_shorten(text, width - mark, shorter, sizeof shorter),
	                               width - mark);
	if (changed && mark)
		render_text_write_bytes(r, "*", 1);
	r->pad += width - before - cells - (changed && mark) + GAP;
}

static bool column_marked(const struct renderer *r, unsigned c)
{
	if (!r->style->marks)
		return false;
	for (unsigned i = 0; i < r->g->row_count; i++)
		if (r->g->rows[i].cells[c].changed)
			return true;
	return false;
}

static void head_line(struct renderer *r)
{
	bool any = false;
	for (unsigned c = 0; c < r->shown; c++)
		any |= *r->g->columns[c].title != '\0';
	if (!any)
		return;
	r->pad += r->gutter;
	for (unsigned c = 0; c < r->shown; c++)
		column_text(r, c, r->g->columns[c].title, false,
		            column_marked(r, c) &&
		                    utf8_width(r->g->columns[c].title) < r->widths[c]);
	if (r->shown < r->g->column_count) {
		r->pad -= GAP - 1;
		render_text_write_bytes(r, "…", strlen("…"));
	}
	render_text_end_line(r);
}

static void row_line(struct renderer *r, const struct grid_row *row)
{
	if (r->gutter) {
		render_text_write_bytes(r, row->fresh ? "+" : " ", 1);
		r->pad += r->gutter - 1;
	}
	for (unsigned c = 0; c < r->shown; c++)
		column_text(r, c, row->cells[c].text, row->cells[c].changed && r->style->marks,
		            column_marked(r, c));
	render_text_end_line(r);
}

/* First of the rows shown when not all fit. */
static unsigned render_text_first_row(const struct grid *g, unsigned rows)
{
	if (!rows || g->row_count <= rows || g->focus_row == UINT_MAX)
		return 0;
	unsigned first = g->focus_row > rows / 4 ? g->focus_row - rows / 4 : 0;
	return first + rows > g->row_count ? g->row_count - rows : first;
}

static void render_text_layout_columns(struct renderer *r)
{
	const struct grid *g = r->g;
	/* Mark no rows if all are new. */
	unsigned fresh = 0;
	for (unsigned i = 0; i < g->row_count; i++)
		fresh += g->rows[i].fresh;
	if (r->style->marks && fresh && fresh < g->row_count)
		r->gutter = 2;
	unsigned width = r->style->width;
	if (width)
		width = width > r->gutter ? width - r->gutter : 1;
	r->shown = grid_layout(g, width, GAP, r->widths);
	/* Reserve two cells to show that columns are left out. */
	if (r->shown < g->column_count && width > 2)
		r->shown = grid_layout(g, width - 2, GAP, r->widths);
}

static void picture_lines(struct renderer *r)
{
	const struct picture *p = r->g->picture;
	char text[PICTURE_BYTES];
	for (unsigned y = 0; y < p->height; y++) {
		for (unsigned x = 0; x < p->width; x++)
			render_text_write_cell(r, picture_char(picture_at(p, y, x), text), 1);
		render_text_end_line(r);
	}
}

void render_text(FILE *f, const struct grid *g, const struct text_style *style)
{
	struct renderer r = {.f = f,
	                     .g = g,
	                     .style = style,
	                     .widths = alloc_zeroed(g->column_count + 1, sizeof *r.widths)};
	if (!r.widths)
		return;
	render_text_layout_columns(&r);
	title_line(&r);
	if (!g->row_count) {
		if (*g->empty) {
			r.pad = 2;
			render_text_write_cell(&r, g->empty,
			                       style->width > 4 ? style->width - 2 : UINT_MAX);
			render_text_end_line(&r);
		}
		free(r.widths);
		return;
	}
	if (g->picture && (!style->width || g->picture->width <= style->width)) {
		picture_lines(&r);
		free(r.widths);
		return;
	}
	head_line(&r);
	unsigned rows = style->rows && style->rows < g->row_count ? style->rows : g->row_count;
	unsigned first = render_text_first_row(g, style->rows);
	for (unsigned i = first; i < first + rows; i++)
		row_line(&r, &g->rows[i]);
	if (rows < g->row_count) {
		char line[96], a[32], b[32];
		snprintf(line, sizeof line, "… %s rows before, %s after", group_digits(first, a),
		         group_digits(g->row_count - first - rows, b));
		render_text_write_cell(&r, line, style->width ? style->width : UINT_MAX);
		render_text_end_line(&r);
	}
	free(r.widths);
}

char *render_text_string(const struct grid *g, const struct text_style *style)
{
	char *text = NULL;
	size_t n = 0;
	FILE *f = alloc_stream(&text, &n);
	if (!f)
		return NULL;
	render_text(f, g, style);
	if (fclose(f) != 0) {
		free(text);
		return NULL;
	}
	return text;
}
