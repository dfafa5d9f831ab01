/* bpred.kind=external: a plug-in predicts. It learns when a branch commits, since its learning
 * can't be taken back; histories are the machine's. */
#include "core/pipe/frontend/predictor.h"
#include "core/pipe/plugin.h"

/* The mark keeps the history passed to the plug-in, in ras_value, which a conditional branch does
 * not use. */
static void external_predict(const struct bpred *b, const struct predictor_query *q,
                             struct bpred_mark *mark)
{
	mark->history_index = (uint32_t)bpred_index(b, q->pc) & b->l1_mask;
	const uint32_t history = b->history[mark->history_index];
	mark->ras_value = history;
	if (q->view ? plugins_peek(b->plugins, q->pc, history)
	            : plugins_predict(b->plugins, q->pc, history))
		mark->flags = BPM_TAKEN;
}

static void external_retired(struct bpred *b, uint64_t pc, bool taken,
                             const struct bpred_mark *mark)
{
	const struct plugin_branch branch = {
		.pc = pc,
		.history = (uint32_t)mark->ras_value,
		.taken = taken,
		.predicted = (mark->flags & BPM_TAKEN) != 0,
	};
	plugins_update(b->plugins, &branch);
}

static uint32_t external_history_used(const struct bpred *b, const struct bpred_mark *mark)
{
	(void)b;
	return (uint32_t)mark->ras_value;
}

const struct predictor predictor_external = {
	.title = "a plug-in",
	.believed = "a plug-in predicts it",
	.history = true,
	.predict = external_predict,
	.retired = external_retired,
	.history_used = external_history_used,
};
