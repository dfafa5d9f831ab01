#include "hwviews/machine/pipe_window.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "hwviews/session/pipe_history.h"

enum {
	BEFORE = 1024, /* cycles of history executed again for rows before a cycle */
	AHEAD = 4096   /* cycles after it, enough for all in flight to end */
};

static bool active_at(const struct uop *u, uint64_t cycle)
{
	return u->when.fetch <= cycle && !(uop_ended(u) && u->when.end <= cycle);
}

/* Index of the oldest instruction in flight at the end of a cycle; if none is, of the first fetched
 * later; r->count if there is none. */
static size_t oldest_at(const struct pipe_rows *r, uint64_t cycle)
{
	for (size_t i = 0; i < r->count; i++)
		if (active_at(r->uops[i], cycle))
			return i;
	size_t i = r->count;
	while (i > 0 && r->uops[i - 1]->when.fetch > cycle)
		i--;
	return i;
}

/* Rows [*lo, *hi) around index `at` without a missing instruction between them. */
static void pipe_window_find_contiguous_rows(const struct pipe_rows *r, size_t at, size_t *lo,
                                             size_t *hi)
{
	if (at == r->count && at > 0)
		at--;
	*lo = at;
	*hi = at < r->count ? at + 1 : at;
	while (*lo > 0 && r->uops[*lo - 1]->seq + 1 == r->uops[*lo]->seq)
		--*lo;
	while (*hi > 0 && *hi < r->count && r->uops[*hi - 1]->seq + 1 == r->uops[*hi]->seq)
		++*hi;
}

/* The last cycle with activity in a row of the window; UINT64_MAX while one is in flight. */
static uint64_t last_activity(const struct pipe_window *w)
{
	uint64_t last = 0;
	for (size_t i = 0; i < w->count; i++) {
		if (!uop_ended(w->shown[i]))
			return UINT64_MAX / 2;
		if (w->shown[i]->when.end > last)
			last = w->shown[i]->when.end;
	}
	return last;
}

/* The earliest fetch cycle of rows that have not ended before the window; 0 if there is none. */
static uint64_t first_fetch(const struct pipe_window *w)
{
	uint64_t first = UINT64_MAX;
	for (size_t i = 0; i < w->count; i++)
		if (w->shown[i]->when.fetch < first &&
		    (!uop_ended(w->shown[i]) || w->shown[i]->when.end >= w->from))
			first = w->shown[i]->when.fetch;
	return first == UINT64_MAX ? 0 : first;
}

/* Shows rows around the oldest in flight, without younger ones that ended before the window
 * begins. */
static void show_present(struct pipe_window *w, size_t lo, size_t oldest, size_t hi, size_t rows)
{
	const struct pipe_rows *r = &w->rows;
	size_t younger = 0;
	for (size_t i = oldest; i < hi && younger < rows; i++)
		if (!uop_ended(r->uops[i]) || r->uops[i]->when.end >= w->from)
			w->shown[younger++] = r->uops[i];
	size_t older = rows / 4 > rows - younger ? rows / 4 : rows - younger;
	if (older > oldest - lo)
		older = oldest - lo;
	if (younger > rows - older)
		younger = rows - older;
	memmove(w->shown + older, w->shown, younger * sizeof *w->shown);
	memcpy(w->shown, r->uops + oldest - older, older * sizeof *w->shown);
	w->count = older + younger;
}

/* Shows rows from an index on; returns true if earlier rows are needed that are not loaded. */
static bool show_scrolled(struct pipe_window *w, size_t lo, int64_t first, size_t hi, size_t rows)
{
	const struct pipe_rows *r = &w->rows;
	if (first > (int64_t)hi - (int64_t)rows)
		first = (int64_t)hi - (int64_t)rows;
	bool missing = first < (int64_t)lo && lo < hi && r->uops[lo]->seq > 1;
	size_t from = first < (int64_t)lo ? lo : (size_t)first;
	w->count = hi - from < rows ? hi - from : rows;
	memcpy(w->shown, r->uops + from, w->count * sizeof *w->shown);
	return missing;
}

/* Places the window; true if it needs earlier rows that are not loaded. */
static bool pipe_window_place_rows(struct pipe_window *w, uint64_t last, size_t rows,
                                   int64_t scroll)
{
	const struct pipe_rows *r = &w->rows;
	size_t lo, hi, oldest = oldest_at(r, last);
	bool missing = false;
	pipe_window_find_contiguous_rows(r, oldest, &lo, &hi);
	while (hi > lo && r->uops[hi - 1]->when.fetch > last)
		hi--;
	if (oldest > hi)
		oldest = hi;
	w->from = last + 1 > w->cycles ? last + 1 - w->cycles : 0;
	if (scroll == 0)
		show_present(w, lo, oldest, hi, rows);
	else
		missing = show_scrolled(w, lo, (int64_t)oldest - (int64_t)(rows / 4) + scroll, hi,
		                        rows);
	if (scroll < 0 && w->count) {
		uint64_t end = w->shown[0]->when.fetch + w->cycles - 1;
		last = end < last ? end : last;
	}
	/* If the machine has waited long for its next instruction, keep the end of the last ones
	 * visible. */
	uint64_t ended = last_activity(w);
	if (ended + w->cycles / 4 < last)
		last = ended + w->cycles / 4;
	w->from = last + 1 > w->cycles ? last + 1 - w->cycles : 0;
	/* Don't show columns before the first fetch: leave that room at the right side for later
	 * cycles. */
	const uint64_t first = first_fetch(w);
	if (w->from < first)
		w->from = first;
	return missing;
}

