/* The run in bins: counts of each, and the function that was executing.
 *
 * A bin is a power of two of cycles wide, and aligned to its width from the first recorded cycle
 * on; the first and last bin of a range may be narrower. Bins are read from the record
 * (core/run/timeline.h) if it is fine enough; else that part of the run is executed again. In both
 * cases they are exact statistics of their cycles, like a region's. */
#ifndef CYCLOPS_HWVIEWS_SESSION_TIMELINE_H
#define CYCLOPS_HWVIEWS_SESSION_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/run/timeline.h"

struct session;

struct timeline_bin {
	/* the cycles after the first number, up to and including the second, like a region's */
	uint64_t from, to;
	/* address at most of its recorded points, or at its beginning */
	uint64_t pc;
	uint64_t count[TIMELINE_WORDS]; /* counts in the bin */
};

struct timeline_bins {
	struct timeline_bin *bin; /* owned; [count], in order, without gaps */
	size_t count;
	uint64_t from, to, width; /* cycles; width: of complete bins */
};

/* At most `most` bins of the range from..to, each at least `least` cycles wide. False with *err if
 * the range isn't recorded, or re-execution was interrupted. */
bool timeline_bins(const struct session *s, uint64_t from, uint64_t to, size_t most, uint64_t least,
                   struct timeline_bins *out, struct err *err);
void timeline_bins_free(struct timeline_bins *b);

/* The function of an address; "firmware" and other names for code outside functions, "" if unknown.
 * Returns buf. */
char *timeline_where(const struct session *s, uint64_t pc, char *buf, size_t n);

/* Statistics of bins. Ratios are 0 if the divisor is 0. */
double timeline_ipc(const struct timeline_bin *b);
/* A counter per 1,000 instructions. */
double timeline_per_1000(const struct timeline_bin *b, enum timeline_count i);
/* Lost commit slots as a part of all: by all causes, or by row i of the CPI stack. */
double timeline_lost(const struct timeline_bin *b);
double timeline_share(const struct timeline_bin *b, unsigned i);
/* The row of the CPI stack that lost most; the first row, which is no loss, if none did. */
unsigned timeline_cause(const struct timeline_bin *b);
/* "bad speculation": name of a row. */
const char *timeline_cause_name(unsigned i, char *buf, size_t n);

#endif
