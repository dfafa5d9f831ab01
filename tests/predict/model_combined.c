#include "tests/predict/model.h"

static uint8_t *combined_bimodal(const struct model_options *o, const struct tables *t,
                                 const struct direction *d)
{
	return (uint8_t *)&t->bimodal[direction_word(d, o->bimodal)];
}

static uint8_t *combined_second(const struct model_options *o, const struct tables *t,
                                const struct direction *d)
{
	return (uint8_t *)&t->second[(d->history + (d->pc / 2 << o->history_bits)) % o->second];
}

static uint8_t *combined_chooser(const struct model_options *o, const struct tables *t,
                                 const struct direction *d)
{
	return (uint8_t *)&t->chooser[direction_word(d, o->chooser)];
}

static void combined_predict(const struct model_options *o, const struct tables *t,
                             struct direction *d)
{
	d->bimodal_taken = *combined_bimodal(o, t, d) > 1;
	d->second_taken = *combined_second(o, t, d) > 1;
	d->taken = *combined_chooser(o, t, d) > 1 ? d->second_taken : d->bimodal_taken;
}

/* The chooser learns from what was predicted, not from what the tables say by then. */
static void combined_train(const struct model_options *o, struct tables *t,
                           const struct direction *d, bool taken)
{
	if (d->bimodal_taken != d->second_taken)
		direction_count(combined_chooser(o, t, d), d->second_taken == taken);
	direction_count(combined_bimodal(o, t, d), taken);
	direction_count(combined_second(o, t, d), taken);
}

static void combined_parts(const struct model_options *o, const struct tables *t,
                           const struct direction *d, struct model_part out[MODEL_PARTS + 1])
{
	const bool second = *combined_chooser(o, t, d) > 1;
	out[second] = (struct model_part){"bimodal", *combined_bimodal(o, t, d)};
	out[!second] = (struct model_part){"two_level", *combined_second(o, t, d)};
	out[2] = (struct model_part){"chooser", *combined_chooser(o, t, d)};
}

const struct direction_model model_combined = {true, combined_predict, combined_train,
                                               combined_parts};
