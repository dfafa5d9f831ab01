#include "hwviews/grid/grid.h"

#include <assert.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "hwviews/grid/picture.h"
#include "hwviews/grid/utf8.h"

const char *const role_name[ROLE_COUNT] = {
#define R(id, name, help) name,
	ROLES(R)
#undef R
};

/* Targets of a grid without memory: a text that is not freed, and a row and a cell that are never
 * read. */
static char no_text[1];
static struct cell lost_cell, lost_cells[GRID_COLUMNS_MAX];
static struct grid_row lost_row;

static void free_text(char *text)
{
	if (text != no_text)
		free(text);
}

/* A copy in which characters that a terminal would act on, and bytes that are not UTF-8, are
 * U+FFFD. */
static char *clean_copy(struct grid *g, const char *s)
{
	size_t n = strlen(s);
	char *out = g->out_of_memory ? NULL : alloc_bytes(3 * n + 1);
	g->out_of_memory |= !out;
	if (!out)
		return no_text;
	out[utf8_clean(out, s, n, "")] = '\0';
	return out;
}

static char *grid_format_cell_text(struct grid *g, const char *fmt, va_list ap)
{
	char small[256];
	va_list again;
	va_copy(again, ap);
	int n = vsnprintf(small, sizeof small, fmt, ap);
	char *text;
	if (n < (int)sizeof small) {
		text = clean_copy(g, n < 0 ? "" : small);
	} else {
		char *large = alloc_bytes((size_t)n + 1);
		g->out_of_memory |= !large;
		if (large)
			vsnprintf(large, (size_t)n + 1, fmt, again);
		text = large ? clean_copy(g, large) : no_text;
		free(large);
	}
	va_end(again);
	return text;
}

void grid_init(struct grid *g, const char *title, const struct grid_column *columns, unsigned n)
{
	assert(n <= GRID_COLUMNS_MAX);
	*g = (struct grid){
		.columns = alloc_bytes(n * sizeof *columns),
		.essential = n < GRID_ESSENTIAL ? n : GRID_ESSENTIAL, .focus_row = UINT_MAX,
	};
	g->out_of_memory = !g->columns;
	g->title = clean_copy(g, title);
	g->summary = clean_copy(g, "");
	g->empty = clean_copy(g, "");
	if (!g->columns)
		return;
	g->column_count = n;
	memcpy(g->columns, columns, n * sizeof *columns);
}

void grid_deinit(struct grid *g)
{
	for (unsigned r = 0; r < g->row_count; r++) {
		for (unsigned c = 0; c < g->column_count; c++) {
			free_text(g->rows[r].cells[c].text);
			if (g->rows[r].cells[c].kind == RAW_LIST)
				free(g->rows[r].cells[c].raw.list);
		}
		free(g->rows[r].cells);
	}
	free(g->rows);
	free(g->columns);
	free_text(g->title);
	free_text(g->summary);
	free_text(g->empty);
	picture_free(g->picture);
	*g = (struct grid){0};
}

void grid_take_picture(struct grid *g, struct picture *p)
{
	g->picture = p;
	g->out_of_memory |= !p;
}

void grid_texts(struct grid *g, const char *column)
{
	for (unsigned c = 0; c < g->column_count && c < 64; c++)
		if (strcmp(g->columns[c].name, column) == 0)
			g->texts |= UINT64_C(1) << c;
}

void grid_summary(struct grid *g, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	free_text(g->summary);
	g->summary = grid_format_cell_text(g, fmt, ap);
	va_end(ap);
}

void grid_empty(struct grid *g, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	free_text(g->empty);
	g->empty = grid_format_cell_text(g, fmt, ap);
	va_end(ap);
}

bool grid_complete(struct grid *g, struct err *err)
{
	if (!g->out_of_memory)
		return true;
	grid_deinit(g);
	return err_set(err, "out of memory for a view");
}

/* A row to write to while memory is out. */
static struct grid_row *lose_row(struct grid *g)
{
	g->out_of_memory = true;
	lost_row = (struct grid_row){.cells = lost_cells};
	return &lost_row;
}

/* Makes room for one more row; false if memory is out. */
static bool grid_grow_rows(struct grid *g)
{
	if (g->row_count < g->row_capacity)
		return true;
	const unsigned room = g->row_capacity ? 2 * g->row_capacity : 32;
	struct grid_row *rows = alloc_resize(g->rows, room * sizeof *rows);
	if (!rows)
		return false;
	g->rows = rows;
	g->row_capacity = room;
	return true;
}

