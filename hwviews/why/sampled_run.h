/* The whole run in a sample: short units of it, evenly spread, measured on a machine beside the
 * session's, and what kind of phase each lies in (core/run/sample.h, core/run/phases.h). The
 * session can then go to any unit. */
#ifndef CYCLOPS_HWVIEWS_WHY_SAMPLED_RUN_H
#define CYCLOPS_HWVIEWS_WHY_SAMPLED_RUN_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/run/phases.h"
#include "hwviews/session/session.h"

/* Instructions of a unit, and with timing before it; units, if nothing is said, and at most. */
enum { SAMPLED_UNIT = 1000, SAMPLED_WARM = 2000, SAMPLED_UNITS = 100, SAMPLED_UNITS_MAX = 2000 };

struct sampled_unit {
	uint64_t at;             /* the program's instructions before it */
	uint64_t insts, cycles;
	uint64_t l1d_misses, l2_misses, mispredicts;
	uint64_t pc;             /* where the program was behind it */
	unsigned phase;          /* of the interval that it lies in: 0 to phases - 1 */
};

struct sampled_phase {
	double weight;           /* of all instructions */
	double spread;           /* of its intervals' vectors */
	size_t middle;           /* the unit of the interval that is most like all of it */
};

struct sampled_run {
	uint64_t insts;          /* of the whole run */
	bool cut;                /* it had more */
	uint64_t every;          /* instructions from unit to unit, and of an interval */
	unsigned phases;
	struct sampled_phase phase[PHASES_MAX]; /* [phases], in the order of the run */
	size_t count;
	struct sampled_unit unit[];
};

/* Asked now and then. False ends all. */
typedef bool sampled_goes_on(void *ctx);

/* About so many units in at most so many phases; malloc'd as a whole. NULL with *err: it would not
 * be the same run again, it is too short or was ended, or memory is out. The session stays as it
 * is. */
struct sampled_run *sampled_run_make(const struct session *s, unsigned units, unsigned phases,
                                     sampled_goes_on *goes_on, void *ctx, struct err *err);
/* The session is at unit i, its detailed warming done, which history holds. False with *err: it
 * stays as it is. */
bool sampled_run_go(struct session *s, size_t i, sampled_goes_on *goes_on, void *ctx,
                    struct err *err);

double sampled_cpi(const struct sampled_unit *u);
/* Of all of a phase's units. */
double sampled_phase_cpi(const struct sampled_run *r, unsigned phase);
/* A letter for each phase, then digits. */
char sampled_letter(unsigned phase);

#endif
