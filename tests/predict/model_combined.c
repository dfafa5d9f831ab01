#include "tests/predict/model.h"

static uint8_t *model_combined_bimodal(const struct model_options *o, const struct tables *t,
                                       const struct direction *d)
{
	return (uint8_t *)&t->bimodal[direction_word(d, o->bimodal)];
}

static uint8_t *model_combined_second(const struct model_options *o, const struct tables *t,
                                      const struct direction *d)
{
	return (uint8_t *)&t->second[(d->history + (d->pc / 2 << o->history_bits)) % o->second];
}

static uint8_t *model_combined_chooser(const struct model_options *o, const struct tables *t,
                                       const struct direction *d)
{
	return (uint8_t *)&t->chooser[direction_word(d, o->chooser)];
}

static void model_combined_predict(const struct model_options *o, const struct tables *t,
                                   struct direction *d)
{
	d->bimodal_taken = *model_combined_bimodal(o, t, d) > 1;
	d->second_taken = *model_combined_second(o, t, d) > 1;
	d->taken = *model_combined_chooser(o, t, d) > 1 ? d->second_taken : d->bimodal_taken;
}

/* The chooser learns from what was predicted, not from the tables of that time. */
static void model_combined_train(const struct model_options *o, struct tables *t,
                                 const struct direction *d, bool taken)
{
	if (d->bimodal_taken != d->second_taken)
		direction_count(model_combined_chooser(o, t, d), d->second_taken == taken);
	direction_count(model_combined_bimodal(o, t, d), taken);
	direction_count(model_combined_second(o, t, d), taken);
}

static void model_combined_parts(const struct model_options *o, const struct tables *t,
                                 const struct direction *d, struct model_part out[MODEL_PARTS + 1])
{
	const bool second = *model_combined_chooser(o, t, d) > 1;
	out[second] = (struct model_part){"bimodal", *model_combined_bimodal(o, t, d)};
	out[!second] = (struct model_part){"two_level", *model_combined_second(o, t, d)};
	out[2] = (struct model_part){"chooser", *model_combined_chooser(o, t, d)};
}

const struct direction_model model_combined = {true, model_combined_predict, model_combined_train,
                                               model_combined_parts};
