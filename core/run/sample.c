#include "core/run/sample.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/hash.h"
#include "core/defs/stats_fields.h"
#include "core/machine/machine_priv.h"
#include "core/machine/warm_state.h"
#include "core/run/live_points.h"

/* Instructions by which a timed stretch may end late: at most one cycle's commits. */
enum { LATE = 64 };

size_t sample_words(void)
{
	return sizeof(struct stats) / sizeof(uint64_t);
}

const struct stats *sample_unit(const struct sample *s, size_t i)
{
	return (const struct stats *)(const void *)&s->counters[i * sample_words()];
}

const struct stats *sample_pair(const struct sample *s, size_t i)
{
	return (const struct stats *)(const void *)&s->pair_counters[i * sample_words()];
}

uint64_t sample_room(const struct sample_plan *p)
{
	return p->unit + p->warm + LATE;
}

static uint64_t sample_hash(uint64_t seed, uint64_t size, uint64_t k)
{
	uint64_t h = hash_word(hash_word(hash_word(HASH_WORDS_START, seed), size), k);
	return hash_splitmix64_next(&h);
}

/* A random number from k * size to (k + 1) * size - 1. A size above `least` is halved, and the
 * number is that of one of the halves. */
static uint64_t sample_draw(uint64_t seed, uint64_t least, uint64_t size, uint64_t k)
{
	for (; size > least; size /= 2)
		k = 2 * k + (sample_hash(seed, size, k) & 1);
	return k * size + sample_hash(seed, size, k) % size;
}

uint64_t sample_position(const struct sample_plan *p, uint64_t k)
{
	return p->offset +
	       (p->finest ? sample_draw(p->seed, p->finest, p->every, k) : k * p->every);
}

uint64_t sample_position_end(const struct sample_plan *p, uint64_t k)
{
	return sample_position(p, k) + p->unit + LATE;
}

uint64_t sample_fits(const struct sample_plan *p, uint64_t insts)
{
	uint64_t n = insts / p->every + 1;
	while (n && sample_position_end(p, n - 1) > insts)
		n--;
	return n;
}

uint64_t sample_pair_every(uint64_t units)
{
	return units < 200    ? SAMPLE_PAIRS_OFTEN
	       : units < 1000 ? 2 * SAMPLE_PAIRS_OFTEN
	                      : 4 * SAMPLE_PAIRS_OFTEN;
}

/* Makes room in two arrays, of numbers and of counters. */
static bool sample_reserve_arrays(uint64_t **number, uint64_t **counters, size_t *cap, size_t count)
{
	if (count <= *cap)
		return true;
	const size_t more = count > 2 * *cap ? count : 2 * *cap, bytes = sizeof(struct stats);
	uint64_t *n = alloc_resize(*number, more * sizeof *n);
	if (n)
		*number = n;
	uint64_t *c = n ? alloc_resize(*counters, more * bytes) : NULL;
	if (!c)
		return false;
	*counters = c;
	*cap = more;
	return true;
}

bool sample_reserve(struct sample *s, size_t count)
{
	return sample_reserve_arrays(&s->at, &s->counters, &s->cap, count);
}

bool sample_reserve_pairs(struct sample *s, size_t pairs)
{
	return sample_reserve_arrays(&s->pair_unit, &s->pair_counters, &s->pair_cap, pairs);
}

bool sample_append(struct sample *s, const struct sample *more)
{
	if (!sample_reserve(s, s->count + more->count) ||
	    !sample_reserve_pairs(s, s->pairs + more->pairs))
		return false;
	if (more->count) {
		memcpy(s->at + s->count, more->at, more->count * sizeof *s->at);
		memcpy(s->counters + s->count * sample_words(), more->counters,
		       more->count * sizeof(struct stats));
	}
	for (size_t i = 0; i < more->pairs; i++)
		s->pair_unit[s->pairs + i] = s->count + more->pair_unit[i];
	if (more->pairs)
		memcpy(s->pair_counters + s->pairs * sample_words(), more->pair_counters,
		       more->pairs * sizeof(struct stats));
	s->count += more->count;
	s->pairs += more->pairs;
	s->detailed += more->detailed;
	return true;
}

