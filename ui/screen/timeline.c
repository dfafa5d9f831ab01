/* The timeline's place, window and columns, and drawing it: bands and marks, and a line of bars for
 * each measure. */
#include "ui/screen/timeline.h"

#include <ncurses.h>
#include <stdio.h>
#include <string.h>

#include "core/base/hash.h"
#include "core/defs/stats.h"
#include "hwviews/grid/utf8.h"
#include "hwviews/session/marks.h"
#include "hwviews/session/stop_history.h"
#include "ui/screen/screen_state.h"

/* Most cycles that are re-executed for a resolution finer than the recording's; that is instant. */
enum { CLOSE_CYCLES = 131072 };

void timeline_deinit(struct timeline *t)
{
	timeline_bins_free(&t->bins);
}

/* ---- place ---- */
static int timeline_row_count(const struct screen *s)
{
	enum { FROM_ROWS = 28, STEP = 8, LEAST = 2 };
	const struct timeline *t = &s->timeline;
	const int rows = s->canvas.rows;
	if (t->shown == TIMELINE_OFF || (rows < FROM_ROWS && t->shown == TIMELINE_AUTO))
		return 0;
	const int more = rows < FROM_ROWS ? 0 : (rows - FROM_ROWS) / STEP;
	return LEAST + more > TIMELINE_MOST_ROWS ? TIMELINE_MOST_ROWS : LEAST + more;
}

struct rect timeline_place(struct screen *s, struct rect area)
{
	struct timeline *t = &s->timeline;
	const int h = timeline_row_count(s);
	t->r = (struct rect){area.y + area.h - h, area.x, h, area.w};
	t->focused = t->focused && h;
	area.h -= h;
	return area;
}

/* ---- contents ---- */
struct timeline_span timeline_recorded_span(const struct screen *s)
{
	struct timeline_span span;
	run_timeline(screen_session(s)->run, &span);
	return span;
}

uint64_t timeline_cursor(const struct screen *s)
{
	return s->timeline.pointed ? s->timeline.cursor : machine_cycle(screen_session(s)->machine);
}

void timeline_center_window(struct timeline *t, const struct timeline_span *span, uint64_t cycle)
{
	const uint64_t wide = t->to - t->from;
	t->from = cycle > span->first + wide / 2 ? cycle - wide / 2 : span->first;
	if (t->from > span->newest - wide)
		t->from = span->newest - wide;
	t->to = t->from + wide;
}

/* Moves the window to a cursor that has left it. */
static void timeline_follow_cursor(struct screen *s, const struct timeline_span *span)
{
	struct timeline *t = &s->timeline;
	const uint64_t at = timeline_cursor(s);
	if (t->to > span->newest || t->from < span->first)
		t->zoomed = false;
	if (t->zoomed && (at < t->from || at > t->to))
		timeline_center_window(t, span, at);
}

void timeline_build(struct screen *s)
{
	struct timeline *t = &s->timeline;
	const struct session *se = screen_session(s);
	const struct timeline_span span = timeline_recorded_span(s);
	struct timeline_bins bins;
	struct run_history h;
	struct err err;
	if (!t->r.h)
		return;
	if (t->cursor > span.newest)
		t->pointed = false;
	timeline_follow_cursor(s, &span);
	run_history(se->run, &h);
	const uint64_t from = t->zoomed ? t->from : span.first,
		       to = t->zoomed ? t->to : span.newest;
	const bool close = t->zoomed && !s->running.on && to - from <= CLOSE_CYCLES;
	/* Bins from re-execution are still valid. */
	if (close && t->close && t->of == se->machine && t->cuts == h.cuts &&
	    t->bins.from == from && t->bins.to == to)
		return;
	if (!timeline_bins(se, from, to, TIMELINE_BINS, close ? 1 : span.width, &bins, &err))
		return; /* keep the old bins */
	timeline_bins_free(&t->bins);
	t->bins = bins;
	t->close = close;
	t->cuts = h.cuts;
	t->of = se->machine;
}

int timeline_columns(const struct timeline *t)
{
	return t->r.w > TIMELINE_GUTTER + 1 ? t->r.w - TIMELINE_GUTTER - 1 : 0;
}

bool timeline_column(const struct timeline *t, int i, struct timeline_column *out)
{
	const size_t columns = (size_t)timeline_columns(t), bins = t->bins.count;
	if (!bins || i < 0 || (size_t)i >= columns)
		return false;
	const size_t first = (size_t)i * bins / columns;
	size_t end = ((size_t)i + 1) * bins / columns;
	if (end == first)
		end++;
	*out = (struct timeline_column){t->bins.bin[first].from, t->bins.bin[end - 1].to, first,
	                                end, t->bins.bin[first]};
	out->sum.to = out->to;
	for (size_t b = first + 1; b < end; b++)
		for (unsigned k = 0; k < TIMELINE_WORDS; k++)
			out->sum.count[k] += t->bins.bin[b].count[k];
	return true;
}

