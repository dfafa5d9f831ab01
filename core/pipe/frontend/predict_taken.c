/* bpred.kind=taken: every branch is taken. */
#include "core/pipe/frontend/bpred_warm.h"
#include "core/pipe/frontend/predictor.h"

static void taken_predict(const struct bpred *b, const struct predictor_query *q,
                          struct bpred_mark *mark)
{
	(void)b;
	(void)q;
	mark->flags = BPM_TAKEN;
}

static void taken_warm(void *ctx, uint64_t pc, const struct inst *in, bool taken, uint64_t target,
                       uint64_t insts)
{
	(void)in;
	(void)insts;
	bpred_warm_learn_target(((struct bpred_warm *)ctx)->bpred, pc, true, taken, target);
}

const struct predictor predictor_taken = {
	.title = "always taken",
	.believed = "bpred.kind predicts it for all",
	.predict = taken_predict,
	.warm = taken_warm,
};
