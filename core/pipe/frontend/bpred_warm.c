#include "core/pipe/frontend/bpred_warm.h"

#include "core/pipe/frontend/bpred_counter.h"
#include "core/pipe/frontend/btb.h"
#include "core/pipe/frontend/ras.h"

void bpred_warm_begin(struct bpred_warm *w, struct bpred *b, uint64_t fetch_width)
{
	w->bpred = b;
	w->width = fetch_width < WARM_LATE ? fetch_width : WARM_LATE;
	w->group = 0;
	w->shift = b->index_shift + b->st->words;
	w->count = 0;
}

/* ---- learning ---- */
static inline void bpred_warm_train_counters(struct bpred *b, enum bpred_kind kind,
                                             const struct warm_branch *x)
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

static inline void learn_all(struct bpred_warm *w, enum bpred_kind kind)
{
	for (uint32_t i = 0; i < w->count; i++)
		bpred_warm_train_counters(w->bpred, kind, &w->late[i]);
	w->count = 0;
}

static void learn_any(struct bpred *b, struct warm_any_branch *x)
{
	bpred_learn(b, x->pc, &x->inst, x->taken, x->target, &x->mark);
	if (b->kind == BPRED_EXTERNAL && (inst_flags(&x->inst) & OPF_BRANCH))
		bpred_tell(b, x->pc, x->taken, &x->mark);
}

static bool decided_by_tables(const struct bpred *b)
{
	return b->kind <= BPRED_COMBINED && !b->history_at_fetch;
}

void bpred_warm_settle(struct bpred_warm *w)
{
	struct bpred *b = w->bpred;
	if (decided_by_tables(b)) {
		learn_all(w, b->kind);
		return;
	}
	for (uint32_t i = 0; i < w->count; i++)
		learn_any(b, &w->late_any[i]);
	w->count = 0;
}

/* Ends the fetch group after this instruction: all of it learns. */
static inline void end_group(struct bpred_warm *w, uint64_t insts)
{
	if (w->count)
		bpred_warm_settle(w);
	w->group = insts + 1;
}

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

/* ---- branches that tables decide, with bpred.update=dispatch or commit ---- */
/* Ends a group with several branches: all learn. */
static __attribute__((noinline)) void last_of_several(struct bpred_warm *w, uint64_t pc,
                                                      bool predicted, bool taken, uint64_t target,
                                                      uint64_t insts)
{
	end_group(w, insts);
	bpred_warm_learn_target(w->bpred, pc, predicted, taken, target);
}

/* Looks up a branch; it learns at once if it ends the group. Earlier groups must have learnt. */
static inline __attribute__((always_inline)) void
bpred_warm_lookup_branch(struct bpred_warm *w, enum bpred_kind kind, uint64_t pc, bool taken,
                         uint64_t target, uint64_t insts)
{
	struct bpred *b = w->bpred;
	const uint32_t word = (uint32_t)(pc >> w->shift);
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
		last_of_several(w, pc, predicted, taken, target, insts);
	} else {
		bpred_warm_train_counters(b, kind, x);
		w->group = insts + 1;
		bpred_warm_learn_target(b, pc, predicted, taken, target);
	}
}

/* One function per kind, so that the kind is a constant. Rare cases are tail calls, so that the
 * rest needs no stack frame. */
#define BRANCH_OF(name, kind)                                                                      \
	static __attribute__((noinline)) void name##_behind_others(                                \
		struct bpred_warm *w, uint64_t pc, bool taken, uint64_t target, uint64_t insts)    \
	{                                                                                          \
		learn_all(w, kind);                                                                \
		w->group = insts - (insts - w->group) % w->width;                                  \
		bpred_warm_lookup_branch(w, kind, pc, taken, target, insts);                       \
	}                                                                                          \
	static void name(void *ctx, uint64_t pc, const struct inst *in, bool taken,                \
	                 uint64_t target, uint64_t insts)                                          \
	{                                                                                          \
		struct bpred_warm *w = ctx;                                                        \
		const uint64_t past = insts - w->group;                                            \
		(void)in;                                                                          \
		if (past >= w->width) {                                                            \
			if (w->count) {                                                            \
				name##_behind_others(w, pc, taken, target, insts);                 \
				return;                                                            \
			}                                                                          \
			w->group = past < 2 * w->width ? w->group + w->width                       \
			                               : insts - past % w->width;                  \
		}                                                                                  \
		bpred_warm_lookup_branch(w, kind, pc, taken, target, insts);                       \
	}
