/* bpred.kind=perceptron: Jimenez and Lin, "Dynamic Branch Prediction with Perceptrons" (HPCA
 * 2001). */
#include "core/defs/config_fields.h"
#include "core/pipe/frontend/predictor.h"

/* Weights are processed eight at a time. */
enum { LANES = 8 };
typedef int16_t lanes __attribute__((vector_size(2 * LANES)));

/* Weights of one perceptron, rounded up to lanes: the bias, whose input is always 1, weights from
 * the youngest outcome on, and zeros. */
static uint32_t perceptron_row_length(const struct bpred *b)
{
	return (b->history_bits + LANES) & ~(uint32_t)(LANES - 1);
}

static size_t perceptron_place(struct bpred *b)
{
	b->mark_most[0] = (uint32_t)b->cfg->bpred_perceptrons - 1;
	return (size_t)b->cfg->bpred_perceptrons * perceptron_row_length(b) * sizeof(int16_t);
}

static lanes *perceptron_weights(const struct bpred *b, uint32_t index)
{
	return (lanes *)b->own + (size_t)index * (perceptron_row_length(b) / LANES);
}

static uint32_t perceptron_inputs(uint32_t history)
{
	return history << 1 | 1;
}

/* A lane is -1 if its bit of the eight from bit 8 * block on is set, else 0. */
static inline lanes set_bits(uint32_t bits, uint32_t block)
{
	static const lanes bit = {1, 2, 4, 8, 16, 32, 64, 128};
	return (((lanes){} + (int16_t)(bits >> LANES * block & 0xff)) & bit) != 0;
}

/* The output: taken if >= 0. */
static int perceptron_sum(const struct bpred *b, const struct bpred_mark *mark)
{
	const lanes *w = perceptron_weights(b, mark->bimodal);
	const uint32_t x = perceptron_inputs(mark->old_history);
	lanes part = {0};
	int sum = 0;
	for (uint32_t k = 0; k < perceptron_row_length(b) / LANES; k++) {
		const lanes minus = ~set_bits(x, k);
		part += (w[k] ^ minus) - minus;
	}
	for (unsigned i = 0; i < LANES; i++)
		sum += part[i];
	return sum;
}

/* Up to this magnitude of the sum, correct predictions teach, too. Section 3.3: the best one
 * depends only on the history's length. */
static int perceptron_threshold(const struct bpred *b)
{
	return (int)(193 * b->cfg->bpred_history + 1400) / 100;
}

static void perceptron_predict(const struct bpred *b, const struct predictor_query *q,
                               struct bpred_mark *mark)
{
	const uint32_t word = (uint32_t)bpred_index(b, q->pc);
	mark->bimodal = word & b->mark_most[0];
	mark->history_index = word & b->l1_mask;
	mark->old_history = b->history[mark->history_index];
	mark->flags = perceptron_sum(b, mark) >= 0 ? BPM_TAKEN : 0;
}

/* Section 3.3. Computes the sum again, with the present weights: a mark has no room for the
 * prediction's sum. */
static void perceptron_learn(struct bpred *b, bool taken, struct bpred_mark *mark)
{
	const int sum = perceptron_sum(b, mark), threshold = perceptron_threshold(b);
	const bool right = !(mark->flags & BPM_TAKEN) != taken;
	if (right && (sum > threshold || sum < -threshold))
		return;
	lanes *w = perceptron_weights(b, mark->bimodal);
	const uint32_t x = perceptron_inputs(mark->old_history), agree = taken ? x : ~x,
		       used = perceptron_inputs(b->history_mask);
	for (uint32_t k = 0; k < perceptron_row_length(b) / LANES; k++) {
		w[k] += (-1 - 2 * set_bits(agree, k)) & set_bits(used, k);
		/* a weight is 8 bits, as in section 5.3 */
		w[k] += w[k] > INT8_MAX;
		w[k] -= w[k] < INT8_MIN;
	}
}

static unsigned perceptron_parts(const struct bpred *b, const struct bpred_mark *mark,
                                 struct predictor_part out[PREDICTOR_PARTS_MAX])
{
	out[0] = (struct predictor_part){
		.name = "sum",
		.title = "perceptron",
		.noun = "perceptron's sum",
		.value = perceptron_sum(b, mark),
		.by_history = true,
	};
	return 1;
}

const struct predictor predictor_perceptron = {
	.title = "perceptrons",
	.history = true,
	.keeps_history = true,
	.place = perceptron_place,
	.predict = perceptron_predict,
	.learn = perceptron_learn,
	.parts = perceptron_parts,
	.row = {"learns when wrong, and up to a sum of", "sum", perceptron_threshold},
};
