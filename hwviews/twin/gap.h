/* Where the gap between two machines in step grew: each instruction is charged the cycles from the
 * previous commit to its own, in the twin minus in the session's machine. Cycles of code inserted
 * into the twin's program go to the instruction that follows it.
 *
 * Both machines execute again all instructions that both have committed. Extending the range
 * executes only the new part; shortening it executes everything. In each machine, the sum over all
 * places is exactly the number of cycles until the last common instruction had committed. */
#ifndef CYCLOPS_HWVIEWS_TWIN_GAP_H
#define CYCLOPS_HWVIEWS_TWIN_GAP_H

#include <stddef.h>

#include "core/base/err.h"
#include "hwviews/twin/twin_state.h"

struct session;

struct gap_inst {
	uint64_t pc;                    /* in the session's program */
	uint64_t times[TWIN_MACHINES];  /* commits */
	uint64_t cycles[TWIN_MACHINES]; /* from commit to commit */
	uint64_t put_in;                /* part of B's: until the inserted code had committed */
	/* The instances in which the twin lost most and least: cycles beyond those of the session's
	 * machine, and the instance's seq in that machine; seq 0: none yet. */
	int64_t most, least;
	uint64_t most_seq, least_seq;
};

struct gap_sums {
	const struct gap_inst *insts; /* [count] by pc; borrowed until the next gap_take() */
	size_t count;
	uint64_t number;                /* instructions that both have committed */
	uint64_t cycles[TWIN_MACHINES]; /* until the last of them had committed */
	uint64_t put_in;                /* inserted instructions that B has committed between
	                                 * them */
	/* number, from 1, of the first instruction that differs in the twin; 0: none */
	uint64_t parted;
};

/* NULL if memory is out. */
struct gap *gap_new(void);
void gap_free(struct gap *g);
/* Sums over the run until both machines were at *place, where the twin is now. run: over all that
 * has been executed, even if A has gone back since. False with *err if re-execution was
 * interrupted, or the run is not recorded from its beginning. */
bool gap_take(const struct session *s, bool run, const struct twin_place *place,
              struct gap_sums *out, struct err *err);

#endif
