/* The instructions and cycles that a pipeline diagram shows. */
#ifndef CYCLOPS_HWVIEWS_MACHINE_PIPE_WINDOW_H
#define CYCLOPS_HWVIEWS_MACHINE_PIPE_WINDOW_H

#include "core/base/err.h"
#include "hwviews/machine/pipe_rows.h"
#include "hwviews/session/session.h"

struct pipe_window {
	struct pipe_rows rows;
	const struct uop **shown; /* [count], owned array of borrowed uops, by seq */
	size_t count;
	uint64_t from, cycles; /* shown: cycles [from, from + cycles) */
	uint64_t now;        /* machine_cycle(): it and later cycles are not shown */
	uint64_t end;      /* first cycle that is not shown */
};

/* Places the oldest instruction in flight at the end of cycle `last` in the upper quarter of `rows`
 * rows, and leaves out younger ones that were squashed before the first cycle shown. scroll moves
 * by rows, and the cycles follow the first row. Instructions that the pool no longer holds are
 * taken from history. False with *err if `last` lies there and history doesn't reach so far;
 * scrolling just ends there. */
bool pipe_window_open(struct pipe_window *w, const struct session *s, uint64_t last,
                      uint64_t cycles, size_t rows, int64_t scroll, struct err *err);
void pipe_window_close(struct pipe_window *w);

#endif
