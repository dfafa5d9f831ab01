/* Warms the branch predictor while a program executes without timing: look-up and learning, without
 * statistics and marks.
 *
 * A pipeline looks up at fetch and learns at dispatch or later, so that a look-up does not know the
 * last outcomes, and tables are taught where a history without these leads. What is fetched in one
 * cycle can't know of each other: so the branches of a fetch group, which ends behind its width and
 * behind a branch that is taken, or predicted to be, learn together here. How full the fetch queue
 * is nobody knows without time; behind a misprediction it is empty. */
#ifndef CYCLOPS_CORE_PIPE_FRONTEND_BPRED_WARM_H
#define CYCLOPS_CORE_PIPE_FRONTEND_BPRED_WARM_H

#include "core/isa/functional.h"
#include "core/pipe/frontend/bpred.h"

enum { WARM_LATE = 64 };

/* A branch of the kinds that tables decide: where it learns, and what it was told. */
struct warm_branch {
	uint32_t *history;
	uint8_t *bimodal, *l2;
	uint8_t *meta; /* NULL: both sides said the same */
	bool taken, l2_right;
};
/* One of any other kind. */
struct warm_any_branch {
	uint64_t pc, target;
	struct inst inst;
	struct bpred_mark mark;
	bool taken;
};
struct bpred_warm {
	struct bpred *bpred; /* borrowed */
	uint64_t width;      /* instructions of a fetch group, at most WARM_LATE */
	uint64_t group;      /* executed before the first of the present one */
	uint32_t shift;      /* bits of an address that no index has */
	uint32_t count;      /* branches of the group that are still to learn, in one of these: */
	struct warm_branch late[WARM_LATE];
	struct warm_any_branch late_any[WARM_LATE];
};

void bpred_warm_begin(struct bpred_warm *w, struct bpred *b, uint64_t fetch_width);
/* All of the group learn. */
void bpred_warm_settle(struct bpred_warm *w);
/* Whom to tell of each conditional branch, and of each jump; their context is a struct bpred_warm
 * of this predictor. */
warm_control_fn *bpred_warm_branch(const struct bpred *b);
warm_control_fn *bpred_warm_jump(const struct bpred *b);

#endif