int timeline_column_of(const struct timeline *t, uint64_t cycle)
{
	const int columns = timeline_columns(t);
	struct timeline_column c;
	if (!t->bins.count || cycle < t->bins.from || cycle > t->bins.to)
		return -1;
	int lo = 0, hi = columns;
	while (hi - lo > 1) {
		const int mid = lo + (hi - lo) / 2;
		if (timeline_column(t, mid, &c) && c.from <= cycle)
			lo = mid;
		else
			hi = mid;
	}
	/* Of several columns that show one bin, take the first; the end is in the last. */
	while (lo > 0 && timeline_column(t, lo, &c)) {
		struct timeline_column before;
		if (!timeline_column(t, lo - 1, &before) || before.from != c.from ||
		    cycle == t->bins.to)
			break;
		lo--;
	}
	return lo;
}

/* ---- drawing ---- */
enum { EIGHTHS = 8, COLUMNS_MOST = 1024, NAME_LEAST = 6 };

/* A line of bars: height, ink and text of a bin. */
struct line {
	double (*value)(const struct timeline_bin *b);
	double top; /* value of a full bar; 0: the largest in sight */
	unsigned (*ink)(const struct timeline_bin *b);
	void (*say)(const struct timeline_bin *b, char *text, size_t n);
};

/* ---- measures ---- */
static unsigned ipc_ink(const struct timeline_bin *b)
{
	(void)b;
	return ROLE_HIT;
}

static void say_ipc(const struct timeline_bin *b, char *text, size_t n)
{
	snprintf(text, n, "IPC %.2f", timeline_ipc(b));
}

static unsigned cause_ink(const struct timeline_bin *b)
{
	static const struct {
		const char *row;
		unsigned ink;
	} of[] = {
		{"frontend", ROLE_RUNNING}, {"icache", ROLE_RUNNING}, {"bad", ROLE_WRONG_PATH},
		{"dependency", ROLE_READY}, {"l1d", ROLE_DONE},       {"l2", ROLE_WAITING},
		{"memory", ROLE_MISS},      {"tlb", ROLE_MISS},       {"structural", ROLE_HOT},
		{"profile", ROLE_PROFILE},
	};
	char name[32];
	timeline_cause_name(timeline_cause(b), name, sizeof name);
	for (size_t i = 0; i < sizeof of / sizeof *of; i++)
		if (!strncmp(name, of[i].row, strlen(of[i].row)))
			return of[i].ink;
	return ROLE_LOCKED;
}

static void timeline_draw_format_lost(const struct timeline_bin *b, char *text, size_t n)
{
	char name[32];
	const unsigned most = timeline_cause(b);
	snprintf(text, n, "lost %.0f%%%s%s", 100 * timeline_lost(b), most ? " " : "",
	         most ? timeline_cause_name(most, name, sizeof name) : "");
}

static double timeline_draw_l1_misses(const struct timeline_bin *b)
{
	return timeline_per_1000(b, TIMELINE_l1d_misses) +
	       timeline_per_1000(b, TIMELINE_l1i_misses);
}

/* Ink by level: L2 if it misses at least a quarter of the L1 misses, else the L1 that misses more.
 */
static unsigned miss_ink(const struct timeline_bin *b)
{
	if (4 * b->count[TIMELINE_l2_misses] >=
	    b->count[TIMELINE_l1d_misses] + b->count[TIMELINE_l1i_misses])
		return ROLE_MISS;
	return b->count[TIMELINE_l1i_misses] > b->count[TIMELINE_l1d_misses] ? ROLE_RUNNING
	                                                                     : ROLE_WAITING;
}

static void say_misses(const struct timeline_bin *b, char *text, size_t n)
{
	snprintf(text, n, "misses L1 %.0f L2 %.0f", timeline_draw_l1_misses(b),
	         timeline_per_1000(b, TIMELINE_l2_misses));
}

static double timeline_draw_mispredicts(const struct timeline_bin *b)
{
	return timeline_per_1000(b, TIMELINE_bpred_mispredicts);
}

static unsigned wrong_ink(const struct timeline_bin *b)
{
	(void)b;
	return ROLE_WRONG_PATH;
}

static void say_mispredicts(const struct timeline_bin *b, char *text, size_t n)
{
	snprintf(text, n, "mispredicted %.1f", timeline_draw_mispredicts(b));
}

static const struct line lines[TIMELINE_MOST_ROWS - 1] = {
	{timeline_ipc, 0, ipc_ink, say_ipc},
	{timeline_lost, 1, cause_ink, timeline_draw_format_lost},
	{timeline_draw_l1_misses, 0, miss_ink, say_misses},
	{timeline_draw_mispredicts, 0, wrong_ink, say_mispredicts},
};

