/* Warming: caches, TLBs, prefetchers, predictor, target buffer and return stack follow the program
 * while it is executed without timing, as if each instruction were fetched, and accessed memory,
 * before the next one: as in an in-order machine without wrong paths.
 *
 * Stores go to L1D at once, not through the write buffer, which is a matter of timing. Store sets
 * and wait tables learn nothing: they learn from loads that passed a store to the same bytes, which
 * is unknown without timing. */
#ifndef CYCLOPS_CORE_PIPE_WARM_H
#define CYCLOPS_CORE_PIPE_WARM_H

#include "core/isa/functional.h"
#include "core/pipe/frontend/bpred_warm.h"
#include "core/pipe/memory/warm_access.h"

struct pipe;

struct pipe_warm {
	struct functional_warm follows; /* first */
	struct pipe *pipe;              /* borrowed */
	/* every access of L1D is reported: a stride prefetcher learns from it, or L1D is perfect */
	bool each_access;
	/* `code` and `data` are maintained: only accesses and prefetches change the order of lines,
	 * and no plug-in needs each access */
	bool knows_code, knows_data;
	struct recent_slots code, data;
	struct bpred_warm branches;
};

/* Begins with the caches' present state. No other code may access them until pipe_warm_end(). */
void pipe_warm_begin(struct pipe_warm *w, struct pipe *p);
void pipe_warm_end(struct pipe_warm *w);

#endif
