/* Makes bins of the record's points, or of that part of the run executed once more. */
#include "hwviews/session/timeline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/defs/stats.h"
#include "core/mem/mem.h"
#include "hwviews/session/session.h"

enum { ENDS = 2 };

/* ---- where bins end ---- */
static size_t session_timeline_count_bins(uint64_t from, uint64_t to, uint64_t first,
                                          uint64_t width)
{
	return from < to ? (size_t)((to - 1 - first) / width - (from - first) / width + 1) : 0;
}

static uint64_t session_timeline_bin_end(uint64_t from, uint64_t to, uint64_t first, uint64_t width)
{
	const uint64_t end = from + width - (from - first) % width;
	return end < to ? end : to;
}

/* ---- points ---- */
/* Fills in the recorded points; returns the number of missing ones, in which only the cycle is
 * set. */
static size_t from_record(const struct session *s, const struct timeline_bins *b, uint64_t first,
                          struct timeline_point *points)
{
	uint64_t at = b->from;
	size_t missing = 0;
	for (size_t i = 0; i <= b->count;
	     i++, at = session_timeline_bin_end(at, b->to, first, b->width)) {
		if (run_timeline_at(s->run, at, &points[i]))
			continue;
		points[i] = (struct timeline_point){.cycle = at + 1}; /* + 1: missing */
		missing++;
	}
	return missing;
}

struct sampling {
	struct timeline_point *points;
	size_t count, room;
};

static void session_timeline_append_point(void *ctx, const struct machine *m)
{
	struct sampling *t = ctx;
	if (t->count < t->room)
		timeline_look(m, &t->points[t->count++]);
}

static void session_timeline_read_point(void *ctx, const struct machine *m)
{
	timeline_look(m, ctx);
}

/* Looks up bin ends without a recorded point: only the ends of the range may need that. */
static bool from_looks(const struct session *s, const struct timeline_bins *b, uint64_t first,
                       struct timeline_point *points, struct err *err)
{
	uint64_t at = b->from;
	for (size_t i = 0; i <= b->count;
	     i++, at = session_timeline_bin_end(at, b->to, first, b->width))
		if (points[i].cycle != at &&
		    !run_look(s->run, at, session_timeline_read_point, &points[i], err))
			return false;
	return true;
}

/* ---- functions of bins ---- */
/* Addresses outside functions count as one place. */
static const char *session_timeline_function_name(const struct session *s, uint64_t pc)
{
	const struct symbol *sym = program_symbol_at(s->program, pc);
	return sym ? sym->name : NULL;
}

char *timeline_where(const struct session *s, uint64_t pc, char *buf, size_t n)
{
	const char *name = session_timeline_function_name(s, pc);
	struct mem_region r;
	const bool mapped = mem_next_region(machine_mem_const(s->machine), pc, &r) && pc >= r.start;
	snprintf(buf, n, "%s", name ? name : mapped ? r.name : "");
	return buf;
}

/* An address in the function with most of the bin's points; of several, the first. */
static uint64_t most_of(const struct session *s, const struct timeline_bin *b, uint64_t first,
                        uint64_t width, uint64_t pc)
{
	enum { PLACES = 32 };
	struct {
		const char *name;
		uint64_t pc;
		unsigned points;
	} at[PLACES] = {{session_timeline_function_name(s, pc), pc, 1}};
	unsigned places = 1, best = 0;
	struct timeline_point p;
	for (uint64_t cycle = b->from + width - (b->from - first) % width; cycle < b->to;
	     cycle += width) {
		if (!run_timeline_at(s->run, cycle, &p))
			continue;
		const char *name = session_timeline_function_name(s, p.pc);
		unsigned i = 0;
		while (i < places && at[i].name != name)
			i++;
		if (i == PLACES)
			continue;
		if (i == places) {
			at[places].name = name;
			at[places].pc = p.pc;
			at[places++].points = 0;
		}
		at[i].points++;
	}
	for (unsigned i = 1; i < places; i++)
		if (at[i].points > at[best].points)
			best = i;
	return at[best].pc;
}