/* True if the pool is complete for a cycle: it still holds an instruction that ended before it. */
static bool pool_reaches(const struct pipe_window *w, uint64_t cycle)
{
	size_t lo, hi;
	pipe_window_find_contiguous_rows(&w->rows, w->rows.count, &lo, &hi);
	return !w->rows.count || w->rows.uops[lo]->seq == 1 ||
	       w->rows.uops[lo]->when.fetch <= cycle;
}

/* Loads the pool's instructions and those of history around a cycle. */
static bool pipe_window_load_around_cycle(struct pipe_window *w, const struct session *s,
                                          uint64_t cycle, struct err *err)
{
	struct run_history h;
	if (!s->run || !s->pipe_history)
		return err_set(err, "the pipeline diagram reaches back only a few hundred "
		                    "instructions: no history is kept");
	run_history(s->run, &h);
	uint64_t from = cycle > BEFORE ? cycle - BEFORE : 0, to = cycle + AHEAD;
	if (from < h.first_cycle)
		from = h.first_cycle;
	if (to > w->now)
		to = w->now;
	if (!pipe_history_cover(s->pipe_history, s, from, to, err))
		return false;
	size_t count;
	const struct uop *older = pipe_history_uops(s->pipe_history, &count);
	pipe_rows_deinit(&w->rows);
	return pipe_rows_init(&w->rows, machine_pipe(s->machine), older, count) ||
	       err_set(err, "out of memory");
}

static bool pool_only(struct pipe_window *w, const struct session *s, struct err *err)
{
	pipe_rows_deinit(&w->rows);
	return pipe_rows_init(&w->rows, machine_pipe(s->machine), NULL, 0) ||
	       err_set(err, "out of memory");
}

/* Scrolls to rows that are not loaded, as far back as history goes: instructions are numbered as
 * they are fetched, so the first row's number is known before it is loaded. False if it is
 * unavailable. */
static bool scroll_far(struct pipe_window *w, const struct session *s, uint64_t last, size_t rows,
                       int64_t scroll)
{
	const size_t oldest = oldest_at(&w->rows, last);
	struct run_history h;
	uint64_t cycle;
	if (!s->run || !w->rows.count)
		return false;
	const uint64_t from =
		w->rows.uops[oldest < w->rows.count ? oldest : w->rows.count - 1]->seq;
	const uint64_t up = (uint64_t)-scroll + rows / 4, wanted = from > up ? from - up : 1;
	run_history(s->run, &h);
	if (!run_fetched(s->run, wanted, &cycle, NULL))
		cycle = h.first_cycle;
	if (!pipe_window_load_around_cycle(w, s, cycle, NULL))
		return false;
	const struct pipe_rows *r = &w->rows;
	size_t at = pipe_rows_from(r, wanted), n = 0;
	while (n < rows && at + n < r->count &&
	       (!n || r->uops[at + n - 1]->seq + 1 == r->uops[at + n]->seq)) {
		w->shown[n] = r->uops[at + n];
		n++;
	}
	w->count = n;
	w->from = n ? w->shown[0]->when.fetch : 0;
	return n > 0;
}

bool pipe_window_open(struct pipe_window *w, const struct session *s, uint64_t last,
                      uint64_t cycles, size_t rows, int64_t scroll, struct err *err)
{
	*w = (struct pipe_window){.cycles = cycles, .now = machine_cycle(s->machine)};
	w->end = scroll < 0 || last >= w->now ? w->now : last + 1;
	w->shown = alloc_bytes((rows ? rows : 1) * sizeof *w->shown);
	if (!w->shown)
		return err_set(err, "out of memory");
	if (!pool_only(w, s, err)) {
		pipe_window_close(w);
		return false;
	}
	bool far = last + 1 < w->now && !pool_reaches(w, last > cycles ? last - cycles : 0);
	if (far && !pipe_window_load_around_cycle(w, s, last, err)) {
		pipe_window_close(w);
		return false;
	}
	if (!pipe_window_place_rows(w, last, rows, scroll) || scroll >= 0 ||
	    scroll_far(w, s, last, rows, scroll))
		return true;
	/* If history is unavailable, show the loaded rows. */
	if (!pool_only(w, s, err)) {
		pipe_window_close(w);
		return false;
	}
	pipe_window_place_rows(w, last, rows, scroll);
	return true;
}

void pipe_window_close(struct pipe_window *w)
{
	pipe_rows_deinit(&w->rows);
	free(w->shown);
	w->shown = NULL;
}