/* ---- columns ---- */
/* Ground of a column. */
static enum ground ground_of(const struct screen *s, int column, const struct timeline_column *c)
{
	const struct timeline *t = &s->timeline;
	uint64_t from, to;
	if (t->focused && column == timeline_column_of(t, timeline_cursor(s)))
		return GROUND_SELECTED;
	if (region_selected(screen_session(s), &from, &to) && from < c->to && c->from < to)
		return GROUND_RESTING;
	return GROUND_NONE;
}

static const char *timeline_draw_bar_glyph(bool ascii, unsigned eighths)
{
	static const char *const utf8[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
	static const char *const plain[] = {" ", ".", ":", "-", "=", "+", "*", "%", "#"};
	return ascii ? plain[eighths] : utf8[eighths];
}

static void timeline_draw_bar_line(struct screen *s, const struct line *l, int y)
{
	const struct timeline *t = &s->timeline;
	struct canvas *c = &s->canvas;
	struct timeline_column at;
	const int columns = timeline_columns(t),
		  now = timeline_column_of(t, machine_cycle(screen_session(s)->machine));
	double top = l->top;
	for (int i = 0; !l->top && timeline_column(t, i, &at); i++)
		top = l->value(&at.sum) > top ? l->value(&at.sum) : top;
	for (int i = 0; i < columns && timeline_column(t, i, &at); i++) {
		const double v = l->value(&at.sum), share = top > 0 ? v / top : 0;
		/* The largest value does not fill the cell, so that lines stay apart. */
		unsigned eighths = (unsigned)(share * (l->top ? EIGHTHS : EIGHTHS - 1) + 0.5);
		eighths = v > 0 && !eighths ? 1 : eighths > EIGHTHS ? EIGHTHS : eighths;
		const unsigned ink = i == now ? ROLE_CURRENT : l->ink(&at.sum);
		draw_text(c, y, t->r.x + TIMELINE_GUTTER + i, 1,
		          theme_ink(&c->theme, ink, ground_of(s, i, &at)),
		          timeline_draw_bar_glyph(c->ascii, eighths));
	}
}

/* ---- bands ---- */
enum { NAME_BYTES = 48 };

struct band {
	char name[NAME_BYTES];
	int from, to; /* columns */
	struct ink ink;
};

/* Chooses a band's ink by its name, but not that of the previous band; without colours every other
 * band is reversed. */
static struct ink band_ink(const struct theme *theme, const char *name, unsigned *last)
{
	static const unsigned inks[] = {ROLE_ADDRESS, ROLE_WAITING, ROLE_RUNNING,
	                                ROLE_PROFILE, ROLE_DONE,    ROLE_READY};
	enum { INKS = sizeof inks / sizeof *inks };
	unsigned i = (unsigned)(hash_bytes(HASH_START, name, strlen(name)) % INKS);
	i = i == *last ? (i + 1) % INKS : i;
	struct ink ink = theme_ink(theme, *name ? inks[i] : ROLE_DIM, GROUND_NONE);
	if (ink.pair || *last % 2 == 0)
		ink.attr |= A_REVERSE;
	*last = ink.pair ? i : *last + 1;
	return ink;
}

/* True if the column has a snapshot; of columns that show one bin, only the first. */
static bool has_snapshot(const struct screen *s, int column, const struct timeline_column *c)
{
	uint64_t cycle;
	for (unsigned i = 0;
	     (cycle = run_snapshot_cycle(screen_session(s)->run, i)) != UINT64_MAX && cycle < c->to;
	     i++)
		if (cycle >= c->from && timeline_column_of(&s->timeline, cycle) == column)
			return true;
	return false;
}

/* Draws a band's name, if there is room, and dots for snapshots after it. */
static void draw_band(struct screen *s, const struct band *b)
{
	const struct timeline *t = &s->timeline;
	struct canvas *c = &s->canvas;
	struct timeline_column at;
	const int y = t->r.y, left = t->r.x + TIMELINE_GUTTER, w = b->to - b->from;
	int used = 0;
	draw_blank(c, y, left + b->from, w, b->ink);
	if (w > (int)utf8_width(b->name) || w >= NAME_LEAST)
		used = (w > (int)utf8_width(b->name) + 1) +
		       draw_text(c, y, left + b->from + (w > (int)utf8_width(b->name) + 1), w - 1,
		                 b->ink, b->name);
	for (int i = b->from + used; i < b->to; i++)
		if (timeline_column(t, i, &at) && has_snapshot(s, i, &at))
			draw_text(c, y, left + i, 1, b->ink, c->ascii ? "." : "·");
}

/* Name of the function of most of a column's bins; of several, the first. */
static void timeline_draw_column_function(const struct screen *s, const struct timeline_column *c,
                                          char name[NAME_BYTES])
{
	const struct timeline_bin *bin = s->timeline.bins.bin;
	unsigned most = 0;
	for (size_t i = c->first; i < c->end; i++) {
		char one[NAME_BYTES], other[NAME_BYTES];
		unsigned alike = 0;
		timeline_where(screen_session(s), bin[i].pc, one, sizeof one);
		for (size_t k = i; k < c->end; k++)
			alike += !strcmp(one, timeline_where(screen_session(s), bin[k].pc, other,
			                                     sizeof other));
		if (alike > most)
			memcpy(name, one, sizeof one);
		most = alike > most ? alike : most;
	}
}

static void draw_bands(struct screen *s)
{
	const struct timeline *t = &s->timeline;
	struct timeline_column at;
	struct band band = {.from = 0};
	unsigned last = 0;
	for (int i = 0; i <= timeline_columns(t); i++) {
		char name[NAME_BYTES] = "";
		const bool there = timeline_column(t, i, &at);
		if (there)
			timeline_draw_column_function(s, &at, name);
		if (i && (!there || strcmp(name, band.name) != 0)) {
			band.to = i;
			band.ink = band_ink(&s->canvas.theme, band.name, &last);
			draw_band(s, &band);
			band.from = i;
		}
		if (!there)
			return;
		memcpy(band.name, name, sizeof name);
	}
}

/* ---- marks ---- */
static void timeline_draw_mark(struct screen *s, uint64_t cycle, unsigned ink, const char *utf8,
                               const char *plain)
{
	const struct timeline *t = &s->timeline;
	struct canvas *c = &s->canvas;
	const int column = timeline_column_of(t, cycle);
	if (column >= 0)
		draw_text(c, t->r.y, t->r.x + TIMELINE_GUTTER + column, 1,
		          theme_ink(&c->theme, ink, GROUND_BAR), c->ascii ? plain : utf8);
}

/* Draws marks in order: later ones hide earlier ones. */
static void draw_marks(struct screen *s)
{
	static const struct {
		unsigned ink;
		const char *utf8, *plain;
	} of[] = {[PLACE_STOP] = {ROLE_PLAIN, "○", "o"},
	          [PLACE_HIT] = {ROLE_BREAKPOINT, "●", "*"},
	          [PLACE_STEP] = {INK_BRAND, "★", "t"}};
	const struct session *se = screen_session(s);
	const struct stop_place *p;
	const struct mark *m;
	for (unsigned kind = PLACE_STOP; kind <= PLACE_STEP; kind++)
		for (unsigned i = 0; (p = places_at(se, i)); i++)
			if (p->kind == kind)
				timeline_draw_mark(s, p->cycle, of[kind].ink, of[kind].utf8,
				                   of[kind].plain);
	for (unsigned i = 0; (m = region_mark_at(se, i)); i++)
		timeline_draw_mark(s, m->cycle, INK_BRAND, "◆", "m");
	timeline_draw_mark(s, s->running.on ? s->running.cycle : machine_cycle(se->machine),
	                   ROLE_CURRENT, "▼", "V");
}

/* ---- values ---- */
static void draw_gutter(struct screen *s)
{
	const struct timeline *t = &s->timeline;
	struct canvas *c = &s->canvas;
	struct timeline_column at;
	char text[64], digits[32];
	const uint64_t cursor = timeline_cursor(s);
	const bool known = timeline_column(t, timeline_column_of(t, cursor), &at);
	snprintf(text, sizeof text, "%s%s", t->zoomed ? c->ascii ? "<> " : "⇔ " : "",
	         group_digits(cursor, digits));
	draw_text(c, t->r.y, t->r.x + 1, TIMELINE_GUTTER - 2,
	          theme_ink(&c->theme, t->focused ? INK_FOCUS : INK_TITLE, GROUND_NONE), text);
	for (int i = 0; known && i < t->r.h - 1; i++) {
		lines[i].say(&at.sum, text, sizeof text);
		draw_text(c, t->r.y + 1 + i, t->r.x + 1, TIMELINE_GUTTER - 2,
		          theme_ink(&c->theme, t->focused ? ROLE_PLAIN : ROLE_DIM, GROUND_NONE),
		          text);
	}
}

void timeline_draw(struct screen *s)
{
	struct timeline *t = &s->timeline;
	if (!t->r.h || !screen_session(s)->run)
		return;
	draw_bands(s);
	draw_marks(s);
	for (int i = 0; i < t->r.h - 1; i++)
		timeline_draw_bar_line(s, &lines[i], t->r.y + 1 + i);
	draw_gutter(s);
}
