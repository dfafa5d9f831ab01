/* bpred.kind=external: a plug-in predicts. It learns when a branch commits, since its learning
 * can't be taken back; histories are the machine's. */
#include "core/pipe/frontend/outcomes.h"
#include "core/pipe/frontend/predictor.h"
#include "core/pipe/frontend/speculated.h"
#include "core/pipe/plugin.h"

/* The mark's ras_value, which a conditional branch does not use, keeps the history passed to the
 * plug-in; bimodal the head of the long history; l2 that head before this branch's outcome was
 * shifted in. */
static size_t external_place(struct bpred *b)
{
	b->mark_most[0] = b->mark_most[1] = OUTCOMES_RING - 1;
	return sizeof(struct outcomes);
}

static struct plugin_branch external_branch(const struct bpred *b, uint64_t pc,
                                            const struct bpred_mark *mark)
{
	return (struct plugin_branch){.pc = pc,
	                              .bits = (uint32_t)mark->ras_value,
	                              .history = {.outcomes = b->own,
	                                          .head = mark->bimodal,
	                                          .path = &b->speculated->path,
	                                          .path_head = speculated_path_head(b, mark)}};
}

static void external_predict(const struct bpred *b, const struct predictor_query *q,
                             struct bpred_mark *mark)
{
	mark->history_index = (uint32_t)bpred_index(b, q->pc) & b->l1_mask;
	mark->ras_value = b->history[mark->history_index];
	mark->bimodal = ((const struct outcomes *)b->own)->head;
	const struct plugin_branch branch = external_branch(b, q->pc, mark);
	if (q->view ? plugins_peek(b->plugins, &branch)
	            : plugins_predict(b->plugins, &branch, q->fetch))
		mark->flags = BPM_TAKEN;
}

static void external_shifted(struct bpred *b, bool taken, struct bpred_mark *mark)
{
	struct outcomes *o = b->own;
	mark->l2 = o->head;
	outcomes_push(o, taken);
}

static void external_unshifted(struct bpred *b, const struct bpred_mark *mark)
{
	((struct outcomes *)b->own)->head = mark->l2;
}

static void external_retired(struct bpred *b, uint64_t pc, bool taken,
                             const struct bpred_mark *mark)
{
	struct plugin_branch branch = external_branch(b, pc, mark);
	branch.taken = taken;
	branch.predicted = (mark->flags & BPM_TAKEN) != 0;
	plugins_update(b->plugins, &branch);
}

static uint32_t external_history_used(const struct bpred *b, const struct bpred_mark *mark)
{
	(void)b;
	return (uint32_t)mark->ras_value;
}

static void external_ranges(const struct bpred *b, struct ranges *rs)
{
	const struct outcomes *o = b->own;
	RANGE(rs, "outcomes", o, 1, head, RANGE_MOST, OUTCOMES_RING - 1);
}

const struct predictor predictor_external = {
	.title = "a plug-in",
	.believed = "a plug-in predicts it",
	.history = true,
	.place = external_place,
	.predict = external_predict,
	.shifted = external_shifted,
	.unshifted = external_unshifted,
	.retired = external_retired,
	.history_used = external_history_used,
	.ranges = external_ranges,
};
