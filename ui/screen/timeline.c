/* The timeline's window, cursor and range, its keys, mouse and command. */
#include "ui/screen/timeline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hwviews/grid/grid.h"
#include "hwviews/session/marks.h"
#include "ui/screen/cmd.h"
#include "ui/screen/term.h"

/* Most cycles that are re-executed for a resolution finer than the recording's; that is instant. */
enum { CLOSE_CYCLES = 131072, NARROWEST = 16, PAGE = 10 };

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
static struct timeline_span timeline_recorded_span(const struct screen *s)
{
	struct timeline_span span;
	run_timeline(screen_session(s)->run, &span);
	return span;
}

uint64_t timeline_cursor(const struct screen *s)
{
	return s->timeline.pointed ? s->timeline.cursor : machine_cycle(screen_session(s)->machine);
}

/* Moves the window so that this cycle is in its middle. */
static void timeline_center_window(struct timeline *t, const struct timeline_span *span,
                                   uint64_t cycle)
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

/* ---- the cursor ---- */
static void timeline_set_cursor(struct screen *s, uint64_t cycle)
{
	s->timeline.pointed = true;
	s->timeline.cursor = cycle;
	s->damaged = true;
}

static void move_to_column(struct screen *s, int column)
{
	const struct timeline *t = &s->timeline;
	const int columns = timeline_columns(t);
	struct timeline_column c;
	if (column >= columns)
		timeline_set_cursor(s, t->bins.to);
	else if (timeline_column(t, column < 0 ? 0 : column, &c))
		timeline_set_cursor(s, c.from);
}

/* Moves the cursor by columns, counting those that show the same bin as one. At an end of the
 * window, the window moves by half its width. */
static void timeline_move_columns(struct screen *s, int64_t by)
{
	struct timeline *t = &s->timeline;
	const struct timeline_span span = timeline_recorded_span(s);
	const uint64_t was = timeline_cursor(s);
	int at = timeline_column_of(t, was);
	struct timeline_column c;
	if (at < 0 || !t->bins.count)
		return;
	const int step = by < 0 ? -1 : 1;
	for (int64_t left = by < 0 ? -by : by; left > 0; left--) {
		const uint64_t here = timeline_column(t, at, &c) ? c.from : 0;
		do
			at += step;
		while (timeline_column(t, at, &c) && c.from == here);
		if (!timeline_column(t, at, &c))
			break;
	}
	if (at < 0 && t->zoomed && t->from > span.first)
		timeline_set_cursor(s, t->from - 1);
	else if (at >= timeline_columns(t) && t->zoomed && t->to < span.newest && was == t->to)
		timeline_set_cursor(s, t->to + 1);
	else
		move_to_column(s, at);
}

/* Halves or doubles the window around the cursor. */
static void timeline_zoom_window(struct screen *s, bool in)
{
	struct timeline *t = &s->timeline;
	const struct timeline_span span = timeline_recorded_span(s);
	const uint64_t all = span.newest - span.first, at = timeline_cursor(s);
	uint64_t wide = t->zoomed ? t->to - t->from : all;
	wide = in ? wide / 2 : wide * 2;
	if (in && wide < NARROWEST)
		return;
	t->zoomed = wide < all;
	t->from = 0;
	t->to = wide;
	if (t->zoomed)
		timeline_center_window(t, &span, at);
}

/* ---- the range ---- */
static void select_range(struct screen *s, uint64_t a, uint64_t b)
{
	struct timeline *t = &s->timeline;
	struct timeline_column first, last;
	char from[32], to[32];
	if (a > b) {
		const uint64_t swap = a;
		a = b;
		b = swap;
	}
	if (timeline_column(t, timeline_column_of(t, a), &first))
		a = first.from;
	if (timeline_column(t, timeline_column_of(t, b), &last))
		b = last.to;
	region_select(screen_session(s), a, b);
	screen_say(s, false,
	           "Selected: cycles %s to %s: stats selection, view cpi selection, view hot "
	           "selection",
	           group_digits(a, from), group_digits(b, to));
}

static void timeline_set_anchor(struct screen *s)
{
	s->timeline.anchored = true;
	s->timeline.anchor = timeline_cursor(s);
}

static void timeline_extend_selection(struct screen *s, int64_t by)
{
	if (!s->timeline.extending)
		timeline_set_anchor(s);
	s->timeline.extending = true;
	timeline_move_columns(s, by);
	select_range(s, s->timeline.anchor, timeline_cursor(s));
}

/* ---- keys ---- */
const char timeline_keys_title[] = "While the timeline has the focus";

