/* The timeline along the bottom of every layout: the recorded run from left to right. A low
 * terminal has one line of it, a higher one
 *
 *   an axis with numbers, marks and stops
 *   instructions per cycle, in the colours of the largest cause of loss
 *   functions: start-up in grey, then the five with most of the run in a colour each
 *   their shares, those of the causes, and the meaning of the marks
 *
 * and still higher ones the slots lost, misses and mispredictions.
 *
 * It has a cursor, which keys and the mouse move when it has the focus; values at the cursor are at
 * the left. It can zoom to a window of the run. A range becomes the session's selection
 * (hwviews/session/marks.h). `scrub` is its command. */
#ifndef CYCLOPS_UI_SCREEN_TIMELINE_H
#define CYCLOPS_UI_SCREEN_TIMELINE_H

#include <stdbool.h>
#include <stdint.h>

#include "hwviews/session/timeline.h"
#include "ui/screen/draw.h"
#include "ui/screen/parts.h"

struct screen;
struct term_mouse;

/* Cells beside the columns: on the left of several lines, on the right of one. */
enum { TIMELINE_MOST_ROWS = 7, TIMELINE_GUTTER = 24, TIMELINE_END = 28 };

void timeline_deinit(struct timeline *t);
/* Takes its part of the area for panes, at the bottom; returns the rest. */
struct rect timeline_place(struct screen *s, struct rect area);
/* Rebuilds the bins; while the machine runs, from the recording only. */
void timeline_build(struct screen *s);
void timeline_draw(struct screen *s);

/* Handles the mouse; false if it is not on the timeline. */
bool timeline_mouse(struct screen *s, const struct term_mouse *m);

/* ---- between timeline.c, timeline_draw.c and scrub.c ---- */
struct timeline_column {
	uint64_t from, to;         /* cycles, like a bin's */
	size_t first, end;         /* its bins */
	struct timeline_bin sum;
};
/* The first column's place on the screen, and their number. */
int timeline_left(const struct timeline *t);
int timeline_columns(const struct timeline *t);
/* Sums up column i; false if no recorded cycle is in it. */
bool timeline_column(const struct timeline *t, int i, struct timeline_column *out);
/* Column of a cycle, -1 if it is not in the window. */
int timeline_column_of(const struct timeline *t, uint64_t cycle);
uint64_t timeline_cursor(const struct screen *s);
/* All that is recorded. */
struct timeline_span timeline_recorded_span(const struct screen *s);
/* Centres the window on this cycle. */
void timeline_center_window(struct timeline *t, const struct timeline_span *span, uint64_t cycle);

#endif
