#include "core/pipe/frontend/bpred.h"

#include <string.h>

#include "core/defs/choices.h"
#include "core/defs/config_fields.h"
#include "core/defs/kinds.h"
#include "core/defs/stats_fields.h"
#include "core/pipe/frontend/btb.h"
#include "core/pipe/frontend/predict_tables.h"
#include "core/pipe/frontend/ras.h"
#include "core/pipe/frontend/speculated.h"
#include "core/pipe/plugin.h"

#define DECLARE(id, name, ...) extern const struct predictor predictor_##name;
BPRED_ROWS(DECLARE, DECLARE)

/* By enum bpred_kind. */
static const struct predictor *const predictors[BPRED_KINDS] = {
#define ROW(id, name, ...) &predictor_##name,
	BPRED_ROWS(ROW, ROW)
};

void bpred_place(struct bpred *b, const struct config *cfg, struct arena *a)
{
	const struct predictor *by = predictors[cfg->bpred_kind];
	const bool by_plugin = cfg->btb_kind == TARGETS_EXTERNAL && !by->foresees,
		   targets = cfg->btb_sets && !by->foresees && !by_plugin;
	*b = (struct bpred){
		.cfg = cfg,
		.by = by,
		.perfect = by->foresees,
		.tells = by->retired != NULL,
		.own_history = by->shifted != NULL,
		.learn_at_commit = cfg->bpred_update != 0,
		.history_at_fetch = cfg->bpred_update == 2 && by->history,
		.shifts_outcomes = cfg->bpred_update != 2 && by->history,
		.index_shift = cfg->bpred_shift ? (uint32_t)cfg->bpred_shift : 1,
		.bimodal_mask = (uint32_t)cfg->bpred_bimodal - 1,
		.l1_mask = (uint32_t)cfg->bpred_l1 - 1,
		.l2_mask = (uint32_t)cfg->bpred_l2 - 1,
		.meta_mask = (uint32_t)cfg->bpred_meta - 1,
		.btb_mask = targets ? (uint32_t)cfg->btb_sets - 1 : 0,
		.history_bits = (uint32_t)cfg->bpred_history,
		.history_mask = (UINT32_C(1) << cfg->bpred_history) - 1,
		.btb_ways = targets ? (uint32_t)cfg->btb_ways : 0,
		.ras_size = by->foresees ? 0 : (uint32_t)cfg->ras_size,
		.indirect_external = cfg->bpred_indirect == TARGETS_EXTERNAL && !by->foresees,
		.btb_external = by_plugin,
	};
	b->mark_most[0] = b->bimodal_mask;
	b->mark_most[1] = b->l2_mask;
	b->mark_most[2] = b->meta_mask;
	b->own_bytes = by->place ? by->place(b) : 0;
	b->st = arena_take(a, "predictor", 1, sizeof *b->st);
	b->bimodal = arena_take(a, "bimodal table", (size_t)cfg->bpred_bimodal, sizeof *b->bimodal);
	b->history = arena_take(a, "history registers", (size_t)cfg->bpred_l1, sizeof *b->history);
	b->l2 = arena_take(a, "second-level table", (size_t)cfg->bpred_l2, sizeof *b->l2);
	b->meta = arena_take(a, "chooser table", (size_t)cfg->bpred_meta, sizeof *b->meta);
	if (b->own_bytes)
		b->own = arena_take(a, "direction predictor", b->own_bytes, 1);
	b->btb = arena_take(a, "branch target buffer", ((size_t)b->btb_mask + 1) * b->btb_ways,
	                    sizeof *b->btb);
	while (b->btb_log_mask + 1 < (uint32_t)cfg->rob_size)
		b->btb_log_mask = b->btb_log_mask << 1 | 1;
	b->btb_log = arena_take(a, "target changes in flight", (size_t)b->btb_log_mask + 1,
	                        sizeof *b->btb_log);
	b->ras = arena_take(a, "return stack", b->ras_size, sizeof *b->ras);
	speculated_place(b, cfg, a);
	b->tells |= b->speculated != NULL;
	b->other = b->speculated || by != &predictor_combined;
}

