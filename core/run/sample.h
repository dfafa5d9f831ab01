/* Sampled simulation: short units of a program, evenly spread over it, are measured with timing,
 * and all between them is executed without, while caches and predictors stay warm: Wunderlich,
 * Wenisch, Falsafi and Hoe, "SMARTS: Accelerating Microarchitecture Simulation via Rigorous
 * Statistical Sampling" (ISCA 2003).
 *
 * What a unit's result means for the whole program is the business of core/run/estimate.h. */
#ifndef CYCLOPS_CORE_RUN_SAMPLE_H
#define CYCLOPS_CORE_RUN_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"

struct live_points;
struct machine;
struct snapshot;
struct stats;

/* Instructions. Unit k is measured from `offset + k * every` on. */
struct sample_plan {
	uint64_t unit;   /* a unit's, at least 1 */
	/* with timing before it, to fill the pipeline and what only time teaches */
	uint64_t warm;
	uint64_t every;  /* at least sample_room() */
	uint64_t offset;
	/* with timing before some units that are measured a second time; no more than fit between
	 * units; 0: there are none */
	uint64_t check;
	uint64_t pair_every; /* every so many units one is a pair */
};
/* A pair is measured behind `warm`, as all units are, and behind `check`. What warming can't know,
 * lines and pages of wrong paths above all, is there in the second of the two alone, so that their
 * difference is the bias of all. */

/* What the units of a run were, in the order of the program. Zeroed at first. */
struct sample {
	size_t count, cap;
	uint64_t *at;       /* owned; [count], the program's instructions before it */
	uint64_t *counters; /* owned; [count * sample_words()], a struct stats of the unit alone */
	uint64_t detailed;  /* instructions with timing, detailed warming's included */
	/* Of pairs the second: */
	size_t pairs, pair_cap;
	uint64_t *pair_unit;     /* owned; [pairs], which unit it is of */
	uint64_t *pair_counters; /* owned; [pairs * sample_words()] */
};

enum sample_end {
	SAMPLE_DONE,
	SAMPLE_ENDED,       /* the program ended before the last unit was through */
	SAMPLE_INTERRUPTED,
	SAMPLE_NO_MEMORY,
	SAMPLE_FAILED       /* live points could not be written or read: *err */
};

/* The words of a unit's counters. */
size_t sample_words(void);
/* The counters of unit i. Borrowed until another is added. */
const struct stats *sample_unit(const struct sample *s, size_t i);
/* The same of pair i. */
const struct stats *sample_pair(const struct sample *s, size_t i);
/* The least distance from unit to unit: what is done with timing, and the instructions by which
 * that may end late. */
uint64_t sample_room(const struct sample_plan *p);
/* How many units of the plan fit into a program of so many instructions. */
uint64_t sample_fits(const struct sample_plan *p, uint64_t insts);

/* Measures units first to last - 1, and adds them to *out. The machine has no devices; its pipeline
 * is empty, before and behind; it stands before the first unit. Warms from instruction `from` on,
 * and executes what lies before without. */
enum sample_end sample_units(struct machine *m, const struct sample_plan *p, uint64_t first,
                             uint64_t last, uint64_t from, struct sample *out);
/* The same from an earlier state of the machine, quietly. It is of no use behind that: to be called
 * in a process that ends then. */
enum sample_end sample_units_from(struct machine *m, const struct snapshot *s,
                                  const struct sample_plan *p, uint64_t first, uint64_t last,
                                  uint64_t from, struct sample *out);
/* All of a program whose length nobody knows: units from its beginning to its end, or to
 * instruction *until, which another process may bring nearer. When there are more than `most`, an
 * even number, every other one is dropped, and plan->every doubles. Its output is made once.
 * SAMPLE_DONE: the machine is at the end. */
enum sample_end sample_all(struct machine *m, struct sample_plan *plan, uint64_t most,
                           const uint64_t *until, struct sample *out);
/* The units of a program in two steps. The first writes the machine's state before each of these
 * units, W included, and times nothing; so units know nothing of each other. */
enum sample_end sample_keep(struct machine *m, const struct sample_plan *p, uint64_t first,
                            uint64_t last, uint64_t from, struct live_points *points,
                            struct err *err);
/* The second measures units begin to end - 1 of a file whose first point is that of unit `first`,
 * in a machine that has just been launched. whole: end - 1 is the last, and whether the file is
 * sound is known with it. */
enum sample_end sample_kept(struct machine *m, const struct sample_plan *p, uint64_t first,
                            uint64_t begin, uint64_t end, bool whole,
                            struct live_points *points, struct sample *out, struct err *err);
/* Room for so many units, or pairs; false if memory is out. */
bool sample_reserve(struct sample *s, size_t count);
bool sample_reserve_pairs(struct sample *s, size_t pairs);
/* Drops every other unit; the first stays. */
void sample_thin(struct sample *s);
/* Drops all units but the first `count`. */
void sample_shorten(struct sample *s, size_t count);
/* Copies what `more` holds to the end of *s. False if memory is out: *s is as it was. */
bool sample_append(struct sample *s, const struct sample *more);
void sample_deinit(struct sample *s);

#endif