struct grid_row *grid_row(struct grid *g, uint64_t key, enum role role)
{
	g->fill = 0;
	struct cell *cells = g->out_of_memory || !grid_grow_rows(g)
	                             ? NULL
	                             : alloc_zeroed(g->column_count, sizeof *cells);
	if (!cells)
		return lose_row(g);
	struct grid_row *row = &g->rows[g->row_count++];
	*row = (struct grid_row){.cells = cells, .key = key, .role = role};
	for (unsigned c = 0; c < g->column_count; c++)
		cells[c].text = clean_copy(g, "");
	return row;
}

struct grid_row *grid_last_row(struct grid *g)
{
	return g->out_of_memory ? lose_row(g) : &g->rows[g->row_count - 1];
}

/* The next cell of the last row, with its text set. */
static struct cell *next_cell(struct grid *g, enum role role, char *text)
{
	if (g->out_of_memory) {
		free_text(text);
		return &lost_cell;
	}
	assert(g->row_count && g->fill < g->column_count);
	struct cell *c = &g->rows[g->row_count - 1].cells[g->fill++];
	free_text(c->text);
	c->text = text;
	c->role = role;
	return c;
}

void grid_blank(struct grid *g)
{
	if (g->out_of_memory)
		return;
	assert(g->row_count && g->fill < g->column_count);
	g->fill++;
}

void grid_text(struct grid *g, enum role role, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	next_cell(g, role, grid_format_cell_text(g, fmt, ap));
	va_end(ap);
}

static void set_uint(struct cell *c, enum raw_kind kind, uint64_t v)
{
	c->kind = kind;
	c->raw.u = v;
}

void grid_uint(struct grid *g, enum role role, uint64_t v)
{
	set_uint(next_cell(g, role, clean_copy(g, GROUPED(v))), RAW_UINT, v);
}

void grid_int(struct grid *g, enum role role, int64_t v)
{
	char buf[33];
	struct cell *c = next_cell(g, role, clean_copy(g, group_digits_signed(v, buf)));
	c->kind = RAW_INT;
	c->raw.i = v;
}

void grid_hex(struct grid *g, enum role role, uint64_t v)
{
	char buf[32];
	snprintf(buf, sizeof buf, "0x%" PRIx64, v);
	set_uint(next_cell(g, role, clean_copy(g, buf)), RAW_HEX, v);
}

void grid_double(struct grid *g, enum role role, double v, int decimals)
{
	grid_double_text(g, role, v, "%.*f", decimals, v);
}

void grid_double_text(struct grid *g, enum role role, double v, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	struct cell *c = next_cell(g, role, grid_format_cell_text(g, fmt, ap));
	va_end(ap);
	/* JSON has no infinities: the cell exports its text then. */
	c->kind = isfinite(v) ? RAW_DOUBLE : RAW_NONE;
	c->raw.d = v;
}

void grid_uint_text(struct grid *g, enum role role, uint64_t v, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	set_uint(next_cell(g, role, grid_format_cell_text(g, fmt, ap)), RAW_UINT, v);
	va_end(ap);
}

void grid_hex_text(struct grid *g, enum role role, uint64_t v, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	set_uint(next_cell(g, role, grid_format_cell_text(g, fmt, ap)), RAW_HEX, v);
	va_end(ap);
}

void grid_list_text(struct grid *g, enum role role, const uint64_t *list, uint32_t n,
                    const char *fmt, ...)
{
	va_list ap;
	uint64_t *copy = alloc_bytes((n + 1) * sizeof *copy);
	va_start(ap, fmt);
	struct cell *c = next_cell(g, role, grid_format_cell_text(g, fmt, ap));
	va_end(ap);
	if (!copy || g->out_of_memory) {
		g->out_of_memory = true;
		free(copy);
		return;
	}
	memcpy(copy, list, n * sizeof *copy);
	c->kind = RAW_LIST;
	c->raw.list = copy;
	c->count = n;
}

static bool same_cell(const struct cell *a, const struct cell *b)
{
	if (a->kind == RAW_LIST && b->kind == RAW_LIST)
		return a->count == b->count &&
		       memcmp(a->raw.list, b->raw.list, a->count * sizeof *a->raw.list) == 0;
	if (a->kind != RAW_NONE && a->kind == b->kind)
		return a->raw.u == b->raw.u;
	return strcmp(a->text, b->text) == 0;
}

