#include "core/pipe/frontend/bpred.h"

#include <string.h>

#include "core/defs/config_fields.h"
#include "core/defs/stats_fields.h"
#include "core/pipe/frontend/bpred_counter.h"
#include "core/pipe/frontend/btb.h"
#include "core/pipe/frontend/ras.h"
#include "core/pipe/plugin.h"

static bool has_history(enum bpred_kind kind)
{
	return kind == BPRED_TWOLEVEL || kind == BPRED_GSHARE || kind == BPRED_COMBINED ||
	       kind == BPRED_EXTERNAL || kind == BPRED_PERCEPTRON;
}

/* Weights are processed eight at a time. */
enum { LANES = 8 };
typedef int16_t lanes __attribute__((vector_size(2 * LANES)));

/* Weights of one perceptron, rounded up to lanes. The first is the bias, whose input is always 1;
 * those after the history stay 0. */
static uint32_t row_length(const struct bpred *b)
{
	return (b->history_bits + LANES) & ~(uint32_t)(LANES - 1);
}

static size_t weight_count(const struct bpred *b)
{
	return b->kind == BPRED_PERCEPTRON ? ((size_t)b->perceptron_mask + 1) * row_length(b) : 0;
}

void bpred_place(struct bpred *b, const struct config *cfg, struct arena *a)
{
	const bool targets = cfg->btb_sets && cfg->bpred_kind != BPRED_PERFECT;
	*b = (struct bpred){
		.cfg = cfg,
		.kind = (enum bpred_kind)cfg->bpred_kind,
		.learn_at_commit = cfg->bpred_update != 0,
		.history_at_fetch =
			cfg->bpred_update == 2 && has_history((enum bpred_kind)cfg->bpred_kind),
		.shifts_outcomes =
			cfg->bpred_update != 2 && has_history((enum bpred_kind)cfg->bpred_kind),
		.index_shift = cfg->bpred_shift ? (uint32_t)cfg->bpred_shift : 1,
		.bimodal_mask = (uint32_t)cfg->bpred_bimodal - 1,
		.l1_mask = (uint32_t)cfg->bpred_l1 - 1,
		.l2_mask = (uint32_t)cfg->bpred_l2 - 1,
		.meta_mask = (uint32_t)cfg->bpred_meta - 1,
		.btb_mask = targets ? (uint32_t)cfg->btb_sets - 1 : 0,
		.perceptron_mask = (uint32_t)cfg->bpred_perceptrons - 1,
		.history_bits = (uint32_t)cfg->bpred_history,
		.history_mask = (UINT32_C(1) << cfg->bpred_history) - 1,
		.btb_ways = targets ? (uint32_t)cfg->btb_ways : 0,
		.ras_size = cfg->bpred_kind != BPRED_PERFECT ? (uint32_t)cfg->ras_size : 0,
	};
	b->st = arena_take(a, "predictor", 1, sizeof *b->st);
	b->bimodal = arena_take(a, "bimodal table", (size_t)cfg->bpred_bimodal, sizeof *b->bimodal);
	b->history = arena_take(a, "history registers", (size_t)cfg->bpred_l1, sizeof *b->history);
	b->l2 = arena_take(a, "second-level table", (size_t)cfg->bpred_l2, sizeof *b->l2);
	b->meta = arena_take(a, "chooser table", (size_t)cfg->bpred_meta, sizeof *b->meta);
	if (weight_count(b))
		b->weights = arena_take(a, "perceptrons", weight_count(b), sizeof *b->weights);
	b->btb = arena_take(a, "branch target buffer", ((size_t)b->btb_mask + 1) * b->btb_ways,
	                    sizeof *b->btb);
	while (b->btb_log_mask + 1 < (uint32_t)cfg->rob_size)
		b->btb_log_mask = b->btb_log_mask << 1 | 1;
	b->btb_log = arena_take(a, "target changes in flight", (size_t)b->btb_log_mask + 1,
	                        sizeof *b->btb_log);
	b->ras = arena_take(a, "return stack", b->ras_size, sizeof *b->ras);
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
	if (b->weights)
		memset(b->weights, 0, weight_count(b) * sizeof *b->weights);
	memset(b->btb, 0, ((size_t)b->btb_mask + 1) * b->btb_ways * sizeof *b->btb);
	memset(b->btb_log, 0, ((size_t)b->btb_log_mask + 1) * sizeof *b->btb_log);
	memset(b->ras, 0, b->ras_size * sizeof *b->ras);
}

