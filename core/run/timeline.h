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
 * A checkpoint has the points of its width (as an attachment: core/prof/common/attachment.h), so
 * that a run that is gone on with is counted from its beginning, though nobody can go back there.
 */
#ifndef CYCLOPS_CORE_RUN_TIMELINE_H
#define CYCLOPS_CORE_RUN_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/run/timeline_point.h"

struct machine;
struct run;
struct stat_row;

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
