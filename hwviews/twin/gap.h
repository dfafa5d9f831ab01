/* Where the gap between two machines in step grew: the cycles from commit to commit, of each to the
 * instruction that commits, the twin's less those of the session's machine. Where code was put into
 * the twin's program its cycles are those of the instruction that it stands before.
 *
 * All that both have committed is gone through once more by executing it again in both; more of the
 * run costs what is new, less of it everything. The sums over all places are the cycles until the
 * last common instruction had committed, exactly, in each machine. */
#ifndef CYCLOPS_HWVIEWS_TWIN_GAP_H
#define CYCLOPS_HWVIEWS_TWIN_GAP_H

#include <stddef.h>

#include "core/base/err.h"
#include "hwviews/twin/twin_state.h"

struct session;

struct gap_inst {
	uint64_t pc;                    /* in the session's program */
	uint64_t times[TWIN_MACHINES];  /* that it committed */
	uint64_t cycles[TWIN_MACHINES]; /* from commit to commit */
	uint64_t put_in;                /* of B's, those until what was put in had committed */
	/* The instances in which the twin lost most, and least: cycles more than the session's
	 * machine, and its seq there; seq 0: none yet. */
	int64_t most, least;
	uint64_t most_seq, least_seq;
};

struct gap_sums {
	const struct gap_inst *insts; /* [count] by pc; borrowed until the next gap_take() */
	size_t count;
	uint64_t number;                /* instructions that both have committed */
	uint64_t cycles[TWIN_MACHINES]; /* until the last of them had committed */
	uint64_t put_in;                /* instructions, that B has committed beside them */
	/* the first of them that is another in the twin, from 1; 0: none is */
	uint64_t parted;
};

/* NULL if memory is out. */
struct gap *gap_new(void);
void gap_free(struct gap *g);
/* Of the run until both machines were at *place, to which the twin has been brought. run: of all
 * that has been gone through, also where A has gone back in it. False with *err if the way was
 * interrupted, or the run is not recorded from its beginning. */
bool gap_take(const struct session *s, bool run, const struct twin_place *place,
              struct gap_sums *out, struct err *err);

#endif