/* ---- perceptrons ---- */
static lanes *weights_of(const struct bpred *b, uint32_t index)
{
	return (lanes *)(void *)(b->weights + (size_t)index * row_length(b));
}

/* A perceptron's inputs. */
static uint32_t bpred_perceptron_inputs(uint32_t history)
{
	return history << 1 | 1;
}

/* A lane is -1 if its bit of the eight from bit 8 * block on is set, else 0. */
static inline lanes set_bits(uint32_t bits, uint32_t block)
{
	static const lanes bit = {1, 2, 4, 8, 16, 32, 64, 128};
	return (((lanes){} + (int16_t)(bits >> LANES * block & 0xff)) & bit) != 0;
}

int bpred_perceptron_sum(const struct bpred *b, uint32_t index, uint32_t history)
{
	const lanes *w = weights_of(b, index);
	const uint32_t x = bpred_perceptron_inputs(history);
	lanes part = {0};
	int sum = 0;
	for (uint32_t k = 0; k < row_length(b) / LANES; k++) {
		const lanes minus = ~set_bits(x, k);
		part += (w[k] ^ minus) - minus;
	}
	for (unsigned i = 0; i < LANES; i++)
		sum += part[i];
	return sum;
}

/* Section 3.3: the best threshold depends only on the history's length. */
int bpred_perceptron_threshold(const struct bpred *b)
{
	return (int)(193 * b->cfg->bpred_history + 1400) / 100;
}

/* Section 3.3. Computes the sum again, with the present weights: a mark has no room for the one of
 * the prediction. */
static void teach_perceptron(const struct bpred *b, bool taken, const struct bpred_mark *mark)
{
	const int sum = bpred_perceptron_sum(b, mark->bimodal, mark->old_history),
		  threshold = bpred_perceptron_threshold(b);
	const bool right = !(mark->flags & BPM_TAKEN) != taken;
	if (right && (sum > threshold || sum < -threshold))
		return;
	lanes *w = weights_of(b, mark->bimodal);
	const uint32_t x = bpred_perceptron_inputs(mark->old_history), agree = taken ? x : ~x,
		       used = bpred_perceptron_inputs(b->history_mask);
	for (uint32_t k = 0; k < row_length(b) / LANES; k++) {
		w[k] += (-1 - 2 * set_bits(agree, k)) & set_bits(used, k);
		/* a weight is 8 bits, as in section 5.3 */
		w[k] += w[k] > INT8_MAX;
		w[k] -= w[k] < INT8_MIN;
	}
}

static __attribute__((noinline)) void ask_perceptron(const struct bpred *b, uint32_t word,
                                                     struct bpred_mark *mark)
{
	mark->bimodal = word & b->perceptron_mask;
	mark->history_index = word & b->l1_mask;
	mark->old_history = b->history[mark->history_index];
	mark->flags =
		bpred_perceptron_sum(b, mark->bimodal, mark->old_history) >= 0 ? BPM_TAKEN : 0;
}

/* ---- directions ---- */
/* Fills the table indices and the direction flags of the mark; sets BPM_TAKEN if taken is
 * predicted. */
