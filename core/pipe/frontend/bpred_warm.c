#include "core/pipe/frontend/bpred_warm.h"

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

static bool decided_by_tables(const struct bpred *b)
{
	return b->kind <= BPRED_COMBINED && !b->history_at_fetch;
}

static void learn_any(struct bpred *b, struct warm_any_branch *x)
{
	bpred_learn(b, x->pc, &x->inst, x->taken, x->target, &x->mark);
	if (b->kind == BPRED_EXTERNAL && (inst_flags(&x->inst) & OPF_BRANCH))
		bpred_tell(b, x->pc, x->taken, &x->mark);
}

void bpred_warm_settle(struct bpred_warm *w)
{
	struct bpred *b = w->bpred;
	const bool tables = decided_by_tables(b);
	for (uint32_t i = 0; i < w->count; i++)
		if (tables)
			warm_learn(b, b->kind, &w->late[i]);
		else
			learn_any(b, &w->late_any[i]);
	w->count = 0;
}

/* The instruction behind this one is fetched in another cycle. */
static void end_group(struct bpred_warm *w, uint64_t insts)
{
	bpred_warm_settle(w);
	w->group = insts + 1;
}

void bpred_warm_target(struct bpred *b, uint64_t pc, bool predicted, bool taken, uint64_t target)
{
	const struct btb_entry *e;
	if (!b->btb_ways)
		return;
	e = predicted ? btb_find(b, pc) : NULL;
	if (taken && !(e && e->target == target))
		btb_learn(b, pc, target);
}

void bpred_warm_last(struct bpred_warm *w, uint64_t pc, bool predicted, bool taken, uint64_t target,
                     uint64_t insts)
{
	end_group(w, insts);
	bpred_warm_target(w->bpred, pc, predicted, taken, target);
}

void bpred_warm_any(struct bpred_warm *w, uint64_t pc, const struct inst *in, bool taken,
                    uint64_t target, uint64_t insts)
{
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

void bpred_warm_jump(struct bpred_warm *w, uint64_t pc, const struct inst *in, uint64_t target,
                     uint64_t insts)
{
	struct bpred *b = w->bpred;
	struct bpred_mark mark = {.flags = 0};
	uint64_t from_ras;
	end_group(w, insts);
	const bool popped = inst_pops_ras(in) && ras_pop(b, &mark, &from_ras);
	if (inst_pushes_ras(in))
		ras_push(b, &mark, pc + in->len);
	if (!popped)
		bpred_warm_target(b, pc, true, true, target);
}

void bpred_warm(struct bpred_warm *w, uint64_t pc, const struct inst *in, bool taken,
                uint64_t target, uint64_t insts)
{
	const struct bpred *b = w->bpred;
	if (b->kind == BPRED_PERFECT)
		return;
	if (b->kind == BPRED_EXTERNAL || b->kind == BPRED_PERCEPTRON || b->history_at_fetch)
		bpred_warm_any(w, pc, in, taken, target, insts);
	else if (!(inst_flags(in) & OPF_BRANCH))
		bpred_warm_jump(w, pc, in, target, insts);
	else if (b->kind == BPRED_BIMODAL)
		bpred_warm_branch(w, BPRED_BIMODAL, pc, in, taken, target, insts);
	else if (b->kind == BPRED_TWOLEVEL)
		bpred_warm_branch(w, BPRED_TWOLEVEL, pc, in, taken, target, insts);
	else if (b->kind == BPRED_GSHARE)
		bpred_warm_branch(w, BPRED_GSHARE, pc, in, taken, target, insts);
	else if (b->kind == BPRED_COMBINED)
		bpred_warm_branch(w, BPRED_COMBINED, pc, in, taken, target, insts);
	else
		bpred_warm_fixed(w, pc, taken, target);
}

void bpred_warm_again(struct bpred_warm *w, uint64_t pc, const struct inst *in, bool taken,
                      uint64_t target, uint64_t insts)
{
	bpred_warm_settle(w);
	bpred_warm(w, pc, in, taken, target, insts);
}
