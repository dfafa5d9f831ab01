/* Sampled simulation: short units of a program are measured with timing; the instructions between
 * them are executed without, while caches and predictors stay warm: Wunderlich, Wenisch, Falsafi
 * and Hoe, "SMARTS: Accelerating Microarchitecture Simulation via Rigorous Statistical Sampling"
 * (ISCA 2003).
 *
 * SMARTS spaces its units evenly, and so reads a program of the same period at a single phase. Here
 * the program is divided into strata of equal length, and each has a unit at a random place:
 * Cochran, Sampling Techniques (1977), section 8.7 (populations with periodic variation) and 5A.12
 * (one unit per stratum). Places depend on seed, length of strata and number of the stratum alone.
 * Units may overlap.
 *
 * core/run/estimate.h derives the whole program's values from the units. */
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

/* Passes of a sample, each a plan with its own seed. */
enum { SAMPLE_PASSES = 4 };
/* Least pair_every. */
enum { SAMPLE_PAIRS_OFTEN = 10 };

/* Instructions. Unit k lies in stratum k, which begins at `offset + k * every`. */
struct sample_plan {
	uint64_t unit;   /* length of a unit, at least 1 */
	/* with timing before it, to fill the pipeline and structures that functional warming
	 * can't */
	uint64_t warm;
	uint64_t every;  /* length of a stratum, at least sample_room() */
	/* `every`, or a length that doubled gives it: a stratum's unit is chosen from the units of
	 * its two halves; 0: units lie at the beginning of their strata */
	uint64_t finest;
	uint64_t seed;
	uint64_t offset;
	/* with timing before the second measurement of some units, at most: it does not begin
	 * before the previous unit's; 0: no second measurements */
	uint64_t check;
	/* one unit in pair_every, at random, is a pair: SAMPLE_PAIRS_OFTEN or a doubling of it */
	uint64_t pair_every;
};
/* A pair is a unit measured twice: after `warm`, as all units, and after `check`. Only the second
 * has what functional warming can't provide, above all lines and pages of wrong paths, so their
 * difference is the bias of all units. */

/* The measured units of a run, in the order of the program. Zeroed at first. */
struct sample {
	size_t count, cap;
	uint64_t *at;       /* owned; [count], the program's instructions before it */
	uint64_t *counters; /* owned; [count * sample_words()], a struct stats of the unit alone */
	uint64_t detailed;  /* instructions with timing, detailed warming's included */
	size_t passes;
	size_t pass_end[SAMPLE_PASSES]; /* [passes]; number of units up to the end of each pass */
	/* second measurements of pairs: */
	size_t pairs, pair_cap;
	uint64_t *pair_unit;     /* owned; [pairs], index of its unit */
	uint64_t *pair_counters; /* owned; [pairs * sample_words()] */
};

enum sample_end {
	SAMPLE_DONE,
	SAMPLE_ENDED,       /* the program ended before the last unit was through */
	SAMPLE_INTERRUPTED,
	SAMPLE_NO_MEMORY,
	SAMPLE_FAILED       /* live points could not be written or read: *err */
};

/* Number of words in a unit's counters. */
size_t sample_words(void);
/* The counters of unit i. Borrowed until another is added. */
const struct stats *sample_unit(const struct sample *s, size_t i);
/* The same of pair i. */
const struct stats *sample_pair(const struct sample *s, size_t i);
/* The least length of a stratum: the instructions with timing, and those by which they may end
 * late. */
uint64_t sample_room(const struct sample_plan *p);
/* The program's instructions before unit k. */
uint64_t sample_position(const struct sample_plan *p, uint64_t k);
/* The program's instructions before the end of unit k, at most. */
uint64_t sample_position_end(const struct sample_plan *p, uint64_t k);
/* sample_plan.pair_every of a pass of `units` units. */
uint64_t sample_pair_every(uint64_t units);
/* How many units of the plan fit into a program of `insts` instructions. */
uint64_t sample_fits(const struct sample_plan *p, uint64_t insts);

/* Measures units first to last - 1, and adds them to *out. The machine has no devices; its pipeline
 * is empty, before and after; it is before the first unit. Warms from instruction `from` on;
 * earlier instructions are executed without warming. */
enum sample_end sample_units(struct machine *m, const struct sample_plan *p, uint64_t first,
                             uint64_t last, uint64_t from, struct sample *out);
/* The same from an earlier state of the machine, without output. Afterwards the machine is useless:
 * call it in a process that then ends. */
enum sample_end sample_units_from(struct machine *m, const struct snapshot *s,
                                  const struct sample_plan *p, uint64_t first, uint64_t last,
                                  uint64_t from, struct sample *out);
/* Measures a program of unknown length: units from its beginning to its end, or to instruction
 * *until, which another process may lower. When there are more than `most`, an even number,
 * sample_thin() drops half of them; pairs become rarer as sample_pair_every() has it. The program's
 * output is made once. SAMPLE_DONE: the machine is at the end. */
enum sample_end sample_all(struct machine *m, struct sample_plan *plan, uint64_t most,
                           const uint64_t *until, struct sample *out);
/* Measures the units of a program in two steps. The first writes the machine's state before each of
 * these units, its warm-up included, and times nothing; so units are independent of each other. */
enum sample_end sample_keep(struct machine *m, const struct sample_plan *p, uint64_t first,
                            uint64_t last, uint64_t from, struct live_points *points,
                            struct err *err);
/* The second measures units begin to end - 1 of a file whose first point is that of unit `first`,
 * in a machine that has just been launched. whole: end - 1 is the last unit, so the file's checksum
 * is checked as well. */
enum sample_end sample_kept(struct machine *m, const struct sample_plan *p, uint64_t first,
                            uint64_t begin, uint64_t end, bool whole,
                            struct live_points *points, struct sample *out, struct err *err);
/* Reserves room for `count` units, or pairs; false if memory is out. */
bool sample_reserve(struct sample *s, size_t count);
bool sample_reserve_pairs(struct sample *s, size_t pairs);
/* Joins strata by twos, which doubles plan->every, and keeps one unit of each two, by the plan's
 * seed. The sample has the plan's units from the first on. */
void sample_thin(struct sample *s, struct sample_plan *plan);
/* Raises plan->pair_every to pair_every, a doubling of it, and drops units that are no pairs any
 * more from the pairs. */
void sample_thin_pairs(struct sample *s, struct sample_plan *plan, uint64_t pair_every);
/* Makes the units added since the last pass a pass. */
void sample_end_pass(struct sample *s);
/* Keeps only the first `count` units. */
void sample_shorten(struct sample *s, size_t count);
/* Appends the units of `more`. False if memory is out: *s is unchanged. */
bool sample_append(struct sample *s, const struct sample *more);
void sample_deinit(struct sample *s);

#endif
