/* Moving in the timeline: its cursor, range and window, by mouse and by the command `scrub`. */
#include <string.h>

#include "hwviews/grid/grid.h"
#include "hwviews/session/marks.h"
#include "ui/screen/cmd.h"
#include "ui/screen/term.h"
#include "ui/screen/timeline.h"

enum { NARROWEST = 16 };

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

/* Moves the cursor by columns; columns of the same bin count as one. At an end of the window, the
 * window moves by half its width. */
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

bool timeline_mouse(struct screen *s, const struct term_mouse *m)
{
	struct timeline *t = &s->timeline;
	const bool drag = m->button == MOUSE_DRAG;
	if (drag ? !t->dragging : !rect_has(&t->r, m->y, m->x)) {
		t->dragging = false;
		return false;
	}
	const int columns = timeline_columns(t), column = m->x - timeline_left(t);
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
		return arg_wrong(s, "scrub", args, err);
	timeline_build(s);
	return true;
}
