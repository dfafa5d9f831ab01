/* One point of the run so far: the machine's counters there (timeline.h). */
#ifndef CYCLOPS_CORE_RUN_TIMELINE_POINT_H
#define CYCLOPS_CORE_RUN_TIMELINE_POINT_H

#include <stdint.h>

enum { TIMELINE_BINS = 512, TIMELINE_CPI_MOST = 24 };

/* Counters of a point besides the CPI stack: field of struct stats, name, description. */
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
	TIMELINE_CPI,  /* + index of the statistic cpi.*, in their order */
	TIMELINE_WORDS = TIMELINE_CPI + TIMELINE_CPI_MOST
};

struct timeline_point {
	uint64_t cycle;
	uint64_t pc;                    /* of the oldest instruction that had not committed */
	uint64_t count[TIMELINE_WORDS]; /* since the machine's beginning */
};

#endif
