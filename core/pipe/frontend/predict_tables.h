/* Predictors made of the shared tables of two-bit counters, with the geometry of SimpleScalar and
 * McFarling's combining predictor: a file for each uses predict_tables_warm.h.
 *
 * Functions are inline, and which tables there are is a constant, since most branches go through
 * them. */
#ifndef CYCLOPS_CORE_PIPE_FRONTEND_PREDICT_TABLES_H
#define CYCLOPS_CORE_PIPE_FRONTEND_PREDICT_TABLES_H

#include "core/pipe/frontend/bpred_counter.h"
#include "core/pipe/frontend/predictor.h"

/* The tables of the default predictor, whose functions are inline in bpred.c, too. */
enum { TABLES_COMBINED = SHARED_BIMODAL | SHARED_TWO_LEVEL | SHARED_CHOOSER };

/* The index of the second level: address and history side by side, or their xor. */
enum tables_index { TABLES_CONCATENATE, TABLES_XOR };

static inline uint32_t tables_second_index(const struct bpred *b, enum tables_index how,
                                           uint32_t history, uint32_t word)
{
	return (how == TABLES_XOR ? history ^ word : history | word << b->history_bits) &
	       b->l2_mask;
}

static inline void tables_predict(const struct bpred *b, unsigned uses, enum tables_index how,
                                  uint64_t pc, struct bpred_mark *mark)
{
	const uint32_t word = (uint32_t)bpred_index(b, pc);
	uint32_t flags = 0;
	bool second = uses & SHARED_TWO_LEVEL;
	if (uses & SHARED_BIMODAL) {
		mark->bimodal = word & b->bimodal_mask;
		if (b->bimodal[mark->bimodal] >= 2)
			flags |= BPM_BIMODAL_TAKEN;
	}
	if (uses & SHARED_TWO_LEVEL) {
		mark->history_index = word & b->l1_mask;
		mark->l2 = tables_second_index(b, how, b->history[mark->history_index], word);
		if (b->l2[mark->l2] >= 2)
			flags |= BPM_L2_TAKEN;
	}
	if (uses & SHARED_CHOOSER) {
		mark->meta = word & b->meta_mask;
		second = b->meta[mark->meta] >= 2;
	}
	if (second)
		flags |= BPM_USED_L2 | (flags & BPM_L2_TAKEN ? BPM_TAKEN : 0);
	else
		flags |= flags & BPM_BIMODAL_TAKEN ? BPM_TAKEN : 0;
	mark->flags = (uint16_t)flags;
}

static inline void tables_learn(struct bpred *b, unsigned uses, bool taken, struct bpred_mark *mark)
{
	if (!b->learn_at_commit)
		mark->flags |= (uint16_t)(BPM_COUNTED |
		                          (unsigned)b->bimodal[mark->bimodal] << BPM_BIMODAL_SHIFT |
		                          (unsigned)b->l2[mark->l2] << BPM_L2_SHIFT |
		                          (unsigned)b->meta[mark->meta] << BPM_META_SHIFT);
	if (uses & SHARED_CHOOSER) {
		const bool bimodal_right = !(mark->flags & BPM_BIMODAL_TAKEN) != taken,
			   l2_right = !(mark->flags & BPM_L2_TAKEN) != taken;
		if (bimodal_right != l2_right)
			count_outcome(&b->meta[mark->meta], l2_right);
	}
	if (uses & SHARED_BIMODAL)
		count_outcome(&b->bimodal[mark->bimodal], taken);
	if (uses & SHARED_TWO_LEVEL)
		count_outcome(&b->l2[mark->l2], taken);
}

/* For descriptors, whatever the tables (predict_tables.c). */
void tables_undo(struct bpred *b, const struct bpred_mark *mark);
unsigned tables_parts(const struct bpred *b, const struct bpred_mark *mark,
                      struct predictor_part out[PREDICTOR_PARTS_MAX]);

#endif