/* Neighbouring counters start on either side of the threshold, as in SimpleScalar, so that no
 * direction is favoured. */
static void reset_counters(uint8_t *table, size_t n)
{
	for (size_t i = 0; i < n; i++)
		table[i] = i & 1 ? 2 : 1;
}

void bpred_reset(struct bpred *b)
{
	memset(b->st, 0, sizeof *b->st);
	reset_counters(b->bimodal, (size_t)b->bimodal_mask + 1);
	reset_counters(b->l2, (size_t)b->l2_mask + 1);
	reset_counters(b->meta, (size_t)b->meta_mask + 1);
	memset(b->history, 0, ((size_t)b->l1_mask + 1) * sizeof *b->history);
	if (b->own)
		memset(b->own, 0, b->own_bytes);
	memset(b->btb, 0, ((size_t)b->btb_mask + 1) * b->btb_ways * sizeof *b->btb);
	memset(b->btb_log, 0, ((size_t)b->btb_log_mask + 1) * sizeof *b->btb_log);
	memset(b->ras, 0, b->ras_size * sizeof *b->ras);
	speculated_reset(b);
}

/* ---- directions ---- */
void bpred_predict(const struct bpred *b, uint64_t pc, const struct inst *in, bool view,
                   struct bpred_mark *mark)
{
	*mark = (struct bpred_mark){0};
	b->by->predict(b, &(struct predictor_query){.pc = pc, .in = in, .view = view}, mark);
}

uint32_t bpred_history_used(const struct bpred *b, const struct bpred_mark *mark)
{
	if (b->by->history_used)
		return b->by->history_used(b, mark);
	return (mark->flags & BPM_HISTORY) || b->by->keeps_history
	               ? mark->old_history : b->history[mark->history_index];
}

static void shift_history(struct bpred *b, bool taken, bool speculative, struct bpred_mark *mark)
{
	uint32_t *history = &b->history[mark->history_index];
	if (speculative) {
		mark->old_history = *history;
		mark->flags |= BPM_HISTORY;
	}
	*history = (*history << 1 | taken) & b->history_mask;
}

/* The target in the target buffer; `next` if it has none. */
static inline uint64_t lookup_target(struct bpred *b, uint64_t pc, uint64_t next,
                                     struct bpred_mark *mark, struct stats *stats)
{
	if (!b->btb_ways)
		return next;
	if (stats)
		stats->btb_lookups++;
	const struct btb_entry *e = btb_find(b, pc);
	if (!e)
		return next;
	if (stats)
		stats->btb_hits++;
	mark->flags |= BPM_BTB_HIT;
	mark->btb = (uint32_t)(e - b->btb);
	return e->target;
}

static inline uint64_t bpred_follow(struct bpred *b, uint64_t pc, uint64_t next,
                                    struct bpred_mark *mark, struct stats *stats)
{
	if (b->history_at_fetch)
		shift_history(b, mark->flags & BPM_TAKEN, true, mark);
	return mark->flags & BPM_TAKEN ? lookup_target(b, pc, next, mark, stats) : next;
}

/* ---- with a plug-in for branches or targets ---- */
/* As bpred_follow() and lookup_target(), but plug-ins may have the target. */
static uint64_t bpred_plugin_target(struct bpred *b, const struct speculated_control *c,
                                    struct bpred_mark *mark, struct stats *stats)
{
	const struct plugin_control control = speculated_plugin_control(b, c, mark);
	uint64_t to;
	bool known = b->indirect_external && control.indirect &&
	             plugins_target(b->plugins, PLUGIN_INDIRECT, &control, &to);
	if (!known && !b->btb_external)
		return lookup_target(b, c->pc, c->next, mark, stats);
	if (!known) {
		known = plugins_target(b->plugins, PLUGIN_BTB, &control, &to);
		if (stats) {
			stats->btb_lookups++;
			stats->btb_hits += known;
		}
	}
	if (!known)
		return c->next;
	mark->flags |= BPM_BTB_HIT;
	mark->btb = 0;
	return to;
}

