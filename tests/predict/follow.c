#include "tests/predict/follow.h"
#include "core/isa/op.h"

#include "core/defs/kinds.h"

#define MODEL_DECLARE(id, name, ...) extern const struct direction_model model_##name;
#define NO_MODEL(...)
BPRED_ROWS(MODEL_DECLARE, NO_MODEL)

static bool link_register(unsigned r)
{
	return r == 1 || r == 5;
}

struct branch branch_of(const struct uop *u)
{
	const struct inst *in = &u->inst;
	struct branch b = {
		.seq = u->seq, .pc = u->pc, .behind = u->pc + in->len, .class = CONDITIONAL};
	if (in->op == OP_JAL || in->op == OP_JALR) {
		b.class = in->op == OP_JAL ? JUMP : INDIRECT;
		b.call = link_register(in->rd);
		b.returns = in->op == OP_JALR && link_register(in->rs1) &&
		            !(b.call && in->rd == in->rs1);
	} else {
		b.backward = in->imm < 0;
	}
	if (u->flags & UF_EXECUTED) {
		b.taken = b.class != CONDITIONAL || u->exec.taken;
		b.next = u->exec.next_pc;
	}
	return b;
}

struct model *model_of(const struct config *c)
{
#define MODEL_ROW(id, name, ...) [BPRED_##id] = &model_##name,
	static const struct direction_model *const models[BPRED_KINDS] = {
		BPRED_ROWS(MODEL_ROW, NO_MODEL)};
	if (!models[c->bpred_kind])
		return NULL;
	struct model_options o = {
		.by = models[c->bpred_kind],
		.update = (enum model_update)c->bpred_update,
		.perceptrons = (unsigned)c->bpred_perceptrons,
		.bimodal = (unsigned)c->bpred_bimodal,
		.histories = (unsigned)c->bpred_l1,
		.second = (unsigned)c->bpred_l2,
		.chooser = (unsigned)c->bpred_meta,
		.history_bits = (unsigned)c->bpred_history,
		.btb_sets = (unsigned)c->btb_sets,
		.btb_ways = (unsigned)c->btb_ways,
		.ras = (unsigned)c->ras_size,
	};
	return model_new(&o);
}

void follow(struct model *m, const struct uop *u, const struct event *ev)
{
	const struct branch b = branch_of(u);
	if (ev->id == EV_DISPATCH && !ev->dispatch.wrong_path)
		model_dispatch(m, &b);
	else if (ev->id == EV_RESOLVE)
		model_resolve(m, &b);
	else if (ev->id == EV_LEAVE && ev->leave.retired)
		model_commit(m, &b);
	else if (ev->id == EV_LEAVE)
		model_squash(m, b.seq);
}
