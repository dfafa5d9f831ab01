/* The run in bins: what passed in each, and where the program was.
 *
 * Bins are as wide as a power of two of cycles, and lie on multiples of that behind the first
 * recorded cycle; the first and the last one of a stretch may be narrower. They come from the
 * record (core/run/timeline.h) where that is fine enough, else that part of the run is executed
 * once more. Either way they are the statistics of their cycles, exactly, as a region's are. */
#ifndef CYCLOPS_HWVIEWS_SESSION_TIMELINE_H
#define CYCLOPS_HWVIEWS_SESSION_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/run/timeline.h"

struct session;

struct timeline_bin {
	/* the cycles behind the first number, up to and including the second, as of a region */
	uint64_t from, to;
	/* where the program was when most of its recorded points were taken, or at its beginning */
	uint64_t pc;
	uint64_t count[TIMELINE_WORDS]; /* what passed in it */
};

struct timeline_bins {
	struct timeline_bin *bin; /* owned; [count], in order, without gaps */
	size_t count;
	uint64_t from, to, width; /* cycles; width of those that are whole */
};

/* At most `most` bins of the stretch from..to, whose narrowest are `least` cycles wide. False with
 * *err if it isn't recorded, or the way there was interrupted. */
bool timeline_bins(const struct session *s, uint64_t from, uint64_t to, size_t most, uint64_t least,
                   struct timeline_bins *out, struct err *err);
void timeline_bins_free(struct timeline_bins *b);

/* The function of an address; "firmware" and other names of places that are none, "" if nothing is
 * known. Returns buf. */
char *timeline_where(const struct session *s, uint64_t pc, char *buf, size_t n);

/* What bins say. Ratios are 0 where there is nothing to divide by. */
double timeline_ipc(const struct timeline_bin *b);
/* A counter per 1,000 instructions. */
double timeline_per_1000(const struct timeline_bin *b, enum timeline_count i);
/* Commit slots lost, as a part of all: to all causes, or to row i of the CPI stack. */
double timeline_lost(const struct timeline_bin *b);
double timeline_share(const struct timeline_bin *b, unsigned i);
/* The row of the CPI stack that lost most; the first row, which lost nothing, if none did. */
unsigned timeline_cause(const struct timeline_bin *b);
/* "bad speculation": what a row is called. */
const char *timeline_cause_name(unsigned i, char *buf, size_t n);

#endif