static void bpred_plugin_shift(struct bpred *b, struct bpred_mark *mark)
{
	shift_history(b, mark->flags & BPM_TAKEN, true, mark);
	if (b->own_history)
		b->by->shifted(b, mark->flags & BPM_TAKEN, mark);
}

static __attribute__((noinline)) uint64_t lookup_with_plugins(struct bpred *b, uint64_t pc,
                                                              const struct inst *in,
                                                              struct bpred_mark *mark,
                                                              struct stats *stats)
{
	struct speculated_control c = {.pc = pc, .in = in, .next = pc + in->len};
	bool from_ras = false;
	speculated_begin(b, mark);
	const uint16_t record = mark->record;
	if (inst_flags(in) & OPF_BRANCH) {
		b->by->predict(b, &(struct predictor_query){.pc = pc, .in = in, .fetch = true},
		               mark);
		mark->record = record;
		if (b->history_at_fetch)
			bpred_plugin_shift(b, mark);
	} else {
		mark->flags = BPM_TAKEN;
		uint64_t target;
		from_ras = inst_pops_ras(in) && ras_pop(b, mark, &target);
		if (inst_pushes_ras(in))
			ras_push(b, mark, c.next);
		if (from_ras)
			c.next = target;
	}
	c.taken = mark->flags & BPM_TAKEN;
	if (c.taken && !from_ras)
		c.next = bpred_plugin_target(b, &c, mark, stats);
	c.predicted = c.next;
	speculated_fetched(b, &c, mark);
	return c.next;
}

/* ---- look-ups ---- */
/* Looks up a branch of another predictor than the default one. */
static __attribute__((noinline)) uint64_t lookup_other(struct bpred *b, uint64_t pc,
                                                       const struct inst *in,
                                                       struct bpred_mark *mark,
                                                       struct stats *stats)
{
	if (b->speculated)
		return lookup_with_plugins(b, pc, in, mark, stats);
	b->by->predict(b, &(struct predictor_query){.pc = pc, .in = in, .fetch = true}, mark);
	const uint64_t to = bpred_follow(b, pc, pc + in->len, mark, stats);
	if (b->own_history && b->history_at_fetch)
		b->by->shifted(b, mark->flags & BPM_TAKEN, mark);
	return to;
}

static __attribute__((noinline)) uint64_t lookup_jump(struct bpred *b, uint64_t pc,
                                                      const struct inst *in,
                                                      struct bpred_mark *mark,
                                                      struct stats *stats)
{
	uint64_t next = pc + in->len, target;
	if (b->speculated)
		return lookup_with_plugins(b, pc, in, mark, stats);
	mark->flags = BPM_TAKEN;
	const bool from_ras = inst_pops_ras(in) && ras_pop(b, mark, &target);
	if (inst_pushes_ras(in))
		ras_push(b, mark, next);
	return from_ras ? target : lookup_target(b, pc, next, mark, stats);
}

/* Branches of the default predictor need no calls, so that few registers are saved. */
uint64_t bpred_lookup(struct bpred *b, uint64_t pc, const struct inst *in, struct bpred_mark *mark,
                      struct stats *stats)
{
	*mark = (struct bpred_mark){0};
	if (!(inst_flags(in) & OPF_BRANCH))
		return lookup_jump(b, pc, in, mark, stats);
	if (b->other)
		return lookup_other(b, pc, in, mark, stats);
	tables_predict(b, TABLES_COMBINED, TABLES_CONCATENATE, pc, mark);
	return bpred_follow(b, pc, pc + in->len, mark, stats);
}