BRANCH_OF(bimodal, BPRED_BIMODAL)
BRANCH_OF(twolevel, BPRED_TWOLEVEL)
BRANCH_OF(gshare, BPRED_GSHARE)
BRANCH_OF(combined, BPRED_COMBINED)

/* ---- other control ---- */
/* A jump, for kinds of warm_branch and fixed directions. */
static void bpred_warm_on_jump(void *ctx, uint64_t pc, const struct inst *in, bool taken,
                               uint64_t target, uint64_t insts)
{
	struct bpred_warm *w = ctx;
	struct bpred *b = w->bpred;
	struct bpred_mark mark;
	uint64_t from_ras;
	(void)taken;
	mark.flags = 0;
	end_group(w, insts);
	const bool popped = inst_pops_ras(in) && ras_pop(b, &mark, &from_ras);
	if (inst_pushes_ras(in))
		ras_push(b, &mark, pc + in->len);
	if (!popped)
		bpred_warm_learn_target(b, pc, true, true, target);
}

/* A branch of a predictor with a fixed direction. */
static void bpred_warm_on_fixed_branch(void *ctx, uint64_t pc, const struct inst *in, bool taken,
                                       uint64_t target, uint64_t insts)
{
	struct bpred *b = ((struct bpred_warm *)ctx)->bpred;
	const bool predicted = b->kind == BPRED_TAKEN;
	(void)in;
	(void)insts;
	if (predicted || taken)
		bpred_warm_learn_target(b, pc, predicted, taken, target);
}

/* A branch or jump for any kind; used by kinds without warm_branch, or whose histories shift at
 * fetch. */
static void bpred_warm_on_any_control(void *ctx, uint64_t pc, const struct inst *in, bool taken,
                                      uint64_t target, uint64_t insts)
{
	struct bpred_warm *w = ctx;
	struct bpred *b = w->bpred;
	const bool branch = inst_flags(in) & OPF_BRANCH;
	if (!branch)
		bpred_warm_settle(w);
	if (insts - w->group >= w->width) {
		bpred_warm_settle(w);
		w->group = insts - (insts - w->group) % w->width;
	}
	assert(w->count < WARM_LATE);
	struct warm_any_branch *x = &w->late_any[w->count++];
	*x = (struct warm_any_branch){.pc = pc, .target = target, .inst = *in, .taken = taken};
	(void)bpred_lookup(b, pc, in, &x->mark, NULL);
	const bool predicted = x->mark.flags & BPM_TAKEN;
	if (branch && predicted != taken)
		bpred_resolve(b, taken, &x->mark);
	if (predicted || taken)
		end_group(w, insts);
}

static void bpred_warm_ignore_control(void *ctx, uint64_t pc, const struct inst *in, bool taken,
                                      uint64_t target, uint64_t insts)
{
	(void)ctx;
	(void)pc;
	(void)in;
	(void)taken;
	(void)target;
	(void)insts;
}

warm_control_fn *bpred_warm_branch(const struct bpred *b)
{
	if (b->history_at_fetch)
		return bpred_warm_on_any_control;
	switch (b->kind) {
	case BPRED_BIMODAL: return bimodal;
	case BPRED_TWOLEVEL: return twolevel;
	case BPRED_GSHARE: return gshare;
	case BPRED_COMBINED: return combined;
	case BPRED_TAKEN:
	case BPRED_NOTTAKEN:
		return bpred_warm_on_fixed_branch;
	case BPRED_EXTERNAL:
	case BPRED_PERCEPTRON:
		return bpred_warm_on_any_control;
	case BPRED_PERFECT: break;
	}
	return bpred_warm_ignore_control;
}

warm_control_fn *bpred_warm_jump(const struct bpred *b)
{
	warm_control_fn *branch = bpred_warm_branch(b);
	return branch == bpred_warm_on_any_control || branch == bpred_warm_ignore_control
	               ? branch
	               : bpred_warm_on_jump;
}
