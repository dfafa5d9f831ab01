/* The run so far, counted: the machine's counters and the program's position at evenly spaced
 * points of the run.
 *
 * Points are exact: the counters at the end of a cycle. They lie `width` cycles apart from the
 * first recorded cycle on, a power of two, the least for which TIMELINE_BINS of them reach the
 * newest cycle. The difference of two points equals the statistics of that region.
 *
 * The points kept are a function of the first and the newest cycle alone, however the newest was
 * reached: in the first TIMELINE_BINS << j cycles every point of width 1 << j stays, however large
 * the width becomes. So a cut run (core/run/run.h) has the points of a run that never went farther.
 * That is TIMELINE_BINS points and half as many more each time that the run doubles: 130 KiB, and
 * 66 KiB more for each doubling, 3.3 MiB in the end, entered in history's account. Points are taken
 * by the loop that moves the machine; re-execution takes none.
 *
 * A checkpoint has the points of its width (as an attachment: core/prof/common/attachment.h), so
 * that a continued run is counted from its beginning, though one cannot go back there. */
#ifndef CYCLOPS_CORE_RUN_TIMELINE_H
#define CYCLOPS_CORE_RUN_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/run/timeline_point.h"

struct machine;
struct run;
struct stat_row;

/* Number of rows cpi.*; later elements stay 0. */
unsigned timeline_cpi_rows(void);
/* The statistic of row i; NULL if i is too large. The first is cpi.base. */
const struct stat_row *timeline_cpi_row(unsigned i);
/* Fills *out with the machine's present counters. */
void timeline_look(const struct machine *m, struct timeline_point *out);

/* The recorded range, and the distance of points. */
struct timeline_span {
	uint64_t first, newest, width;
};
void run_timeline(const struct run *r, struct timeline_span *out);
/* The point of a cycle: there is one at each multiple of the width, at the present and at the
 * newest cycle; elsewhere there may be. False: there is none, or memory was out. */
bool run_timeline_at(const struct run *r, uint64_t cycle, struct timeline_point *out);

#endif
