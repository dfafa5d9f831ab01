#include <stdlib.h>

#include "tests/predict/model.h"

enum { BIAS = OWN - 1 };

/* The dot product of weights and outcomes, +1 taken, -1 not; input i is the i-th latest. */
static int model_perceptron_output(const struct model_options *o, const struct tables *t,
                                   const struct direction *d)
{
	const int *w = t->own[direction_word(d, o->perceptrons)];
	int sum = w[BIAS];
	for (unsigned i = 0; i < o->history_bits; i++)
		sum += w[i] * ((d->history >> i) % 2 ? 1 : -1);
	return sum;
}

static void model_perceptron_predict(const struct model_options *o, const struct tables *t,
                                     struct direction *d)
{
	d->taken = model_perceptron_output(o, t, d) >= 0;
}

static void model_perceptron_train(const struct model_options *o, struct tables *t,
                                   const struct direction *d, bool taken)
{
	int *w = t->own[direction_word(d, o->perceptrons)], outcome = taken ? 1 : -1;
	if (d->taken == taken &&
	    abs(model_perceptron_output(o, t, d)) > (int)(1.93 * o->history_bits + 14))
		return;
	for (unsigned i = 0; i < OWN; i++) {
		int input = i == BIAS ? 1 : (d->history >> i) % 2 ? 1 : -1;
		int next = w[i] + outcome * input;
		if ((i == BIAS || i < o->history_bits) && next >= -128 && next <= 127)
			w[i] = next;
	}
}

static void model_perceptron_parts(const struct model_options *o, const struct tables *t,
                                   const struct direction *d,
                                   struct model_part out[MODEL_PARTS + 1])
{
	out[0] = (struct model_part){"sum", model_perceptron_output(o, t, d)};
}

const struct direction_model model_perceptron = {true, model_perceptron_predict,
                                                 model_perceptron_train, model_perceptron_parts};