/* The row of `before` with the key of `row`: near *hint, where the last one was found. */
static const struct grid_row *row_before(const struct grid *before, const struct grid_row *row,
                                         unsigned index, unsigned *hint)
{
	if (!row->key)
		return index < before->row_count && !before->rows[index].key ? &before->rows[index]
		                                                             : NULL;
	for (unsigned i = 0; i < before->row_count; i++) {
		unsigned at = (*hint + i) % before->row_count;
		if (before->rows[at].key == row->key) {
			*hint = at + 1;
			return &before->rows[at];
		}
	}
	return NULL;
}

void grid_mark_changes(struct grid *now, const struct grid *before)
{
	if (!before || before->column_count != now->column_count)
		return;
	unsigned hint = 0;
	for (unsigned r = 0; r < now->row_count; r++) {
		struct grid_row *row = &now->rows[r];
		const struct grid_row *old = row_before(before, row, r, &hint);
		row->fresh = !old;
		for (unsigned c = 0; c < now->column_count; c++)
			row->cells[c].changed = old && !now->columns[c].restless &&
			                        !same_cell(&row->cells[c], &old->cells[c]);
	}
}

/* Widths that flexible columns keep, in cells: normally, and in a narrow pane. */
enum { FLEXIBLE_WIDE = 24, FLEXIBLE_MIN = 14 };

/* Width of a column's texts; a cell wider if something changed, for a text renderer's mark. */
static unsigned natural_width(const struct grid *g, unsigned c)
{
	unsigned w = 0, mark = 0;
	for (unsigned r = 0; r < g->row_count; r++) {
		const struct cell *cell = &g->rows[r].cells[c];
		unsigned n = utf8_width(cell->text);
		if (n > w)
			w = n;
		mark |= cell->changed;
	}
	w += mark;
	if (w < g->columns[c].min_width)
		w = g->columns[c].min_width;
	unsigned title = utf8_width(g->columns[c].title);
	return w < title ? title : w;
}

static unsigned grid_column_least_width(const struct grid_column *c, unsigned natural,
                                        unsigned floor)
{
	unsigned least = c->min_width > floor ? c->min_width : floor;
	return c->flexible && natural > least ? least : natural;
}

/* How many columns fit if flexible ones keep at least `floor`; *used receives the cells they
 * take. */
static unsigned grid_count_fitting_columns(const struct grid *g, unsigned width, unsigned gap,
                                           const unsigned *natural, unsigned floor, unsigned *used)
{
	unsigned c = 0;
	*used = 0;
	for (; c < g->column_count; c++) {
		unsigned more =
			grid_column_least_width(&g->columns[c], natural[c], floor) + (c ? gap : 0);
		if (*used + more > width)
			break;
		*used += more;
	}
	return c;
}

unsigned grid_layout(const struct grid *g, unsigned width, unsigned gap, unsigned *widths)
{
	for (unsigned c = 0; c < g->column_count; c++)
		widths[c] = natural_width(g, c);
	if (!width)
		return g->column_count;
	unsigned used, floor = FLEXIBLE_WIDE;
	unsigned shown = grid_count_fitting_columns(g, width, gap, widths, floor, &used);
	if (shown < g->essential) {
		floor = FLEXIBLE_MIN;
		shown = grid_count_fitting_columns(g, width, gap, widths, floor, &used);
		/* Essential columns get the room that narrow columns to their right would take. */
		while (shown > g->essential) {
			shown--;
			used -= grid_column_least_width(&g->columns[shown], widths[shown], floor) +
			        gap;
		}
	}
	if (!shown) {
		memset(widths, 0, g->column_count * sizeof *widths);
		widths[0] = width;
		return 1;
	}
	unsigned natural[g->column_count];
	memcpy(natural, widths, sizeof natural);
	for (unsigned c = 0; c < g->column_count; c++)
		widths[c] =
			c < shown ? grid_column_least_width(&g->columns[c], natural[c], floor) : 0;
	/* The flexible columns share the rest in turn. */
	unsigned left = width - used;
	for (bool more = true; more && left;) {
		more = false;
		for (unsigned c = 0; c < shown && left; c++) {
			if (widths[c] == natural[c])
				continue;
			widths[c]++;
			left--;
			more = true;
		}
	}
	return shown;
}