void sample_deinit(struct sample *s)
{
	free(s->at);
	free(s->counters);
	free(s->pair_unit);
	free(s->pair_counters);
	*s = (struct sample){0};
}

/* Runs without timing up to this instruction; false if it isn't reached. */
static bool sample_fast_forward(struct machine *m, uint64_t until, bool warm)
{
	const uint64_t now = machine_committed(m);
	if (until > now)
		machine_run_functional(m, until - now, warm);
	return machine_committed(m) >= until && machine_status(m) == MACHINE_RUNNING;
}

static bool sample_run_detailed(struct machine *m, uint64_t until)
{
	machine_run(m, UINT64_MAX, until);
	return machine_committed(m) >= until && machine_status(m) == MACHINE_RUNNING;
}

/* Stores the counters' differences. */
static void sample_counter_deltas(uint64_t *unit, const struct stats *before,
                                  const struct stats *now)
{
	const uint64_t *a = (const uint64_t *)(const void *)before,
		       *b = (const uint64_t *)(const void *)now;
	for (size_t i = 0; i < sample_words(); i++)
		unit[i] = b[i] - a[i];
}

static enum sample_end sample_end_reason(const struct machine *m)
{
	return machine_status(m) == MACHINE_RUNNING ? SAMPLE_INTERRUPTED : SAMPLE_ENDED;
}

/* True if unit k is a pair: drawn by its stratum of the finest length, so that a unit that thinning
 * keeps stays a pair. */
static bool is_pair(const struct sample_plan *p, uint64_t k)
{
	if (p->check <= p->warm)
		return false;
	const uint64_t at = p->finest ? (sample_position(p, k) - p->offset) / p->finest : k;
	return sample_draw(~p->seed, SAMPLE_PAIRS_OFTEN, p->pair_every, at / p->pair_every) == at;
}

/* Position `insts` instructions before unit k. */
static uint64_t sample_position_before(const struct sample_plan *p, uint64_t k, uint64_t insts)
{
	const uint64_t start = sample_position(p, k);
	return start > insts ? start - insts : 0;
}

/* Position where unit k's detailed warming begins, the longer one of a pair; not before that of
 * unit k - 1. */
static uint64_t sample_warming_start(const struct sample_plan *p, uint64_t k)
{
	if (!is_pair(p, k))
		return sample_position_before(p, k, p->warm);
	const uint64_t start = sample_position_before(p, k, p->check),
		       last = k ? sample_position_before(p, k - 1, p->warm) : 0;
	return start > last ? start : last;
}

/* Measures unit k; the machine is before its detailed warming. */
static enum sample_end sample_measure_unit(struct machine *m, const struct sample_plan *p,
                                           uint64_t k, uint64_t *at, uint64_t *counters,
                                           uint64_t *detailed_insts)
{
	const uint64_t begun = machine_committed(m);
	if (!sample_run_detailed(m, sample_position(p, k)))
		return sample_end_reason(m);
	const struct stats then = *m->stats;
	*at = machine_committed(m);
	if (!sample_run_detailed(m, machine_committed(m) + p->unit))
		return sample_end_reason(m);
	sample_counter_deltas(counters, &then, m->stats);
	*detailed_insts += machine_committed(m) - begun;
	return SAMPLE_DONE;
}