static const struct key own[] = {
	{"Left", "scrub -1", "earlier", "", "a column earlier"},
	{"Right", "scrub 1", "later", "", "a column later"},
	{"PgUp", "scrub -10", "", "", "ten columns earlier"},
	{"PgDn", "scrub 10", "", "", "ten columns later"},
	{"Home", "scrub first", "", "", "to the beginning"},
	{"End", "scrub last", "", "", "to the newest cycle"},
	{"Enter", "scrub go", "go there", "", "the machine goes to the cursor's cycle"},
	{"S-Left", "scrub extend -1", "", "", "select, from here to earlier"},
	{"S-Right", "scrub extend 1", "", "", "select, from here to later"},
	{"[", "scrub begin", "begin", "", "what is selected begins here"},
	{"]", "scrub end", "end", "", "and ends here"},
	{"+", "scrub in", "closer", "", "half as much of the run, around the cursor"},
	{"-", "scrub out", "farther", "", "twice as much"},
	{"0", "scrub all", "all", "", "all of it"},
	{"Esc", "scrub leave", "back", "", "nothing selected; then keys are for panes again"},
	{"T", "scrub focus", "", "", "keys are for panes again"},
};

const struct key *timeline_key_at(unsigned i)
{
	return i < sizeof own / sizeof *own ? &own[i] : NULL;
}

const struct key *timeline_key(const struct timeline *t, int key)
{
	const struct key *k;
	for (unsigned i = 0; t->focused && (k = timeline_key_at(i)); i++)
		if (key_canonical(key) == key_code(k->name))
			return k;
	return NULL;
}

bool timeline_mouse(struct screen *s, const struct term_mouse *m)
{
	struct timeline *t = &s->timeline;
	const bool drag = m->button == MOUSE_DRAG;
	if (drag ? !t->dragging : !rect_has(&t->r, m->y, m->x)) {
		t->dragging = false;
		return false;
	}
	const int columns = timeline_columns(t), column = m->x - t->r.x - TIMELINE_GUTTER;
	if (m->button == MOUSE_WHEEL_UP || m->button == MOUSE_WHEEL_DOWN) {
		screen_run(s, m->button == MOUSE_WHEEL_UP ? "scrub in" : "scrub out");
		return true;
	}
	t->focused = t->dragging = true;
	move_to_column(s, column < 0 ? 0 : column < columns ? column : columns - 1);
	if (drag)
		select_range(s, t->anchor, t->cursor);
	else
		timeline_set_anchor(s);
	if (m->button == MOUSE_DOUBLE)
		screen_run(s, "scrub go");
	return true;
}

/* ---- the command ---- */
static bool timeline_goto_cursor(struct screen *s)
{
	screen_runf(s, "goto %llu", (unsigned long long)timeline_cursor(s));
	s->timeline.pointed = false;
	return true;
}

/* Clears the selection, or, if there is none, leaves the timeline. */
static void timeline_leave_focus(struct screen *s)
{
	struct timeline *t = &s->timeline;
	uint64_t from, to;
	if (region_selected(screen_session(s), &from, &to) || t->anchored) {
		region_unselect(screen_session(s));
		t->anchored = false;
	} else {
		t->focused = t->pointed = false;
	}
}

static void timeline_set_visibility(struct screen *s, enum timeline_shown shown)
{
	s->timeline.shown = shown;
	screen_choose_tree(s);
}

static bool timeline_check_shown(struct screen *s, struct err *err)
{
	if (s->timeline.r.h)
		return true;
	return err_set(err, "the timeline is not shown: scrub on");
}

bool exec_scrub(struct screen *s, const char *args, struct err *err)
{
	struct timeline *t = &s->timeline;
	const struct timeline_span span = timeline_recorded_span(s);
	int64_t by;
	t->extending = t->extending && !strncmp(args, "extend", 6);
	s->damaged = true;
	if (arg_is(args, "on") || arg_is(args, "off") || arg_is(args, "auto")) {
		timeline_set_visibility(s, arg_is(args, "on")    ? TIMELINE_ON
		                           : arg_is(args, "off") ? TIMELINE_OFF
		                                                 : TIMELINE_AUTO);
		return true;
	}
	if (arg_is(args, "toggle")) {
		timeline_set_visibility(s, t->r.h ? TIMELINE_OFF : TIMELINE_ON);
		return true;
	}
	if (arg_is(args, "focus") && !t->r.h)
		timeline_set_visibility(s, TIMELINE_ON);
	if (!timeline_check_shown(s, err))
		return false;
	if (arg_is(args, "focus"))
		t->focused = !t->focused;
	else if (arg_is(args, "leave"))
		timeline_leave_focus(s);
	else if (arg_is(args, "first") || arg_is(args, "last"))
		timeline_set_cursor(s, arg_is(args, "first") ? span.first : span.newest);
	else if (arg_is(args, "in") || arg_is(args, "out"))
		timeline_zoom_window(s, arg_is(args, "in"));
	else if (arg_is(args, "all"))
		t->zoomed = false;
	else if (arg_is(args, "begin"))
		timeline_set_anchor(s);
	else if (arg_is(args, "end"))
		select_range(s, t->anchored ? t->anchor : span.first, timeline_cursor(s));
	else if (arg_is(args, "go"))
		return timeline_goto_cursor(s);
	else if (!strncmp(args, "extend ", 7) && arg_int(args + 7, &by))
		timeline_extend_selection(s, by);
	else if (arg_int(args, &by))
		timeline_move_columns(s, by);
	else
		return arg_wrong("scrub", args, err);
	timeline_build(s);
	return true;
}
