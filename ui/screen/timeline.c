/* The timeline's place, window, bins and columns. */
#include "ui/screen/timeline.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "hwviews/session/marks.h"
#include "ui/screen/screen_state.h"

/* Most cycles that are re-executed for a resolution finer than the recording's; that is instant. */
enum { CLOSE_CYCLES = 131072 };

void timeline_deinit(struct timeline *t)
{
	timeline_bins_free(&t->bins);
	free(t->functions);
	free(t->function);
	t->functions = NULL;
	t->function = NULL;
}

/* ---- place ---- */
static int timeline_row_count(const struct screen *s)
{
	static const int from_rows[TIMELINE_MOST_ROWS + 1] = {[3] = 28, 34, 44, 52, 60};
	int rows = TIMELINE_MOST_ROWS;
	if (s->timeline.shown == TIMELINE_OFF)
		return 0;
	while (rows > 1 && (!from_rows[rows] || s->canvas.rows < from_rows[rows]))
		rows--;
	return rows;
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

/* Cycle at which main began: its mark, or the first bin of function main; 0: unknown. */
static uint64_t main_began(const struct screen *s)
{
	const struct timeline *t = &s->timeline;
	const struct mark *m;
	for (unsigned i = 0; (m = region_mark_at(screen_session(s), i)); i++)
		if (!strcmp(m->name, "main"))
			return m->cycle;
	for (size_t i = 0; i < t->bins.count; i++)
		if (!strcmp(t->functions[t->function[i]].name, "main"))
			return t->bins.bin[i].from;
	return 0;
}

/* Ranks the five functions with most cycles of the run. A window keeps the ranks of the whole run,
 * so that colours stay. */
static void rank_functions(struct timeline *t)
{
	for (unsigned rank = 0; rank < TIMELINE_RANKS && !t->zoomed; rank++) {
		struct timeline_function *most = NULL;
		for (unsigned i = 0; i < t->function_count; i++) {
			struct timeline_function *f = &t->functions[i];
			if (f->cycles && f->rank == TIMELINE_RANKS &&
			    (!most || f->cycles > most->cycles))
				most = f;
		}
		t->ranked[rank][0] = '\0';
		if (!most)
			continue;
		most->rank = rank;
		memcpy(t->ranked[rank], most->name, sizeof most->name);
	}
	for (unsigned i = 0; i < t->function_count && t->zoomed; i++)
		for (unsigned rank = 0; rank < TIMELINE_RANKS; rank++)
			if (*t->ranked[rank] && !strcmp(t->ranked[rank], t->functions[i].name))
				t->functions[i].rank = rank;
}

/* Names the function of each bin, and sums up their cycles since main. Bins keep no names if memory
 * is short. */
static void name_functions(struct screen *s)
{
	struct timeline *t = &s->timeline;
	const size_t n = t->bins.count;
	free(t->functions);
	free(t->function);
	t->functions = alloc_zeroed(n + 1, sizeof *t->functions);
	t->function = alloc_zeroed(n + 1, sizeof *t->function);
	t->function_count = 0;
	if (!t->functions || !t->function)
		t->bins.count = 0;
	for (size_t i = 0; i < t->bins.count; i++) {
		struct timeline_function *f = &t->functions[t->function_count];
		timeline_where(screen_session(s), t->bins.bin[i].pc, f->name, sizeof f->name);
		unsigned k = 0;
		while (strcmp(t->functions[k].name, f->name) != 0)
			k++;
		t->function[i] = k;
		if (k == t->function_count) {
			f->rank = TIMELINE_RANKS;
			t->function_count++;
		}
	}
	t->main = main_began(s);
	for (size_t i = 0; i < t->bins.count; i++) {
		const struct timeline_bin *b = &t->bins.bin[i];
		struct timeline_function *f = &t->functions[t->function[i]];
		f->cycles += b->to > t->main && *f->name ? b->to - b->from : 0;
	}
	rank_functions(t);
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
	name_functions(s);
}

int timeline_left(const struct timeline *t)
{
	return t->r.h > 1 ? t->r.x + TIMELINE_GUTTER : t->r.x + 3;
}

int timeline_columns(const struct timeline *t)
{
	const int right = t->r.h > 1 ? 1 : TIMELINE_END, w = t->r.x + t->r.w - timeline_left(t);
	return w > right ? w - right : 0;
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
	/* Takes the first of several columns of a bin; the end is in the last. */
	while (lo > 0 && timeline_column(t, lo, &c)) {
		struct timeline_column before;
		if (!timeline_column(t, lo - 1, &before) || before.from != c.from ||
		    cycle == t->bins.to)
			break;
		lo--;
	}
	return lo;
}
