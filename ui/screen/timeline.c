/* The timeline's place and window, and the columns in it. */
#include "ui/screen/timeline.h"

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
