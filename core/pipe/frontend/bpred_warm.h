/* Warms the branch predictor while a program executes without timing: look-up and learning, without
 * statistics and marks.
 *
 * A pipeline looks up at fetch and learns at dispatch or later, so that a look-up does not know the
 * last outcomes, and tables are taught where a history without these leads. What is fetched in one
 * cycle can't know of each other: so the branches of a fetch group, which ends behind its width and
 * behind a branch that is taken, or predicted to be, learn together here. How full the fetch queue
 * is nobody knows without time; behind a misprediction it is empty.
 *
 * Inlined, for every branch comes here: the caller names the kind of predictor as a constant. */
#ifndef CYCLOPS_CORE_PIPE_FRONTEND_BPRED_WARM_H
#define CYCLOPS_CORE_PIPE_FRONTEND_BPRED_WARM_H

#include "core/pipe/frontend/bpred.h"
#include "core/pipe/frontend/bpred_counter.h"

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
/* A branch or jump executes, with so many instructions before it. */
void bpred_warm(struct bpred_warm *w, uint64_t pc, const struct inst *in, bool taken,
                uint64_t target, uint64_t insts);

/* ---- the same, where the caller knows the kind ---- */

/* Any kind of predictor, branches and jumps; needed where no table decides, or histories shift at
 * fetch. */
void bpred_warm_any(struct bpred_warm *w, uint64_t pc, const struct inst *in, bool taken,
                    uint64_t target, uint64_t insts);
/* A jump, where tables decide or directions are fixed. */
void bpred_warm_jump(struct bpred_warm *w, uint64_t pc, const struct inst *in, uint64_t target,
                     uint64_t insts);

static inline void warm_learn(struct bpred *b, enum bpred_kind kind, const struct warm_branch *x)
{
	if (kind == BPRED_COMBINED && x->meta)
		count_outcome(x->meta, x->l2_right);
	if (kind == BPRED_COMBINED || kind == BPRED_BIMODAL)
		count_outcome(x->bimodal, x->taken);
	if (kind != BPRED_BIMODAL) {
		count_outcome(x->l2, x->taken);
		*x->history = (*x->history << 1 | x->taken) & b->history_mask;
	}
}

/* What follows of the branch below. */
void bpred_warm_again(struct bpred_warm *w, uint64_t pc, const struct inst *in, bool taken,
                      uint64_t target, uint64_t insts);
void bpred_warm_last(struct bpred_warm *w, uint64_t pc, bool predicted, bool taken,
                     uint64_t target, uint64_t insts);
void bpred_warm_target(struct bpred *b, uint64_t pc, bool predicted, bool taken, uint64_t target);

/* A conditional branch of a kind that tables decide, with bpred.update=dispatch or commit. What is
 * seldom is called last, so that the rest needs no frame. */
static inline __attribute__((always_inline)) void
bpred_warm_branch(struct bpred_warm *w, enum bpred_kind kind, uint64_t pc, const struct inst *in,
                  bool taken, uint64_t target, uint64_t insts)
{
	struct bpred *b = w->bpred;
	const uint32_t word = (uint32_t)(pc >> w->shift);
	const uint64_t past = insts - w->group;
	if (past >= w->width) {
		if (w->count) {
			bpred_warm_again(w, pc, in, taken, target, insts);
			return;
		}
		w->group = past < 2 * w->width ? w->group + w->width : insts - past % w->width;
	}
	assert(w->count < WARM_LATE);
	struct warm_branch *x = &w->late[w->count];
	bool from_bimodal = false, from_l2 = false;
	if (kind != BPRED_BIMODAL) {
		uint32_t *history = &b->history[word & b->l1_mask];
		const uint32_t l2 = kind == BPRED_GSHARE ? *history ^ word
		                                         : *history | word << b->history_bits;
		x->history = history;
		x->l2 = &b->l2[l2 & b->l2_mask];
		from_l2 = *x->l2 >= 2;
	}
	if (kind == BPRED_COMBINED || kind == BPRED_BIMODAL) {
		x->bimodal = &b->bimodal[word & b->bimodal_mask];
		from_bimodal = *x->bimodal >= 2;
	}
	bool predicted = kind == BPRED_BIMODAL ? from_bimodal : from_l2;
	if (kind == BPRED_COMBINED) {
		uint8_t *meta = &b->meta[word & b->meta_mask];
		x->meta = from_bimodal != from_l2 ? meta : NULL;
		x->l2_right = from_l2 == taken;
		if (*meta < 2)
			predicted = from_bimodal;
	}
	x->taken = taken;
	if (!(predicted || taken)) {
		w->count++;
	} else if (w->count) {
		w->count++;
		bpred_warm_last(w, pc, predicted, taken, target, insts);
	} else {
		warm_learn(b, kind, x);
		w->group = insts + 1;
		bpred_warm_target(b, pc, predicted, taken, target);
	}
}

/* The same where directions are fixed. */
static inline void bpred_warm_fixed(struct bpred_warm *w, uint64_t pc, bool taken, uint64_t target)
{
	const bool predicted = w->bpred->kind == BPRED_TAKEN;
	if (predicted || taken)
		bpred_warm_target(w->bpred, pc, predicted, taken, target);
}

#endif
