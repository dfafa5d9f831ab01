/* bpred.kind=nottaken: no branch is taken. */
#include "core/pipe/frontend/bpred_warm.h"
#include "core/pipe/frontend/predictor.h"

static void nottaken_predict(const struct bpred *b, const struct predictor_query *q,
                             struct bpred_mark *mark)
{
	(void)b;
	(void)q;
	(void)mark;
}

static void nottaken_warm(void *ctx, uint64_t pc, const struct inst *in, bool taken,
                          uint64_t target, uint64_t insts)
{
	(void)in;
	(void)insts;
	bpred_warm_learn_target(((struct bpred_warm *)ctx)->bpred, pc, false, taken, target);
}

const struct predictor predictor_nottaken = {
	.title = "never taken",
	.believed = "bpred.kind predicts it for all",
	.predict = nottaken_predict,
	.warm = nottaken_warm,
};
