/* The whole run, sampled: a short unit at a random place in each interval, measured on a second
 * machine, and the phase of each interval (core/run/sample.h, core/run/phases.h). The session can
 * then go to any unit. */
#ifndef CYCLOPS_HWVIEWS_WHY_SAMPLED_RUN_H
#define CYCLOPS_HWVIEWS_WHY_SAMPLED_RUN_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/run/phases.h"
#include "hwviews/session/session.h"

/* Instructions of a unit, and of detailed warming before it; default and maximum number of
 * units. */
enum { SAMPLED_UNIT = 1000, SAMPLED_WARM = 2000, SAMPLED_UNITS = 100, SAMPLED_UNITS_MAX = 2000 };

struct sampled_unit {
	uint64_t at;             /* number of the program's instructions before it */
	uint64_t insts, cycles;
	uint64_t l1d_misses, l2_misses, mispredicts;
	uint64_t pc;             /* the program's address after it */
	unsigned phase;          /* of its interval: 0 to phases - 1 */
};

struct sampled_phase {
	double weight;           /* share of all instructions */
	double spread;           /* of the vectors of its intervals */
	size_t middle;           /* the unit whose interval is closest to the phase's mean */
};

struct sampled_run {
	uint64_t insts;          /* of the whole run */
	bool cut;                /* the run was longer */
	uint64_t every;          /* instructions of an interval */
	unsigned phases;
	struct sampled_phase phase[PHASES_MAX]; /* [phases], in the order of the run */
	size_t count;
	struct sampled_unit unit[];
};

/* Called from time to time. False cancels. */
typedef bool sampled_goes_on(void *ctx);

/* Measures about `units` units in at most `phases` phases; one malloc'd block. NULL with *err: the
 * run can't be repeated, it is too short, it was cancelled, or memory is out. The session is
 * unchanged. */
struct sampled_run *sampled_run_make(const struct session *s, unsigned units, unsigned phases,
                                     sampled_goes_on *goes_on, void *ctx, struct err *err);
/* The program's instructions before unit i, which begins up to a cycle's later. */
uint64_t sampled_run_position(const struct sampled_run *r, size_t i);
/* Moves the session to unit i, after detailed warming, which is in its history. False with *err: it
 * is unchanged. */
bool sampled_run_go(struct session *s, size_t i, sampled_goes_on *goes_on, void *ctx,
                    struct err *err);

double sampled_cpi(const struct sampled_unit *u);
/* CPI over all units of a phase. */
double sampled_phase_cpi(const struct sampled_run *r, unsigned phase);
/* The phase's character: letters first, then digits. */
char sampled_letter(unsigned phase);

#endif
