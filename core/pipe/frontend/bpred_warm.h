/* Functional warm-up of the branch predictor: look-up and learning without statistics or time.
 *
 * A pipeline looks up at fetch and learns at dispatch or later, so that a look-up does not know the
 * last outcomes, and tables are taught where a history without these leads. What is fetched in one
 * cycle can't know of each other: so the branches of a fetch group, which ends behind its width and
 * behind a branch that is taken, or predicted to be, learn together here. How full the fetch queue
 * is nobody knows without time; behind a misprediction it is empty. */
#ifndef CYCLOPS_CORE_PIPE_FRONTEND_BPRED_WARM_H
#define CYCLOPS_CORE_PIPE_FRONTEND_BPRED_WARM_H

#include <stdbool.h>
#include <stdint.h>

#include "core/isa/inst.h"
#include "core/pipe/frontend/bpred_state.h"

enum { WARM_LATE = 64, WARM_TAKEN = 1, WARM_BIMODAL = 2, WARM_L2 = 4 };
struct warm_branch {
	uint32_t bimodal, l2, meta, history; /* indices */
	uint32_t flags; /* WARM_* */
	/* of kinds that no table decides, instead of indices */
	uint64_t pc, target;
	struct inst inst;
	struct bpred_mark mark;
};
struct bpred_warm {
	uint64_t width;  /* instructions of a fetch group, at most WARM_LATE */
	uint64_t group;  /* executed before the first of the present one */
	uint32_t count;  /* of its branches, which are still to learn */
	bool any;        /* they are of a kind that no table decides */
	struct warm_branch late[WARM_LATE];
};
/* insts: executed before it. */
void bpred_warm(struct bpred *b, struct bpred_warm *w, uint64_t pc, const struct inst *in,
                bool taken, uint64_t target, uint64_t insts);
/* All learn. */
void bpred_warm_settle(struct bpred *b, struct bpred_warm *w);

#endif
