/* Warming: caches, TLBs, prefetchers, predictor, target buffer and return stack follow the program
 * while it is executed without timing, as they would if each instruction were fetched, and accessed
 * memory, before the next one: what a machine in order without wrong paths leaves there.
 *
 * What the write buffer holds is not kept back from L1D, since that is a matter of time. Store sets
 * and wait tables learn nothing: they know loads that passed a store to the same bytes, and what
 * would have passed is known to nobody who has no timing. */
#ifndef CYCLOPS_CORE_PIPE_WARM_H
#define CYCLOPS_CORE_PIPE_WARM_H

#include "core/isa/functional.h"
#include "core/pipe/frontend/bpred_warm.h"
#include "core/pipe/memory/warm_access.h"

struct pipe;

struct pipe_warm {
	struct functional_warm follows; /* first */
	struct pipe *pipe;              /* borrowed */
	bool each_access;               /* a prefetcher learns from every access of L1D */
	/* `code` and `data` are kept: nothing but accesses and prefetches changes the order of
	 * lines, and nobody hears of each access */
	bool knows_code, knows_data;
	struct recent_slots code, data;
	struct bpred_warm branches;
};

/* Begins where the caches are. While it is used, nobody else accesses them. */
void pipe_warm_begin(struct pipe_warm *w, struct pipe *p);
void pipe_warm_end(struct pipe_warm *w);

#endif