/* The same without output; the machine then returns to where it was. */
static enum sample_end sample_measure_aside(struct machine *m, const struct sample_plan *p,
                                            uint64_t k, uint64_t *at, uint64_t *counters,
                                            uint64_t *detailed_insts)
{
	struct snapshot *here = machine_snapshot(m);
	if (!here)
		return SAMPLE_NO_MEMORY;
	const bool quiet = os_set_quiet(m->os, true);
	const enum sample_end end = sample_measure_unit(m, p, k, at, counters, detailed_insts);
	machine_restore(m, here);
	os_set_quiet(m->os, quiet);
	os_log_cut(m->os); /* its questions to the host belong to another future */
	snapshot_free(here);
	return end;
}

/* Measures the second unit of a pair aside, and warms up to the first. */
static enum sample_end measure_pair(struct machine *m, const struct sample_plan *p, uint64_t k,
                                    struct sample *out)
{
	uint64_t at;
	if (!sample_reserve_pairs(out, out->pairs + 1))
		return SAMPLE_NO_MEMORY;
	const enum sample_end end = sample_measure_aside(
		m, p, k, &at, &out->pair_counters[out->pairs * sample_words()], &out->detailed);
	if (end != SAMPLE_DONE)
		return end;
	if (!sample_fast_forward(m, sample_position_before(p, k, p->warm), true))
		return sample_end_reason(m);
	out->pair_unit[out->pairs++] = out->count;
	return SAMPLE_DONE;
}

/* Measures unit k: aside if unit k + 1 begins to warm before its end. */
static enum sample_end measure_unit(struct machine *m, const struct sample_plan *p, uint64_t k,
                                    struct sample *out)
{
	const bool aside = sample_warming_start(p, k + 1) < sample_position_end(p, k) + LATE;
	enum sample_end end = is_pair(p, k) ? measure_pair(m, p, k, out) : SAMPLE_DONE;
	if (end == SAMPLE_DONE && !sample_reserve(out, out->count + 1))
		end = SAMPLE_NO_MEMORY;
	if (end == SAMPLE_DONE)
		end = (aside ? sample_measure_aside : sample_measure_unit)(
			m, p, k, &out->at[out->count],
			&out->counters[out->count * sample_words()], &out->detailed);
	if (end == SAMPLE_DONE)
		out->count++;
	else if (out->pairs && out->pair_unit[out->pairs - 1] == out->count)
		out->pairs--;
	return end;
}

enum sample_end sample_units(struct machine *m, const struct sample_plan *p, uint64_t first,
                             uint64_t last, uint64_t from, struct sample *out)
{
	if (!sample_fast_forward(m, from, false))
		return sample_end_reason(m);
	for (uint64_t k = first; k < last; k++) {
		if (!sample_fast_forward(m, sample_warming_start(p, k), true))
			return sample_end_reason(m);
		const enum sample_end end = measure_unit(m, p, k, out);
		if (end != SAMPLE_DONE)
			return end;
		machine_drain(m);
	}
	return SAMPLE_DONE;
}

enum sample_end sample_units_from(struct machine *m, const struct snapshot *s,
                                  const struct sample_plan *p, uint64_t first, uint64_t last,
                                  uint64_t from, struct sample *out)
{
	machine_restore(m, s);
	os_set_quiet(m->os, true);
	os_log_cut(m->os); /* timing may change the program's questions to the host */
	return sample_units(m, p, first, last, from, out);
}

/* Whether thinning, after which this is the plan, keeps unit k of before. */
static bool sample_thin_keeps(const struct sample_plan *thinned, uint64_t k)
{
	const uint64_t start = thinned->offset + k * (thinned->every / 2),
		       at = sample_position(thinned, k / 2);
	return at >= start && at < start + thinned->every / 2;
}

void sample_thin(struct sample *s, struct sample_plan *plan)
{
	const size_t words = sample_words();
	size_t kept = 0, pairs = 0;
	plan->every *= 2;
	for (size_t i = 0; i < s->count; i++) {
		if (!sample_thin_keeps(plan, i))
			continue;
		s->at[kept] = s->at[i];
		memmove(s->counters + kept * words, s->counters + i * words, sizeof(struct stats));
		kept++;
	}
	s->count = kept;
	for (size_t i = 0; i < s->pairs; i++) {
		if (!sample_thin_keeps(plan, s->pair_unit[i]))
			continue;
		memmove(s->pair_counters + pairs * words, s->pair_counters + i * words,
		        sizeof(struct stats));
		s->pair_unit[pairs++] = s->pair_unit[i] / 2;
	}
	s->pairs = pairs;
}

