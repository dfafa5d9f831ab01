#include "core/pipe/frontend/bpred_warm.h"

#include "core/pipe/frontend/predictor.h"
#include "core/pipe/frontend/ras.h"
#include "core/pipe/frontend/speculated.h"

/* ---- learning ---- */
static struct speculated_control bpred_warm_control(const struct warm_any_branch *x)
{
	return (struct speculated_control){
		.pc = x->pc,
		.in = &x->inst,
		.taken = x->taken,
		.next = x->taken ? x->target : x->pc + x->inst.len,
		.predicted = x->predicted,
	};
}

static void learn_any(struct bpred *b, struct warm_any_branch *x)
{
	bpred_learn(b, x->pc, &x->inst, x->taken, x->target, &x->mark);
	if (!b->tells)
		return;
	const struct speculated_control c = bpred_warm_control(x);
	bpred_retired(b, &c, &x->mark);
}

/* Notifies plug-ins that the look-up is known to be right or wrong. */
static void bpred_warm_tell_plugins(struct bpred *b, const struct warm_any_branch *x)
{
	const struct speculated_control c = bpred_warm_control(x);
	bpred_resolved(b, &c, &x->mark);
	if (c.next != c.predicted)
		speculated_repair(b, &c, &x->mark);
}

static void bpred_warm_settle_any(struct bpred_warm *w)
{
	for (uint32_t i = 0; i < w->count; i++)
		learn_any(w->bpred, &w->late_any[i]);
	w->count = 0;
}

/* True if the predictor has warming functions of its own; they shift histories when they learn. */
static bool bpred_warm_by_itself(const struct bpred *b)
{
	return b->by->warm && !b->history_at_fetch && !b->speculated;
}

void bpred_warm_begin(struct bpred_warm *w, struct bpred *b, uint64_t fetch_width)
{
	w->bpred = b;
	w->width = fetch_width < WARM_LATE ? fetch_width : WARM_LATE;
	w->group = 0;
	w->shift = b->index_shift + b->st->words;
	w->count = 0;
	w->settle = bpred_warm_by_itself(b) && b->by->warm_settle ? b->by->warm_settle
	                                                         : bpred_warm_settle_any;
}

void bpred_warm_settle(struct bpred_warm *w)
{
	w->settle(w);
}

/* Ends the fetch group after this instruction: all of it learns. */
static inline void end_group(struct bpred_warm *w, uint64_t insts)
{
	if (w->count)
		bpred_warm_settle(w);
	w->group = insts + 1;
}

void bpred_warm_end_several(struct bpred_warm *w, uint64_t pc, bool predicted, bool taken,
                            uint64_t target, uint64_t insts)
{
	end_group(w, insts);
	bpred_warm_learn_target(w->bpred, pc, predicted, taken, target);
}

/* ---- other control ---- */
/* Warms a jump of predictors with warming functions. */
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

/* Warms a branch or jump of any predictor: for predictors without warming functions, or whose
 * histories shift at fetch. */
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
	x->predicted = bpred_lookup(b, pc, in, &x->mark, NULL);
	const bool predicted = x->mark.flags & BPM_TAKEN;
	if (branch && predicted != taken)
		bpred_resolve(b, taken, &x->mark);
	if (b->speculated)
		bpred_warm_tell_plugins(b, x);
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
	if (b->perfect)
		return bpred_warm_ignore_control;
	return bpred_warm_by_itself(b) ? b->by->warm : bpred_warm_on_any_control;
}

warm_control_fn *bpred_warm_jump(const struct bpred *b)
{
	return !b->perfect && bpred_warm_by_itself(b) ? bpred_warm_on_jump : bpred_warm_branch(b);
}