static __attribute__((noinline)) void bpred_learn_target(struct bpred *b, uint64_t pc,
                                                         uint64_t target, struct bpred_mark *mark)
{
	if (b->learn_at_commit) {
		btb_learn(b, pc, target);
		return;
	}
	mark->btb = btb_learn_logged(b, pc, target);
	mark->flags |= BPM_BTB_LEARNT;
}

static inline void bpred_learn_outcome(struct bpred *b, uint64_t pc, bool branch, bool taken,
                                       uint64_t target, struct bpred_mark *mark)
{
	if (branch && b->shifts_outcomes)
		shift_history(b, taken, !b->learn_at_commit, mark);
	/* Targets that the return stack predicts would only evict useful ones from the BTB. */
	if (!taken || (mark->flags & BPM_FROM_RAS) || !b->btb_ways)
		return;
	/* The look-up made the entry the most recent; if it is still there and correct, nothing is
	 * to be done. */
	if (mark->flags & BPM_BTB_HIT && b->btb[mark->btb].tag == pc >> 1 &&
	    b->btb[mark->btb].target == target)
		return;
	bpred_learn_target(b, pc, target, mark);
}

static __attribute__((noinline)) void learn_other(struct bpred *b, uint64_t pc, bool taken,
                                                  uint64_t target, struct bpred_mark *mark)
{
	if (b->by->learn)
		b->by->learn(b, taken, mark);
	bpred_learn_outcome(b, pc, true, taken, target, mark);
	if (b->own_history && b->shifts_outcomes)
		b->by->shifted(b, taken, mark);
}

/* The most common outcomes need no calls, so that no registers are saved. */
void bpred_learn(struct bpred *b, uint64_t pc, const struct inst *in, bool taken, uint64_t target,
                 struct bpred_mark *mark)
{
	const bool branch = inst_flags(in) & OPF_BRANCH;
	if (branch && b->by != &predictor_combined) {
		learn_other(b, pc, taken, target, mark);
		return;
	}
	if (branch)
		tables_learn(b, TABLES_COMBINED, taken, mark);
	bpred_learn_outcome(b, pc, branch, taken, target, mark);
}

void bpred_resolve(struct bpred *b, bool taken, const struct bpred_mark *mark)
{
	if (!b->history_at_fetch || !(mark->flags & BPM_HISTORY))
		return;
	b->history[mark->history_index] = (mark->old_history << 1 | taken) & b->history_mask;
	if (b->own_history) {
		struct bpred_mark again = *mark;
		b->by->unshifted(b, mark);
		b->by->shifted(b, taken, &again);
	}
}

void bpred_undo(struct bpred *b, const struct bpred_mark *mark)
{
	if (mark->flags & BPM_COUNTED)
		b->by->undo(b, mark);
	if (mark->flags & BPM_BTB_LEARNT)
		btb_undo(b, mark->btb);
	if (mark->flags & BPM_HISTORY) {
		b->history[mark->history_index] = mark->old_history;
		if (b->own_history)
			b->by->unshifted(b, mark);
	}
	ras_undo(b, mark);
	if (b->speculated)
		speculated_undo(b, mark);
}

void bpred_resolved(struct bpred *b, const struct speculated_control *c,
                    const struct bpred_mark *mark)
{
	const struct plugin_control control = speculated_plugin_control(b, c, mark);
	plugins_resolved(b->plugins, &control);
}

void bpred_retired(struct bpred *b, const struct speculated_control *c,
                   const struct bpred_mark *mark)
{
	if (b->by->retired && (inst_flags(c->in) & OPF_BRANCH))
		b->by->retired(b, c->pc, c->taken, mark);
	if (!b->indirect_external && !b->btb_external)
		return;
	const struct plugin_control control = speculated_plugin_control(b, c, mark);
	plugins_committed(b->plugins, &control);
}

void bpred_forget(struct bpred *b, uint64_t pc)
{
	struct btb_entry *e = b->btb_ways ? btb_find(b, pc) : NULL;
	if (e)
		*e = (struct btb_entry){0};
}
