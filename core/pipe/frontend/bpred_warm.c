#include "core/pipe/frontend/bpred_warm.h"

#include "core/defs/config_fields.h"
#include "core/pipe/frontend/bpred.h"
#include "core/pipe/frontend/btb.h"
#include "core/pipe/frontend/ras.h"

static inline void warm_learn(struct bpred *b, const struct warm_branch *x)
{
	uint8_t *bimodal = &b->bimodal[x->bimodal], *l2 = &b->l2[x->l2];
	const bool taken = x->flags & WARM_TAKEN, from_bimodal = x->flags & WARM_BIMODAL,
		   from_l2 = x->flags & WARM_L2;
	if (b->kind == BPRED_COMBINED && from_bimodal != from_l2)
		bpred_count(&b->meta[x->meta], from_l2 == taken);
	if (b->kind == BPRED_COMBINED || b->kind == BPRED_BIMODAL)
		bpred_count(bimodal, taken);
	if (b->kind != BPRED_BIMODAL) {
		uint32_t *history = &b->history[x->history];
		bpred_count(l2, taken);
		*history = (*history << 1 | taken) & b->history_mask;
	}
}

/* Of any kind. */
static void warm_learn_any(struct bpred *b, struct warm_branch *x)
{
	bpred_learn(b, x->pc, &x->inst, x->flags & WARM_TAKEN, x->target, &x->mark);
	if (b->kind == BPRED_EXTERNAL && (inst_flags(&x->inst) & OPF_BRANCH))
		bpred_tell(b, x->pc, x->flags & WARM_TAKEN, &x->mark);
}

void bpred_warm_settle(struct bpred *b, struct bpred_warm *w)
{
	for (uint32_t i = 0; i < w->count; i++)
		if (w->any)
			warm_learn_any(b, &w->late[i]);
		else
			warm_learn(b, &w->late[i]);
	w->count = 0;
}

/* The instruction behind this one is fetched in another cycle. */
static inline void next_group(struct bpred *b, struct bpred_warm *w, uint64_t insts)
{
	bpred_warm_settle(b, w);
	w->group = insts + 1;
}

/* A place for a branch in the present group, or in the next. */
static inline struct warm_branch *enter_group(struct bpred *b, struct bpred_warm *w, uint64_t insts)
{
	if (insts - w->group >= w->width) {
		bpred_warm_settle(b, w);
		w->group = insts - (insts - w->group) % w->width;
	}
	assert(w->count < WARM_LATE);
	return &w->late[w->count++];
}

/* Of any kind, as fetch and dispatch would have it. */
static __attribute__((noinline)) void warm_any(struct bpred *b, struct bpred_warm *w, uint64_t pc,
                                               const struct inst *in, bool taken, uint64_t target,
                                               uint64_t insts)
{
	const bool branch = inst_flags(in) & OPF_BRANCH;
	w->any = true;
	if (!branch)
		bpred_warm_settle(b, w);
	struct warm_branch *x = enter_group(b, w, insts);
	x->pc = pc;
	x->target = target;
	x->inst = *in;
	x->flags = taken ? WARM_TAKEN : 0;
	bpred_lookup(b, pc, in, &x->mark, NULL);
	const bool predicted = x->mark.flags & BPM_TAKEN;
	if (branch && predicted != taken)
		bpred_resolve(b, taken, &x->mark);
	if (predicted || taken)
		next_group(b, w, insts);
}

/* A conditional branch of the kinds that tables decide; returns what was predicted. */
static inline bool warm_direction(struct bpred *b, struct bpred_warm *w, uint64_t pc, bool taken,
                                  uint64_t insts)
{
	const uint32_t word = (uint32_t)bpred_index(b, pc);
	if (b->kind == BPRED_TAKEN || b->kind == BPRED_NOTTAKEN)
		return b->kind == BPRED_TAKEN;
	struct warm_branch *x = enter_group(b, w, insts);
	x->bimodal = word & b->bimodal_mask;
	x->history = word & b->l1_mask;
	x->meta = word & b->meta_mask;
	const uint32_t history = b->history[x->history];
	x->l2 = (b->kind == BPRED_GSHARE ? history ^ word
	                                 : history | word << b->cfg->bpred_history) &
	        b->l2_mask;
	const bool from_bimodal = b->bimodal[x->bimodal] >= 2, from_l2 = b->l2[x->l2] >= 2;
	x->flags = (taken ? WARM_TAKEN : 0u) | (from_bimodal ? WARM_BIMODAL : 0u) |
	           (from_l2 ? WARM_L2 : 0u);
	const bool predicted = b->kind == BPRED_BIMODAL ||
	                                       (b->kind == BPRED_COMBINED && b->meta[x->meta] < 2)
	                               ? from_bimodal
	                               : from_l2;
	if (predicted || taken)
		next_group(b, w, insts);
	return predicted;
}

/* What tables decide, without the marks from which a pipeline takes it back. */
void bpred_warm(struct bpred *b, struct bpred_warm *w, uint64_t pc, const struct inst *in,
                bool taken, uint64_t target, uint64_t insts)
{
	const struct btb_entry *e = NULL;
	if (b->kind == BPRED_PERFECT)
		return;
	if (b->kind == BPRED_EXTERNAL || b->kind == BPRED_PERCEPTRON || b->history_at_fetch) {
		warm_any(b, w, pc, in, taken, target, insts);
		return;
	}
	if (inst_flags(in) & OPF_BRANCH) {
		const bool predicted = warm_direction(b, w, pc, taken, insts);
		if (!b->btb_ways || !(predicted || taken))
			return;
		if (predicted)
			e = btb_find(b, pc);
	} else {
		struct bpred_mark mark = {.flags = 0};
		uint64_t from_ras;
		next_group(b, w, insts);
		const bool popped = inst_pops_ras(in) && ras_pop(b, &mark, &from_ras);
		if (inst_pushes_ras(in))
			ras_push(b, &mark, pc + in->len);
		if (popped || !b->btb_ways)
			return;
		e = btb_find(b, pc);
	}
	if (taken && !(e && e->target == target))
		btb_learn(b, pc, target);
}