static inline void predict_direction(const struct bpred *b, enum bpred_kind kind, uint64_t pc,
                                     struct bpred_mark *mark)
{
	uint32_t word = (uint32_t)bpred_index(b, pc);
	uint32_t flags = 0;
	if (kind == BPRED_PERCEPTRON) {
		ask_perceptron(b, word, mark);
		return;
	}
	mark->bimodal = word & b->bimodal_mask;
	mark->history_index = word & b->l1_mask;
	uint32_t history = b->history[mark->history_index];
	if (kind == BPRED_GSHARE)
		mark->l2 = (history ^ word) & b->l2_mask;
	else
		mark->l2 = (history | word << b->history_bits) & b->l2_mask;
	mark->meta = word & b->meta_mask;
	if (b->bimodal[mark->bimodal] >= 2)
		flags |= BPM_BIMODAL_TAKEN;
	if (b->l2[mark->l2] >= 2)
		flags |= BPM_L2_TAKEN;
	switch (kind) {
	case BPRED_BIMODAL:
		flags |= flags & BPM_BIMODAL_TAKEN ? BPM_TAKEN : 0;
		break;
	case BPRED_TWOLEVEL:
	case BPRED_GSHARE:
		flags |= BPM_USED_L2 | (flags & BPM_L2_TAKEN ? BPM_TAKEN : 0);
		break;
	case BPRED_COMBINED:
		if (b->meta[mark->meta] >= 2)
			flags |= BPM_USED_L2 | (flags & BPM_L2_TAKEN ? BPM_TAKEN : 0);
		else
			flags |= flags & BPM_BIMODAL_TAKEN ? BPM_TAKEN : 0;
		break;
	case BPRED_TAKEN:
		flags |= BPM_TAKEN;
		break;
	case BPRED_NOTTAKEN:
	case BPRED_EXTERNAL: /* the caller calls the plug-in */
	case BPRED_PERCEPTRON:
	case BPRED_PERFECT: /* see perfect_bpred.h */
		break;
	}
	mark->flags = (uint16_t)flags;
}

/* Gets a plug-in's direction. The mark keeps the history passed to it, in ras_value, which a
 * conditional branch does not use. */
