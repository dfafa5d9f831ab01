#include "core/run/sample.h"

#include <stdlib.h>
#include <string.h>

#include "core/defs/stats_fields.h"
#include "core/machine/machine_priv.h"
#include "core/machine/warm_state.h"
#include "core/run/live_points.h"

/* Instructions by which a stretch with timing may end late: those that commit in one cycle. */
enum { LATE = 64 };

size_t sample_words(void)
{
	return sizeof(struct stats) / sizeof(uint64_t);
}

const struct stats *sample_unit(const struct sample *s, size_t i)
{
	return (const struct stats *)(const void *)&s->counters[i * sample_words()];
}

uint64_t sample_room(const struct sample_plan *p)
{
	return p->unit + p->warm + LATE;
}

uint64_t sample_fits(const struct sample_plan *p, uint64_t insts)
{
	const uint64_t tail = p->offset + p->unit + LATE;
	return insts < tail ? 0 : (insts - tail) / p->every + 1;
}

bool sample_reserve(struct sample *s, size_t count)
{
	if (count <= s->cap)
		return true;
	const size_t cap = count > 2 * s->cap ? count : 2 * s->cap, bytes = sizeof(struct stats);
	uint64_t *at = realloc(s->at, cap * sizeof *at);
	if (at)
		s->at = at;
	uint64_t *counters = at ? realloc(s->counters, cap * bytes) : NULL;
	if (!counters)
		return false;
	s->counters = counters;
	s->cap = cap;
	return true;
}

bool sample_append(struct sample *s, const struct sample *more)
{
	if (!sample_reserve(s, s->count + more->count))
		return false;
	if (more->count) {
		memcpy(s->at + s->count, more->at, more->count * sizeof *s->at);
		memcpy(s->counters + s->count * sample_words(), more->counters,
		       more->count * sizeof(struct stats));
	}
	s->count += more->count;
	s->detailed += more->detailed;
	return true;
}

void sample_deinit(struct sample *s)
{
	free(s->at);
	free(s->counters);
	*s = (struct sample){0};
}

/* Up to this instruction without timing; false if it isn't reached. */
static bool forward(struct machine *m, uint64_t until, bool warm)
{
	const uint64_t now = machine_insts(m);
	if (until > now)
		machine_run_functional(m, until - now, warm);
	return machine_insts(m) >= until && machine_status(m) == MACHINE_RUNNING;
}

static bool detailed(struct machine *m, uint64_t until)
{
	machine_run(m, UINT64_MAX, until);
	return machine_insts(m) >= until && machine_status(m) == MACHINE_RUNNING;
}

/* Counters, as the differences from what they were. */
static void since(uint64_t *unit, const struct stats *before, const struct stats *now)
{
	const uint64_t *a = (const uint64_t *)(const void *)before,
		       *b = (const uint64_t *)(const void *)now;
	for (size_t i = 0; i < sample_words(); i++)
		unit[i] = b[i] - a[i];
}

static enum sample_end ended(const struct machine *m)
{
	return machine_status(m) == MACHINE_RUNNING ? SAMPLE_INTERRUPTED : SAMPLE_ENDED;
}

/* Where a unit's detailed warming begins. */
static uint64_t warmed(const struct sample_plan *p, uint64_t k)
{
	const uint64_t start = p->offset + k * p->every;
	return start > p->warm ? start - p->warm : 0;
}

/* Unit k, from where its detailed warming begins. */
static enum sample_end measure(struct machine *m, const struct sample_plan *p, uint64_t k,
                               struct sample *out)
{
	const uint64_t begun = machine_insts(m);
	if (!sample_reserve(out, out->count + 1))
		return SAMPLE_NO_MEMORY;
	if (!detailed(m, p->offset + k * p->every))
		return ended(m);
	const struct stats before = *m->stats;
	out->at[out->count] = machine_insts(m);
	if (!detailed(m, machine_insts(m) + p->unit))
		return ended(m);
	since(&out->counters[out->count * sample_words()], &before, m->stats);
	out->count++;
	out->detailed += machine_insts(m) - begun;
	return SAMPLE_DONE;
}

enum sample_end sample_units(struct machine *m, const struct sample_plan *p, uint64_t first,
                             uint64_t last, uint64_t from, struct sample *out)
{
	if (!forward(m, from, false))
		return ended(m);
	for (uint64_t k = first; k < last; k++) {
		if (!forward(m, warmed(p, k), true))
			return ended(m);
		const enum sample_end end = measure(m, p, k, out);
		if (end != SAMPLE_DONE)
			return end;
		machine_drain(m);
	}
	return SAMPLE_DONE;
}

enum sample_end sample_keep(struct machine *m, const struct sample_plan *p, uint64_t first,
                            uint64_t last, uint64_t from, struct live_points *points,
                            struct err *err)
{
	enum sample_end end = forward(m, from, false) ? SAMPLE_DONE : ended(m);
	for (uint64_t k = first; k < last && end == SAMPLE_DONE; k++) {
		if (!forward(m, warmed(p, k), true))
			end = ended(m);
		else if (!live_points_put(points, err))
			end = SAMPLE_FAILED;
	}
	live_points_close(points);
	return end;
}

enum sample_end sample_kept(struct machine *m, const struct sample_plan *p, uint64_t first,
                            uint64_t begin, uint64_t end, bool whole,
                            struct live_points *points, struct sample *out, struct err *err)
{
	enum sample_end how = SAMPLE_DONE;
	bool more = true;
	for (uint64_t k = first; k < end && how == SAMPLE_DONE; k++) {
		if (!live_points_get(points, &more, err))
			return SAMPLE_FAILED;
		if (!more)
			return SAMPLE_ENDED;
		if (k < begin)
			continue;
		if (!machine_warm_adopt(m, err))
			return SAMPLE_FAILED;
		if (machine_insts(m) != warmed(p, k) || machine_status(m) != MACHINE_RUNNING) {
			err_set(err, "it has other units than its plan says");
			return SAMPLE_FAILED;
		}
		struct snapshot *here = machine_snapshot(m);
		if (!here)
			return SAMPLE_NO_MEMORY;
		how = measure(m, p, k, out);
		machine_restore(m, here);
		os_log_cut(m->os); /* what the unit asked the host for is another's future */
		snapshot_free(here);
	}
	if (whole && how == SAMPLE_DONE && !live_points_get(points, &more, err))
		return SAMPLE_FAILED;
	return how;
}
