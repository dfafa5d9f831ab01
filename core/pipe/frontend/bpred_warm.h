/* Warms the branch predictor while a program executes without timing: look-ups and learning,
 * without statistics and marks.
 *
 * A pipeline looks up at fetch and learns at dispatch or later: a look-up uses a history without
 * the last outcomes, and that index learns. Branches fetched in one cycle don't see each other's
 * outcomes: so the branches of a fetch group, which ends after its width or after a branch that is
 * taken, or predicted taken, learn together here. The fetch queue's length is unknown without
 * timing; warming assumes an empty queue, as after a misprediction. */
#ifndef CYCLOPS_CORE_PIPE_FRONTEND_BPRED_WARM_H
#define CYCLOPS_CORE_PIPE_FRONTEND_BPRED_WARM_H

#include "core/isa/functional.h"
#include "core/pipe/frontend/bpred.h"
#include "core/pipe/frontend/btb.h"

enum { WARM_LATE = 64 };

/* A branch of a predictor made of counter tables: the entries that learn, and the outcome. */
struct warm_branch {
	uint32_t *history;
	uint8_t *bimodal, *l2;
	uint8_t *meta; /* NULL: both components agreed */
	bool taken, l2_right;
};
/* A branch of any other predictor. */
struct warm_any_branch {
	uint64_t pc, target;
	uint64_t predicted; /* pc of the next instruction, by the look-up */
	struct inst inst;
	struct bpred_mark mark;
	bool taken;
};
struct bpred_warm {
	struct bpred *bpred; /* borrowed */
	uint64_t width;      /* instructions of a fetch group, at most WARM_LATE */
	uint64_t group;      /* instructions executed before the first one of the current group */
	uint32_t shift;      /* low bits of an address that no index uses */
	void (*settle)(struct bpred_warm *w); /* makes all branches of the group learn */
	uint32_t count;      /* branches of the group that have not learnt yet, in one of these: */
	struct warm_branch late[WARM_LATE];
	struct warm_any_branch late_any[WARM_LATE];
};

void bpred_warm_begin(struct bpred_warm *w, struct bpred *b, uint64_t fetch_width);
/* Makes all branches of the group learn. */
void bpred_warm_settle(struct bpred_warm *w);

/* For predictors' own functions. Looks a branch's target up if it was predicted taken, and learns
 * it. */
static inline void bpred_warm_learn_target(struct bpred *b, uint64_t pc, bool predicted, bool taken,
                                           uint64_t target)
{
	const struct btb_entry *e;
	if (!b->btb_ways)
		return;
	e = predicted ? btb_find(b, pc) : NULL;
	if (taken && !(e && e->target == target))
		btb_learn(b, pc, target);
}
/* Ends a group with several branches: all learn. */
__attribute__((noinline)) void bpred_warm_end_several(struct bpred_warm *w, uint64_t pc,
                                                      bool predicted, bool taken, uint64_t target,
                                                      uint64_t insts);

/* Functions to call for each conditional branch, and each jump; their context is a struct
 * bpred_warm of this predictor. */
warm_control_fn *bpred_warm_branch(const struct bpred *b);
warm_control_fn *bpred_warm_jump(const struct bpred *b);

#endif