static void session_timeline_fill_bins(const struct session *s, const struct timeline_span *span,
                                       const struct timeline_point *points, struct timeline_bins *b)
{
	for (size_t i = 0; i < b->count; i++) {
		struct timeline_bin *to = &b->bin[i];
		*to = (struct timeline_bin){.from = points[i].cycle, .to = points[i + 1].cycle};
		for (unsigned k = 0; k < TIMELINE_WORDS; k++)
			to->count[k] = points[i + 1].count[k] - points[i].count[k];
		to->pc = b->width > span->width
		                 ? most_of(s, to, span->first, span->width, points[i].pc)
		                 : points[i].pc;
	}
}

void timeline_bins_free(struct timeline_bins *b)
{
	free(b->bin);
	*b = (struct timeline_bins){0};
}

/* True if the run between the record's points can be executed again. */
static bool can_repeat(const struct session *s, uint64_t from)
{
	struct run_history h;
	run_history(s->run, &h);
	return s->history.history && from >= h.first_cycle;
}

bool timeline_bins(const struct session *s, uint64_t from, uint64_t to, size_t most, uint64_t least,
                   struct timeline_bins *out, struct err *err)
{
	struct timeline_span span;
	run_timeline(s->run, &span);
	*out = (struct timeline_bins){.from = from, .to = to, .width = 1};
	if (from < span.first || to > span.newest || from > to)
		return err_set(
			err,
			"cycles %llu to %llu are not recorded: the run is known from %llu to %llu",
			(unsigned long long)from, (unsigned long long)to,
			(unsigned long long)span.first, (unsigned long long)span.newest);
	if (!can_repeat(s, from) && least < span.width)
		least = span.width;
	while (out->width < least ||
	       session_timeline_count_bins(from, to, span.first, out->width) > (most ? most : 1))
		out->width *= 2;
	out->count = session_timeline_count_bins(from, to, span.first, out->width);
	struct timeline_point *points = alloc_zeroed(out->count + 1, sizeof *points);
	struct sampling t = {points, 0, out->count + 1};
	out->bin = alloc_zeroed(out->count + 1, sizeof *out->bin);
	bool ok = points && out->bin;
	const size_t missing = ok ? from_record(s, out, span.first, points) : 0;
	if (!ok)
		err_set(err, "out of memory for the timeline");
	else if (missing > ENDS)
		ok = run_sample(s->run, from, to, out->width, session_timeline_append_point, &t,
		                err);
	else if (missing)
		ok = from_looks(s, out, span.first, points, err);
	if (ok)
		session_timeline_fill_bins(s, &span, points, out);
	else
		timeline_bins_free(out);
	free(points);
	return ok;
}

/* ---- statistics of bins ---- */
double timeline_ipc(const struct timeline_bin *b)
{
	return b->to > b->from ? (double)b->count[TIMELINE_insts] / (double)(b->to - b->from) : 0;
}

double timeline_per_1000(const struct timeline_bin *b, enum timeline_count i)
{
	return b->count[TIMELINE_insts]
	               ? 1000 * (double)b->count[i] / (double)b->count[TIMELINE_insts] : 0;
}

static double all_slots(const struct timeline_bin *b)
{
	double sum = 0;
	for (unsigned i = 0; i < timeline_cpi_rows(); i++)
		sum += (double)(int64_t)b->count[TIMELINE_CPI + i];
	return sum;
}

double timeline_share(const struct timeline_bin *b, unsigned i)
{
	const double all = all_slots(b);
	return all > 0 ? (double)(int64_t)b->count[TIMELINE_CPI + i] / all : 0;
}

double timeline_lost(const struct timeline_bin *b)
{
	const double lost = all_slots(b) > 0 ? 1 - timeline_share(b, 0) : 0;
	return lost > 0 ? lost : 0;
}

unsigned timeline_cause(const struct timeline_bin *b)
{
	unsigned best = 0;
	int64_t most = 0;
	for (unsigned i = 1; i < timeline_cpi_rows(); i++) {
		if ((int64_t)b->count[TIMELINE_CPI + i] <= most)
			continue;
		most = (int64_t)b->count[TIMELINE_CPI + i];
		best = i;
	}
	return best;
}

const char *timeline_cause_name(unsigned i, char *buf, size_t n)
{
	const struct stat_row *row = timeline_cpi_row(i);
	snprintf(buf, n, "%s", row ? row->name + strlen("cpi.") : "");
	for (char *c = buf; *c; c++)
		*c = *c == '_' ? ' ' : *c;
	return buf;
}
