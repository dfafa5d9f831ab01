/* The run so far, counted: what the machine's counters were at points of the run that lie evenly,
 * and where the program was.
 *
 * Points are exact: the counters at the end of a cycle. They lie `width` cycles apart from the
 * first recorded cycle on, a power of two, the least for which TIMELINE_BINS of them reach the
 * newest cycle. The difference of two points is what passed between them, the same as statistics of
 * that region.
 *
 * What is kept is a function of the first and the newest cycle alone, however the newest was
 * reached: of the first TIMELINE_BINS << j cycles each point of width 1 << j stays, whatever the
 * width becomes, so that a run that is cut (core/run/run.h) has the points of one that never came
 * farther. That is TIMELINE_BINS points and half as many more each time that the run doubles: 130
 * KiB, and 66 KiB more for each doubling, 3.3 MiB in the end, entered in history's account. Points
 * are taken by the loop that moves the machine; executing again takes none.
 *
 * A checkpoint has the points of its width (as a attachment: core/prof/common/attachment.h), so
 * that a run that is gone on with is counted from its beginning, though nobody can go back there.
 */
#ifndef CYCLOPS_CORE_RUN_TIMELINE_H
#define CYCLOPS_CORE_RUN_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"

struct machine;
struct run;
struct stat_row;

enum { TIMELINE_BINS = 512, TIMELINE_CPI_MOST = 24 };

/* Counters that a point has beside the CPI stack: field of struct stats, name, what it is. */
#define TIMELINE_COUNTS(X) \
	X(insts, "insts", "instructions committed") \
	X(bpred_mispredicts, "mispredicts", "branches and jumps that committed mispredicted") \
	X(l1i_misses, "l1i_misses", "misses of the instruction cache") \
	X(l1d_misses, "l1d_misses", "misses of the data cache") \
	X(l2_misses, "l2_misses", "misses of the second-level cache") \
	X(itlb_misses, "itlb_misses", "misses of the instruction TLB") \
	X(dtlb_misses, "dtlb_misses", "misses of the data TLB")

enum timeline_count {
#define X(field, name, what) TIMELINE_##field,
	TIMELINE_COUNTS(X)
#undef X
	TIMELINE_CPI,  /* + place among the statistics cpi.*, in their order */
	TIMELINE_WORDS = TIMELINE_CPI + TIMELINE_CPI_MOST
};

struct timeline_point {
	uint64_t cycle;
	uint64_t pc;                    /* of the oldest instruction that had not committed */
	uint64_t count[TIMELINE_WORDS]; /* since the machine's beginning */
};

/* Rows cpi.* that there are; those behind them stay 0. */
unsigned timeline_cpi_rows(void);
/* The statistic of one; NULL behind the last. The first is cpi.base. */
const struct stat_row *timeline_cpi_row(unsigned i);
/* What the machine is now. */
void timeline_look(const struct machine *m, struct timeline_point *out);

/* From where to where it is recorded, and how far apart points are. */
struct timeline_span {
	uint64_t first, newest, width;
};
void run_timeline(const struct run *r, struct timeline_span *out);
/* The point of a cycle: on a multiple of the width there is one, as for the present and the newest
 * cycle; elsewhere there may be. False: there is none, or memory was out. */
bool run_timeline_at(const struct run *r, uint64_t cycle, struct timeline_point *out);

#endif
