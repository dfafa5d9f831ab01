/* bpred.kind=btfn: a branch backward is taken, as at the end of a loop, one forward is not (Smith
 * 1981). */
#include "core/isa/inst.h"
#include "core/pipe/frontend/predictor.h"

static void btfn_predict(const struct bpred *b, const struct predictor_query *q,
                         struct bpred_mark *mark)
{
	(void)b;
	mark->flags = q->in->imm < 0 ? BPM_TAKEN : 0;
}

const struct predictor predictor_btfn = {
	.title = "backward taken",
	.believed = "bpred.kind=btfn takes backward branches only",
	.predict = btfn_predict,
};
