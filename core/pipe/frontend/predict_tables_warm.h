/* Warming of predictors made of the shared tables, with bpred.update=dispatch or commit; and
 * PREDICTOR_OF_TABLES(), the descriptor of such a predictor. */
#ifndef CYCLOPS_CORE_PIPE_FRONTEND_PREDICT_TABLES_WARM_H
#define CYCLOPS_CORE_PIPE_FRONTEND_PREDICT_TABLES_WARM_H

#include "core/pipe/frontend/bpred_warm.h"
#include "core/pipe/frontend/predict_tables.h"

static inline void tables_warm_learn(struct bpred *b, unsigned uses, const struct warm_branch *x)
{
	if (uses & SHARED_CHOOSER && x->meta)
		count_outcome(x->meta, x->l2_right);
	if (uses & SHARED_BIMODAL)
		count_outcome(x->bimodal, x->taken);
	if (uses & SHARED_TWO_LEVEL) {
		count_outcome(x->l2, x->taken);
		*x->history = (*x->history << 1 | x->taken) & b->history_mask;
	}
}

static inline void tables_warm_settle(struct bpred_warm *w, unsigned uses)
{
	for (uint32_t i = 0; i < w->count; i++)
		tables_warm_learn(w->bpred, uses, &w->late[i]);
	w->count = 0;
}

/* Looks up a branch; it learns at once if it ends the group. Earlier groups must have learnt. */
static inline __attribute__((always_inline)) void
tables_warm_look_up(struct bpred_warm *w, unsigned uses, enum tables_index how, uint64_t pc,
                    bool taken, uint64_t target, uint64_t insts)
{
	struct bpred *b = w->bpred;
	const uint32_t word = (uint32_t)(pc >> w->shift);
	assert(w->count < WARM_LATE);
	struct warm_branch *x = &w->late[w->count];
	bool from_bimodal = false, from_l2 = false;
	if (uses & SHARED_TWO_LEVEL) {
		x->history = &b->history[word & b->l1_mask];
		x->l2 = &b->l2[tables_second_index(b, how, *x->history, word)];
		from_l2 = *x->l2 >= 2;
	}
	if (uses & SHARED_BIMODAL) {
		x->bimodal = &b->bimodal[word & b->bimodal_mask];
		from_bimodal = *x->bimodal >= 2;
	}
	bool predicted = uses & SHARED_TWO_LEVEL ? from_l2 : from_bimodal;
	if (uses & SHARED_CHOOSER) {
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
		bpred_warm_end_several(w, pc, predicted, taken, target, insts);
	} else {
		tables_warm_learn(b, uses, x);
		w->group = insts + 1;
		bpred_warm_learn_target(b, pc, predicted, taken, target);
	}
}

/* The descriptor predictor_<name> and its functions. In warming, rare cases are tail calls, so that
 * the rest needs no stack frame. */
#define PREDICTOR_OF_TABLES(name, its_title, uses, how)                                            \
	static void name##_predict(const struct bpred *b, const struct predictor_query *q,         \
	                           struct bpred_mark *mark)                                        \
	{                                                                                          \
		tables_predict(b, uses, how, q->pc, mark);                                         \
	}                                                                                          \
	static void name##_learn(struct bpred *b, bool taken, struct bpred_mark *mark)             \
	{                                                                                          \
		tables_learn(b, uses, taken, mark);                                                \
	}                                                                                          \
	static void name##_warm_settle(struct bpred_warm *w)                                       \
	{                                                                                          \
		tables_warm_settle(w, uses);                                                       \
	}                                                                                          \
	static __attribute__((noinline)) void name##_warm_group(                                   \
		struct bpred_warm *w, uint64_t pc, bool taken, uint64_t target, uint64_t insts)    \
	{                                                                                          \
		tables_warm_settle(w, uses);                                                       \
		w->group = insts - (insts - w->group) % w->width;                                  \
		tables_warm_look_up(w, uses, how, pc, taken, target, insts);                       \
	}                                                                                          \
	static void name##_warm(void *ctx, uint64_t pc, const struct inst *in, bool taken,         \
	                        uint64_t target, uint64_t insts)                                   \
	{                                                                                          \
		struct bpred_warm *w = ctx;                                                        \
		const uint64_t past = insts - w->group;                                            \
		(void)in;                                                                          \
		if (past >= w->width) {                                                            \
			if (w->count) {                                                            \
				name##_warm_group(w, pc, taken, target, insts);                    \
				return;                                                            \
			}                                                                          \
			w->group = past < 2 * w->width ? w->group + w->width                       \
			                               : insts - past % w->width;                  \
		}                                                                                  \
		tables_warm_look_up(w, uses, how, pc, taken, target, insts);                       \
	}                                                                                          \
	const struct predictor predictor_##name = {                                                \
		.title = its_title,                                                                \
		.shared = uses,                                                                    \
		.history = (uses)&SHARED_TWO_LEVEL,                                                \
		.predict = name##_predict,                                                         \
		.learn = name##_learn,                                                             \
		.undo = tables_undo,                                                               \
		.warm = name##_warm,                                                               \
		.warm_settle = name##_warm_settle,                                                 \
		.parts = tables_parts,                                                             \
	};

#endif
