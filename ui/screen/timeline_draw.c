/* Draws the timeline: axis, lines of bars, functions and their legend. */
#include <ncurses.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/defs/stats.h"
#include "hwviews/grid/utf8.h"
#include "hwviews/session/marks.h"
#include "hwviews/session/stop_history.h"
#include "loader/demangle.h"
#include "ui/screen/message.h"
#include "ui/screen/screen_state.h"
#include "ui/screen/timeline.h"

enum { EIGHTHS = 8, COLUMNS_MOST = 1024, NAME_LEAST = 4, TICK_LEAST = 12, ITEM_BYTES = 64 };

/* A line of bars: height, ink and text of a bin. */
struct line {
	double (*value)(const struct timeline_bin *b);
	double top; /* value of a full bar; 0: the largest in sight */
	unsigned (*ink)(const struct timeline_bin *b);
	void (*say)(const struct timeline_bin *b, double top, char *text, size_t n);
};

/* ---- measures ---- */
static unsigned timeline_draw_row_ink(unsigned row)
{
	static const struct {
		const char *row;
		unsigned ink;
	} of[] = {
		{"base", ROLE_HIT},       {"frontend", ROLE_RUNNING}, {"icache", ROLE_RUNNING},
		{"bad", ROLE_WRONG_PATH}, {"dependency", INK_CAUSE_DEPENDENCY},
		{"l1d", INK_CAUSE_L1D},
		{"l2", INK_CAUSE_L2},     {"memory", ROLE_MISS},      {"tlb", ROLE_MISS},
		{"structural", ROLE_HOT}, {"profile", ROLE_PROFILE},
	};
	char name[32];
	timeline_cause_name(row, name, sizeof name);
	for (size_t i = 0; i < sizeof of / sizeof *of; i++)
		if (!strncmp(name, of[i].row, strlen(of[i].row)))
			return of[i].ink;
	return ROLE_LOCKED;
}

/* The largest cause of loss, or, if most slots committed, none. */
static unsigned timeline_draw_main_cause(const struct timeline_bin *b)
{
	const unsigned most = timeline_cause(b);
	return timeline_share(b, most) > timeline_share(b, 0) ? most : 0;
}

static unsigned ipc_ink(const struct timeline_bin *b)
{
	return timeline_draw_row_ink(timeline_draw_main_cause(b));
}

static unsigned cause_ink(const struct timeline_bin *b)
{
	return timeline_draw_row_ink(timeline_cause(b));
}

static void say_ipc(const struct timeline_bin *b, double top, char *text, size_t n)
{
	snprintf(text, n, "IPC %.2f  top %.2f", timeline_ipc(b), top);
}

static void timeline_draw_format_lost(const struct timeline_bin *b, double top, char *text,
                                      size_t n)
{
	char name[32];
	const unsigned most = timeline_cause(b);
	(void)top;
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
	                                                                     : INK_CAUSE_L1D;
}

