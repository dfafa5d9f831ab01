#include "hwviews/grid/gutter.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/sort.h"
#include "hwviews/grid/order.h"

enum { UP = 1, DOWN = 2, OUT = 4, IN = 8, ARROW = 16, CELL_BYTES = 3, STUB = 2, WIDE_LANES = 4 };

/* All arrows to one row. */
struct bundle {
	uint32_t to, lo, hi; /* rows: the arrows' target, and [lo, hi] from end to end */
	uint32_t lane;
};

struct drawing {
	struct bundle *bundles; /* [count], owned */
	uint32_t count, lanes, width, spacing;
	/* [rows * width], owned: directions of lines; x counts from the text */
	uint8_t *cells;
	uint32_t rows;
};

ORDER(by_target, struct bundle, UP(to))

static int by_length(const void *a, const void *b)
{
	const struct bundle *x = a, *y = b;
	const uint32_t m = x->hi - x->lo, n = y->hi - y->lo;
	return m != n ? (m < n ? -1 : 1) : by_target(a, b);
}

static bool make_bundles(struct drawing *d, const struct gutter_arc *arcs, size_t n)
{
	struct bundle *b = d->bundles = alloc_zeroed(n + 1, sizeof *b);
	if (!b)
		return false;
	for (size_t i = 0; i < n; i++)
		b[i] = (struct bundle){
			.to = arcs[i].to,
			.lo = arcs[i].from < arcs[i].to ? arcs[i].from : arcs[i].to,
			.hi = arcs[i].from < arcs[i].to ? arcs[i].to : arcs[i].from,
		};
	sort_stable(b, n, sizeof *b, by_target);
	for (size_t i = 0; i < n; i++) {
		struct bundle *last = d->count ? &b[d->count - 1] : NULL;
		if (!last || last->to != b[i].to) {
			b[d->count++] = b[i];
			continue;
		}
		last->lo = b[i].lo < last->lo ? b[i].lo : last->lo;
		last->hi = b[i].hi > last->hi ? b[i].hi : last->hi;
	}
	sort_stable(b, d->count, sizeof *b, by_length);
	return true;
}

static bool is_free(const struct drawing *d, const struct bundle *b, uint32_t lane)
{
	for (const struct bundle *o = d->bundles; o < b; o++)
		if (o->lane == lane && o->lo <= b->hi && b->lo <= o->hi)
			return false;
	return true;
}

static void find_lanes(struct drawing *d, uint32_t most)
{
	for (uint32_t i = 0; i < d->count; i++) {
		struct bundle *b = &d->bundles[i];
		while (b->lane < most && !is_free(d, b, b->lane))
			b->lane++;
		if (b->lane < most && b->lane >= d->lanes)
			d->lanes = b->lane + 1;
	}
	d->spacing = d->lanes <= WIDE_LANES ? 2 : 1;
	d->width = d->lanes ? STUB + (d->lanes - 1) * d->spacing + 1 : 0;
}

static uint32_t gutter_lane_column(const struct drawing *d, const struct bundle *b)
{
	return STUB + b->lane * d->spacing;
}

static void draw_bundle(const struct drawing *d, const struct bundle *b)
{
	for (uint32_t row = b->lo; row <= b->hi; row++)
		d->cells[row * d->width + gutter_lane_column(d, b)] |=
			(uint8_t)((row > b->lo ? UP : 0) | (row < b->hi ? DOWN : 0));
}

/* Draws from the lane to the text, over other lanes: a line that only crosses is broken, not
 * joined. */
static void draw_end(const struct drawing *d, const struct bundle *b, uint32_t row)
{
	uint8_t *cells = &d->cells[row * d->width];
	for (uint32_t x = 0; x < gutter_lane_column(d, b); x++) {
		bool joins = cells[x] & (IN | OUT);
		cells[x] = (uint8_t)((joins ? cells[x] : 0) | IN | OUT);
	}
	cells[gutter_lane_column(d, b)] |= IN;
	if (row == b->to)
		cells[0] |= ARROW;
}

static const struct bundle *bundle_to(const struct drawing *d, uint32_t row)
{
	for (uint32_t i = 0; i < d->count; i++)
		if (d->bundles[i].to == row)
			return &d->bundles[i];
	return NULL;
}

struct end {
	const struct bundle *b;
	uint32_t row;
};