void sample_thin_pairs(struct sample *s, struct sample_plan *plan, uint64_t pair_every)
{
	const size_t words = sample_words();
	size_t pairs = 0;
	plan->pair_every = pair_every;
	for (size_t i = 0; i < s->pairs; i++) {
		if (!is_pair(plan, s->pair_unit[i]))
			continue;
		memmove(s->pair_counters + pairs * words, s->pair_counters + i * words,
		        sizeof(struct stats));
		s->pair_unit[pairs++] = s->pair_unit[i];
	}
	s->pairs = pairs;
}

void sample_end_pass(struct sample *s)
{
	s->pass_end[s->passes++] = s->count;
}

enum sample_end sample_all(struct machine *m, struct sample_plan *plan, uint64_t most,
                           const uint64_t *until, struct sample *out)
{
	enum sample_end end = SAMPLE_DONE;
	assert(most && most % 2 == 0);
	plan->pair_every = sample_pair_every(0);
	while (end == SAMPLE_DONE) {
		const uint64_t k = out->count;
		if (sample_position_end(plan, k) > __atomic_load_n(until, __ATOMIC_RELAXED))
			break;
		end = sample_fast_forward(m, sample_warming_start(plan, k), true)
		              ? measure_unit(m, plan, k, out)
		              : sample_end_reason(m);
		machine_drain(m);
		if (out->count > most)
			sample_thin(out, plan);
		if (sample_pair_every(out->count) > plan->pair_every)
			sample_thin_pairs(out, plan, sample_pair_every(out->count));
	}
	if (end == SAMPLE_NO_MEMORY || end == SAMPLE_INTERRUPTED)
		return end;
	/* a unit measured aside may have reached the end: the machine is then still before it */
	const uint64_t last = __atomic_load_n(until, __ATOMIC_RELAXED);
	(void)sample_fast_forward(m, last, false);
	return machine_status(m) != MACHINE_RUNNING || machine_committed(m) >= last
	               ? SAMPLE_DONE
	               : SAMPLE_INTERRUPTED;
}

void sample_shorten(struct sample *s, size_t count)
{
	if (count < s->count)
		s->count = count;
	while (s->pairs && s->pair_unit[s->pairs - 1] >= s->count)
		s->pairs--;
}

enum sample_end sample_keep(struct machine *m, const struct sample_plan *p, uint64_t first,
                            uint64_t last, uint64_t from, struct live_points *points,
                            struct err *err)
{
	enum sample_end end =
		sample_fast_forward(m, from, false) ? SAMPLE_DONE : sample_end_reason(m);
	for (uint64_t k = first; k < last && end == SAMPLE_DONE; k++) {
		if (!sample_fast_forward(m, sample_warming_start(p, k), true))
			end = sample_end_reason(m);
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
		if (machine_committed(m) != sample_warming_start(p, k) ||
		    machine_status(m) != MACHINE_RUNNING) {
			err_set(err, "the units in it are not those of its plan: take the sample "
			             "again");
			return SAMPLE_FAILED;
		}
		struct snapshot *here = machine_snapshot(m);
		if (!here)
			return SAMPLE_NO_MEMORY;
		how = measure_unit(m, p, k, out);
		machine_restore(m, here); /* the next point is a difference from this one */
		os_log_cut(m->os); /* the unit's questions to the host belong to another future */
		snapshot_free(here);
	}
	if (whole && how == SAMPLE_DONE && !live_points_get(points, &more, err))
		return SAMPLE_FAILED;
	return how;
}