static void say_misses(const struct timeline_bin *b, double top, char *text, size_t n)
{
	(void)top;
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

static void say_mispredicts(const struct timeline_bin *b, double top, char *text, size_t n)
{
	(void)top;
	snprintf(text, n, "mispredicted %.1f", timeline_draw_mispredicts(b));
}

enum { LINES_OF_BARS = 4 };
static const struct line lines[LINES_OF_BARS] = {
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

static double timeline_draw_top(const struct timeline *t, const struct line *l)
{
	struct timeline_column at;
	double top = l->top;
	for (int i = 0; l->top <= 0 && timeline_column(t, i, &at); i++)
		top = l->value(&at.sum) > top ? l->value(&at.sum) : top;
	return top;
}

static void timeline_draw_bar_line(struct screen *s, const struct line *l, int y)
{
	const struct timeline *t = &s->timeline;
	struct canvas *c = &s->canvas;
	struct timeline_column at;
	const int columns = timeline_columns(t);
	const double top = timeline_draw_top(t, l);
	for (int i = 0; i < columns && timeline_column(t, i, &at); i++) {
		const double v = l->value(&at.sum), share = top > 0 ? v / top : 0;
		/* The largest value does not fill the cell, so that lines stay apart. */
		unsigned eighths = (unsigned)(share * (l->top > 0 ? EIGHTHS : EIGHTHS - 1) + 0.5);
		eighths = v > 0 && !eighths ? 1 : eighths > EIGHTHS ? EIGHTHS : eighths;
		draw_text(c, y, timeline_left(t) + i, 1,
		          theme_ink(&c->theme, l->ink(&at.sum), ground_of(s, i, &at)),
		          timeline_draw_bar_glyph(c->ascii, eighths));
	}
}

/* ---- the axis ---- */
/* "300", "12.5 k", "1.25 M": a cycle in few characters. */
static char *timeline_draw_short_cycle(uint64_t cycle, char *buf, size_t n)
{
	if (cycle < 10000)
		snprintf(buf, n, "%llu", (unsigned long long)cycle);
	else if (cycle < 1000000)
		snprintf(buf, n, "%.6g k", (double)cycle / 1e3);
	else
		snprintf(buf, n, "%.7g M", (double)cycle / 1e6);
	return buf;
}

/* Cycles between two numbers of the axis: 1, 2, 2.5 or 5 times a power of ten. */
static uint64_t timeline_draw_tick_step(uint64_t wide, int columns)
{
	static const uint64_t steps[] = {10, 20, 25, 50};
	const uint64_t least = columns > 0 ? wide * TICK_LEAST / (uint64_t)columns : wide;
	for (uint64_t ten = 1; ten < UINT64_MAX / 1000; ten *= 10)
		for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
			if (steps[i] * ten > least)
				return steps[i] * ten;
	return wide + 1;
}

/* The line of the axis; `used` has its columns with a mark or number. */
struct axis {
	struct screen *s;
	bool used[COLUMNS_MOST];
};

/* Writes `sign` at a cycle's column, and `text` after it if the columns there are free. A column
 * takes only its first sign. */
static void timeline_draw_at(struct axis *a, uint64_t cycle, unsigned ink, const char *sign,
                             unsigned text_ink, const char *text)
{
	struct canvas *c = &a->s->canvas;
	const struct timeline *t = &a->s->timeline;
	const int column = timeline_column_of(t, cycle), w = (int)utf8_width(text),
		  columns = timeline_columns(t) < COLUMNS_MOST ? timeline_columns(t) : COLUMNS_MOST;
	if (column < 0 || column >= columns || a->used[column])
		return;
	bool room = column + 1 + w <= columns;
	for (int i = column; room && i <= column + w; i++)
		room = !a->used[i];
	if (!room && !*sign)
		return;
	draw_text(c, t->r.y, timeline_left(t) + column, 1, theme_ink(&c->theme, ink, GROUND_NONE),
	          sign);
	if (room)
		draw_text(c, t->r.y, timeline_left(t) + column + 1, w,
		          theme_ink(&c->theme, text_ink, GROUND_NONE), text);
	for (int i = column; i <= column + (room ? w : 0); i++)
		a->used[i] = true;
}

static void timeline_draw_marks(struct axis *a)
{
	static const struct {
		unsigned ink;
		const char *utf8, *plain;
	} of[] = {[PLACE_STOP] = {ROLE_DIM, "○", "o"},
	          [PLACE_HIT] = {ROLE_BREAKPOINT, "●", "*"},
	          [PLACE_STEP] = {INK_BRAND, "★", "t"}};
	struct screen *s = a->s;
	const struct session *se = screen_session(s);
	const bool ascii = s->canvas.ascii;
	const struct stop_place *p;
	const struct mark *m;
	timeline_draw_at(a, s->running.on ? s->running.cycle : machine_cycle(se->machine),
	                 ROLE_CURRENT, ascii ? "V" : "▼", ROLE_CURRENT, "");
	for (unsigned i = 0; (m = region_mark_at(se, i)); i++)
		timeline_draw_at(a, m->cycle, INK_BRAND, ascii ? "m" : "◆", INK_TITLE, m->name);
	for (unsigned kind = PLACE_STEP + 1; kind-- > PLACE_STOP;)
		for (unsigned i = 0; (p = places_at(se, i)); i++)
			if (p->kind == kind)
				timeline_draw_at(a, p->cycle, of[kind].ink,
				                 ascii ? of[kind].plain : of[kind].utf8, ROLE_DIM,
				                 "");
}

static void timeline_draw_axis(struct screen *s)
{
	const struct timeline *t = &s->timeline;
	struct canvas *c = &s->canvas;
	struct axis a = {.s = s};
	char text[32];
	const int columns = timeline_columns(t);
	for (int i = 0; i < columns; i++)
		draw_text(c, t->r.y, timeline_left(t) + i, 1,
		          theme_ink(&c->theme, INK_LINE, GROUND_NONE), c->ascii ? "-" : "─");
	timeline_draw_marks(&a);
	if (!t->bins.count)
		return;
	const uint64_t step = timeline_draw_tick_step(t->bins.to - t->bins.from, columns);
	for (uint64_t at = t->bins.from + (step - t->bins.from % step) % step; at <= t->bins.to;
	     at += step)
		timeline_draw_at(&a, at, INK_LINE, c->ascii ? "+" : "┬", ROLE_DIM,
		                 timeline_draw_short_cycle(at, text, sizeof text));
}

/* ---- functions ---- */
enum { BAND_START = TIMELINE_RANKS + 1 };

/* A band's rank, TIMELINE_RANKS for all other functions together, BAND_START before main. */
struct band {
	unsigned rank;
	const char *name; /* NULL: of several */
	int from;         /* column */
};

static struct ink timeline_draw_rank_ink(const struct theme *theme, unsigned rank)
{
	struct ink ink = theme_ink(theme, rank < TIMELINE_RANKS ? INK_RANK_1 + rank : ROLE_STALE,
	                           GROUND_NONE);
	if (ink.pair || rank % 2 == 0)
		ink.attr |= A_REVERSE;
	return ink;
}

/* The function of most of a column's bins; of several, the first. */
static const struct timeline_function *
timeline_draw_column_function(const struct timeline *t, const struct timeline_column *c)
{
	unsigned most = 0;
	const struct timeline_function *best = NULL;
	for (size_t i = c->first; i < c->end; i++) {
		unsigned alike = 0;
		for (size_t k = i; k < c->end; k++)
			alike += t->function[k] == t->function[i];
		best = alike > most ? &t->functions[t->function[i]] : best;
		most = alike > most ? alike : most;
	}
	return best;
}

static void timeline_draw_band(struct screen *s, const struct band *b, int to, int y)
{
	struct canvas *c = &s->canvas;
	const int x = timeline_left(&s->timeline) + b->from, w = to - b->from;
	char brief[DEMANGLED_MAX];
	const char *name = b->rank == BAND_START ? "start-up"
	                   : b->name             ? name_short(b->name, brief)
	                                         : "";
	const struct ink ink = timeline_draw_rank_ink(&c->theme, b->rank);
	draw_blank(c, y, x, w, ink);
	if (w > (int)utf8_width(name) + 1)
		draw_text(c, y, x + 1, w - 1, ink, name);
	else if (w >= NAME_LEAST)
		draw_text(c, y, x, w, ink, name);
}

static void timeline_draw_bands(struct screen *s, int y)
{
	const struct timeline *t = &s->timeline;
	struct timeline_column at;
	struct band band = {.from = -1};
	for (int i = 0; timeline_column(t, i, &at); i++) {
		const struct timeline_function *f = timeline_draw_column_function(t, &at);
		const unsigned rank = at.to <= t->main ? BAND_START : f->rank;
		if (band.from < 0 || rank != band.rank) {
			if (band.from >= 0)
				timeline_draw_band(s, &band, i, y);
			band = (struct band){rank, f->name, i};
		} else if (band.name && strcmp(band.name, f->name) != 0) {
			band.name = NULL;
		}
	}
	if (band.from >= 0)
		timeline_draw_band(s, &band, timeline_columns(t), y);
}

/* ---- the legend ---- */
struct legend {
	struct canvas *c;
	int y, x, end;
	const char *word; /* goes before the next item; NULL: none */
};

/* Adds the pending word and "█ text" if both fit as a whole. */
static void timeline_draw_legend_item(struct legend *l, struct ink sign_ink, const char *sign,
                                      const char *text)
{
	const int w = 2 + (int)utf8_width(text);
	if (l->x + (l->word ? (int)strlen(l->word) + 1 : 0) + w > l->end)
		return;
	if (l->word)
		l->x += draw_text(l->c, l->y, l->x, l->end - l->x,
		                  theme_ink(&l->c->theme, INK_TITLE, GROUND_NONE), l->word) +
		        1;
	l->word = NULL;
	draw_text(l->c, l->y, l->x, 1, sign_ink, sign);
	draw_text(l->c, l->y, l->x + 2, w - 2, theme_ink(&l->c->theme, ROLE_DIM, GROUND_NONE),
	          text);
	l->x += w + 2;
}

/* Adds the causes that lost most in sight, at most `most` of them. */
static void timeline_draw_legend_causes(struct legend *l, const struct timeline *t, unsigned most)
{
	struct timeline_bin sum = {0};
	char text[ITEM_BYTES], name[32];
	for (size_t i = 0; i < t->bins.count; i++)
		for (unsigned k = 0; k < TIMELINE_WORDS; k++)
			sum.count[k] += t->bins.bin[i].count[k];
	struct timeline_bin rest = sum;
	for (unsigned i = 0; i < most; i++) {
		const unsigned cause = timeline_cause(&rest);
		const double share = timeline_share(&sum, cause);
		if (!cause || share < 0.01)
			return;
		snprintf(text, sizeof text, "%s %.0f%%",
		         timeline_cause_name(cause, name, sizeof name), 100 * share);
		timeline_draw_legend_item(
			l, theme_ink(&l->c->theme, timeline_draw_row_ink(cause), GROUND_NONE),
			l->c->ascii ? "#" : "█", text);
		rest.count[TIMELINE_CPI + cause] = 0;
	}
}

static void timeline_draw_legend_functions(struct legend *l, const struct timeline *t)
{
	uint64_t all = 0;
	char text[ITEM_BYTES], brief[DEMANGLED_MAX];
	for (unsigned i = 0; i < t->function_count; i++)
		all += t->functions[i].cycles;
	for (unsigned rank = 0; rank < TIMELINE_RANKS; rank++)
		for (unsigned i = 0; i < t->function_count; i++) {
			const struct timeline_function *f = &t->functions[i];
			if (f->rank != rank || f->cycles * 100 < all)
				continue;
			snprintf(text, sizeof text, "%.40s %.0f%%", name_short(f->name, brief),
			         all ? 100 * (double)f->cycles / (double)all : 0.0);
			timeline_draw_legend_item(l, timeline_draw_rank_ink(&l->c->theme, rank),
			                          " ", text);
		}
}

static bool timeline_draw_has_place(const struct session *se, enum place_kind kind)
{
	const struct stop_place *p;
	for (unsigned i = 0; (p = places_at(se, i)); i++)
		if (p->kind == kind)
			return true;
	return false;
}

static void timeline_draw_legend(struct screen *s, int y)
{
	const struct timeline *t = &s->timeline;
	const struct session *se = screen_session(s);
	struct canvas *c = &s->canvas;
	struct legend l = {c, y, t->r.x + 1, t->r.x + t->r.w - 1, "lost, by the oldest"};
	const struct {
		bool there;
		unsigned ink;
		const char *utf8, *plain, *text;
	} marks[] = {
		{true, ROLE_CURRENT, "▼", "V", "now"},
		{region_mark_at(se, 0) != NULL, INK_BRAND, "◆", "m", "mark"},
		{timeline_draw_has_place(se, PLACE_HIT), ROLE_BREAKPOINT, "●", "*", "stop point"},
		{timeline_draw_has_place(se, PLACE_STOP), ROLE_DIM, "○", "o", "stopped"},
		{timeline_draw_has_place(se, PLACE_STEP), INK_BRAND, "★", "t", "tour"}};
	const int end = l.end;
	for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
		l.end -= marks[i].there ? (int)strlen(marks[i].text) + 4 : 0;
	timeline_draw_legend_causes(&l, t, 3);
	l.word = "in";
	timeline_draw_legend_functions(&l, t);
	l.word = NULL;
	l.end = end;
	for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
		if (marks[i].there)
			timeline_draw_legend_item(
				&l, theme_ink(&c->theme, marks[i].ink, GROUND_NONE),
				c->ascii ? marks[i].plain : marks[i].utf8, marks[i].text);
}

/* ---- values ---- */
/* Writes the cursor's cycle, and the values there of the lines of bars. */
static void timeline_draw_gutter(struct screen *s, int bars)
{
	const struct timeline *t = &s->timeline;
	struct canvas *c = &s->canvas;
	struct timeline_column at;
	char text[ITEM_BYTES], digits[32];
	const uint64_t cursor = timeline_cursor(s);
	const struct ink ink =
		theme_ink(&c->theme, t->focused ? ROLE_PLAIN : ROLE_DIM, GROUND_NONE);
	snprintf(text, sizeof text, "%s%s", t->zoomed ? c->ascii ? "<> " : "⇔ " : "",
	         group_digits(cursor, digits));
	draw_text(c, t->r.y, t->r.x + 1, TIMELINE_GUTTER - 2,
	          theme_ink(&c->theme, t->focused ? INK_FOCUS : INK_TITLE, GROUND_NONE), text);
	if (!timeline_column(t, timeline_column_of(t, cursor), &at))
		return;
	for (int i = 0; i <= bars && i < LINES_OF_BARS; i++) {
		/* Without a line for it, the cause stands beside the functions. */
		if (i == bars && i > 1)
			break;
		lines[i].say(&at.sum, timeline_draw_top(t, &lines[i]), text, sizeof text);
		draw_text(c, t->r.y + 1 + i, t->r.x + 1, TIMELINE_GUTTER - 2, ink, text);
	}
}

/* One line: the beginning, bars with the present, the end, and the largest cause, or values at the
 * cursor. */
static void timeline_draw_one_line(struct screen *s)
{
	const struct timeline *t = &s->timeline;
	struct canvas *c = &s->canvas;
	struct timeline_column at;
	char first[32], text[ITEM_BYTES];
	const int end = timeline_left(t) + timeline_columns(t) + 1,
		  now = timeline_column_of(t, machine_cycle(screen_session(s)->machine));
	const struct ink dim = theme_ink(&c->theme, ROLE_DIM, GROUND_NONE);
	timeline_draw_bar_line(s, &lines[0], t->r.y);
	if (now >= 0)
		draw_text(c, t->r.y, timeline_left(t) + now, 1,
		          theme_ink(&c->theme, ROLE_CURRENT, GROUND_NONE), c->ascii ? "V" : "▼");
	if (t->focused && timeline_column(t, timeline_column_of(t, timeline_cursor(s)), &at)) {
		snprintf(text, sizeof text, "%s IPC %.2f",
		         timeline_draw_short_cycle(timeline_cursor(s), first, sizeof first),
		         timeline_ipc(&at.sum));
		draw_text(c, t->r.y, end, TIMELINE_END - 1,
		          theme_ink(&c->theme, INK_FOCUS, GROUND_NONE), text);
		return;
	}
	draw_text(c, t->r.y, t->r.x + 1, 1, dim, t->bins.from ? c->ascii ? "<" : "⇔" : "0");
	struct legend l = {c, t->r.y, end, t->r.x + t->r.w - 1, NULL};
	l.x += draw_text(c, t->r.y, end, TIMELINE_END - 1, dim,
	                 timeline_draw_short_cycle(t->bins.to, first, sizeof first)) +
	       1;
	timeline_draw_legend_causes(&l, t, 1);
}

/* Draws it in its place. */
static void timeline_draw_rows(struct screen *s)
{
	const struct timeline *t = &s->timeline;
	if (t->r.h == 1) {
		timeline_draw_one_line(s);
		return;
	}
	const int bars = t->r.h > 4 ? t->r.h - 3 : 1, y = t->r.y + 1;
	timeline_draw_axis(s);
	for (int i = 0; i < bars; i++)
		timeline_draw_bar_line(s, &lines[i], y + i);
	timeline_draw_bands(s, y + bars);
	if (t->r.h > 3)
		timeline_draw_legend(s, y + bars + 1);
	timeline_draw_gutter(s, bars);
}

void timeline_draw(struct screen *s)
{
	struct timeline *t = &s->timeline;
	const struct rect whole = t->r;
	if (!t->r.h || !screen_session(s)->run)
		return;
	/* A message of several rows stands on the last rows, and leaves at least one in sight. */
	const int covered = message_rows(s) - 1, rows = t->r.h - covered;
	t->r.h = rows > 0 ? rows : 1;
	t->r.y -= rows > 0 ? 0 : 1 - rows;
	if (covered)
		draw_blank(&s->canvas, t->r.y, t->r.x, t->r.w,
		           theme_ink(&s->canvas.theme, ROLE_PLAIN, GROUND_NONE));
	timeline_draw_rows(s);
	t->r = whole;
}