static __attribute__((noinline)) void bpred_query_plugin(struct bpred *b, uint64_t pc,
                                                         struct bpred_mark *mark)
{
	mark->ras_value = b->history[mark->history_index];
	if (plugins_predict(b->plugins, pc, (uint32_t)mark->ras_value))
		mark->flags |= BPM_TAKEN;
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

static inline uint64_t lookup_branch(struct bpred *b, enum bpred_kind kind, uint64_t pc,
                                     uint64_t next, struct bpred_mark *mark, struct stats *stats)
{
	predict_direction(b, kind, pc, mark);
	if (kind == BPRED_EXTERNAL)
		bpred_query_plugin(b, pc, mark);
	if (b->history_at_fetch)
		shift_history(b, mark->flags & BPM_TAKEN, true, mark);
	return mark->flags & BPM_TAKEN ? lookup_target(b, pc, next, mark, stats) : next;
}

/* lookup_branch() for other kinds than the default one. */
static __attribute__((noinline)) uint64_t lookup_other(struct bpred *b, uint64_t pc, uint64_t next,
                                                       struct bpred_mark *mark,
                                                       struct stats *stats)
{
	return lookup_branch(b, b->kind, pc, next, mark, stats);
}

static __attribute__((noinline)) uint64_t lookup_jump(struct bpred *b, uint64_t pc,
                                                      const struct inst *in,
                                                      struct bpred_mark *mark,
                                                      struct stats *stats)
{
	uint64_t next = pc + in->len, target;
	mark->flags = BPM_TAKEN;
	const bool from_ras = inst_pops_ras(in) && ras_pop(b, mark, &target);
	if (inst_pushes_ras(in))
		ras_push(b, mark, next);
	return from_ras ? target : lookup_target(b, pc, next, mark, stats);
}

/* Branches of the default kind are looked up without calls, so that few registers are saved. */
uint64_t bpred_lookup(struct bpred *b, uint64_t pc, const struct inst *in, struct bpred_mark *mark,
                      struct stats *stats)
{
	*mark = (struct bpred_mark){0};
	if (!(inst_flags(in) & OPF_BRANCH))
		return lookup_jump(b, pc, in, mark, stats);
	if (b->kind != BPRED_COMBINED)
		return lookup_other(b, pc, pc + in->len, mark, stats);
	return lookup_branch(b, BPRED_COMBINED, pc, pc + in->len, mark, stats);
}

static inline void remember_counters(const struct bpred *b, struct bpred_mark *mark)
{
	unsigned counters = (unsigned)b->bimodal[mark->bimodal] << BPM_BIMODAL_SHIFT |
	                    (unsigned)b->l2[mark->l2] << BPM_L2_SHIFT |
	                    (unsigned)b->meta[mark->meta] << BPM_META_SHIFT;
	mark->flags |= (uint16_t)(BPM_COUNTED | counters);
}

static inline void learn_direction(struct bpred *b, enum bpred_kind kind, bool taken,
                                   struct bpred_mark *mark)
{
	switch (kind) {
	case BPRED_BIMODAL:
		count_outcome(&b->bimodal[mark->bimodal], taken);
		break;
	case BPRED_COMBINED: {
		bool bimodal_right = !(mark->flags & BPM_BIMODAL_TAKEN) != taken;
		bool l2_right = !(mark->flags & BPM_L2_TAKEN) != taken;
		if (bimodal_right != l2_right)
			count_outcome(&b->meta[mark->meta], l2_right);
		count_outcome(&b->bimodal[mark->bimodal], taken);
		count_outcome(&b->l2[mark->l2], taken);
		break;
	}
	case BPRED_TWOLEVEL:
	case BPRED_GSHARE:
		count_outcome(&b->l2[mark->l2], taken);
		break;
	case BPRED_PERCEPTRON:
		teach_perceptron(b, taken, mark);
		break;
	case BPRED_EXTERNAL:
	case BPRED_TAKEN:
	case BPRED_NOTTAKEN:
	case BPRED_PERFECT:
		break;
	}
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

static inline void bpred_learn_outcome(struct bpred *b, enum bpred_kind kind, uint64_t pc,
                                       bool branch, bool taken, uint64_t target,
                                       struct bpred_mark *mark)
{
	if (branch) {
		if (!b->learn_at_commit)
			remember_counters(b, mark);
		learn_direction(b, kind, taken, mark);
		if (b->shifts_outcomes)
			shift_history(b, taken, !b->learn_at_commit, mark);
	}
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
	bpred_learn_outcome(b, b->kind, pc, true, taken, target, mark);
}

/* The most common outcomes need no calls, so that no registers are saved. */
void bpred_learn(struct bpred *b, uint64_t pc, const struct inst *in, bool taken, uint64_t target,
                 struct bpred_mark *mark)
{
	const bool branch = inst_flags(in) & OPF_BRANCH;
	if (branch && b->kind != BPRED_COMBINED)
		learn_other(b, pc, taken, target, mark);
	else
		bpred_learn_outcome(b, BPRED_COMBINED, pc, branch, taken, target, mark);
}

void bpred_resolve(struct bpred *b, bool taken, const struct bpred_mark *mark)
{
	if (b->history_at_fetch && (mark->flags & BPM_HISTORY))
		b->history[mark->history_index] =
			(mark->old_history << 1 | taken) & b->history_mask;
}

void bpred_undo(struct bpred *b, const struct bpred_mark *mark)
{
	if (mark->flags & BPM_COUNTED) {
		b->bimodal[mark->bimodal] = mark->flags >> BPM_BIMODAL_SHIFT & 3;
		b->l2[mark->l2] = mark->flags >> BPM_L2_SHIFT & 3;
		b->meta[mark->meta] = mark->flags >> BPM_META_SHIFT & 3;
	}
	if (mark->flags & BPM_BTB_LEARNT)
		btb_undo(b, mark->btb);
	if (mark->flags & BPM_HISTORY)
		b->history[mark->history_index] = mark->old_history;
	ras_undo(b, mark);
}

void bpred_tell(struct bpred *b, uint64_t pc, bool taken, const struct bpred_mark *mark)
{
	const struct plugin_branch branch = {
		.pc = pc,
		.history = (uint32_t)mark->ras_value,
		.taken = taken,
		.predicted = (mark->flags & BPM_TAKEN) != 0,
	};
	plugins_update(b->plugins, &branch);
}

void bpred_peek(const struct bpred *b, uint64_t pc, struct bpred_mark *mark)
{
	*mark = (struct bpred_mark){0};
	predict_direction(b, b->kind, pc, mark);
	if (b->kind == BPRED_EXTERNAL &&
	    plugins_peek(b->plugins, pc, b->history[mark->history_index]))
		mark->flags |= BPM_TAKEN;
}

void bpred_forget(struct bpred *b, uint64_t pc)
{
	struct btb_entry *e = b->btb_ways ? btb_find(b, pc) : NULL;
	if (e)
		*e = (struct btb_entry){0};
}