/* Draws ends in near lanes first: crossings drawn later keep their joints. */
ORDER(by_lane, struct end, UP(b->lane) ?: UP(row))

static void draw_ends(const struct drawing *d, struct end *ends, size_t count)
{
	sort_stable(ends, count, sizeof *ends, by_lane);
	for (size_t i = 0; i < count; i++)
		draw_end(d, ends[i].b, ends[i].row);
}

static bool gutter_draw_arcs(struct drawing *d, const struct gutter_arc *arcs, size_t n,
                             uint32_t most, uint32_t *undrawn)
{
	struct end *ends = alloc_bytes((2 * n + 1) * sizeof *ends);
	size_t count = 0;
	d->cells = alloc_zeroed((size_t)d->rows * d->width + 1, 1);
	const bool ok = ends && d->cells;
	for (uint32_t i = 0; ok && i < d->count; i++) {
		if (d->bundles[i].lane == most)
			continue;
		draw_bundle(d, &d->bundles[i]);
		ends[count++] = (struct end){&d->bundles[i], d->bundles[i].to};
	}
	for (size_t i = 0; ok && i < n; i++) {
		const struct bundle *b = bundle_to(d, arcs[i].to);
		if (b->lane < most)
			ends[count++] = (struct end){b, arcs[i].from};
		else
			*undrawn += 1;
	}
	if (ok)
		draw_ends(d, ends, count);
	free(ends);
	return ok;
}

/* ---- as text ---- */
static const char *gutter_cell_glyph(uint8_t cell, enum gutter_side side)
{
	static const char *const left[16] = {
		[0] = " ",
		[UP] = "│",
		[DOWN] = "│",
		[UP | DOWN] = "│",
		[OUT] = "─",
		[IN] = "─",
		[OUT | IN] = "─",
		[UP | IN] = "└",
		[DOWN | IN] = "┌",
		[UP | DOWN | IN] = "├",
		[UP | IN | OUT] = "┴",
		[DOWN | IN | OUT] = "┬",
		[UP | DOWN | IN | OUT] = "┼",
		[UP | OUT] = "┘",
		[DOWN | OUT] = "┐",
		[UP | DOWN | OUT] = "┤",
	};
	static const char *const right[16] = {
		[UP | IN] = "┘",  [DOWN | IN] = "┐",  [UP | DOWN | IN] = "┤",
		[UP | OUT] = "└", [DOWN | OUT] = "┌", [UP | DOWN | OUT] = "├",
	};
	const unsigned ways = cell & 15;
	if (cell & ARROW)
		return side == GUTTER_LEFT ? "▶" : "◀";
	return side == GUTTER_RIGHT && right[ways] ? right[ways] : left[ways];
}

static char *line_text(const struct drawing *d, uint32_t row, enum gutter_side side)
{
	char *text = alloc_zeroed(d->width * CELL_BYTES + 1, 1), *at = text;
	for (uint32_t x = 0; text && x < d->width; x++) {
		const uint32_t from = side == GUTTER_LEFT ? d->width - 1 - x : x;
		const char *s = gutter_cell_glyph(d->cells[row * d->width + from], side);
		const size_t n = strlen(s);
		memcpy(at, s, n + 1);
		at += n;
	}
	return text;
}

void gutter_free(struct gutter *g)
{
	for (uint32_t i = 0; g->lines && i < g->rows; i++)
		free(g->lines[i]);
	free(g->lines);
	*g = (struct gutter){0};
}

bool gutter_draw(const struct gutter_arc *arcs, size_t n, uint32_t rows, enum gutter_side side,
                 uint32_t lanes_most, struct gutter *out)
{
	struct drawing d = {.rows = rows};
	*out = (struct gutter){.lines = alloc_zeroed(rows + (size_t)1, sizeof *out->lines),
	                       .rows = rows};
	bool ok = out->lines && make_bundles(&d, arcs, n);
	if (ok) {
		find_lanes(&d, lanes_most);
		ok = gutter_draw_arcs(&d, arcs, n, lanes_most, &out->undrawn);
	}
	for (uint32_t i = 0; ok && i < rows; i++)
		ok = (out->lines[i] = line_text(&d, i, side));
	free(d.bundles);
	free(d.cells);
	if (!ok)
		gutter_free(out);
	return ok;
}
