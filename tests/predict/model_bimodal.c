#include "tests/predict/model.h"

static void bimodal_predict(const struct model_options *o, const struct tables *t,
                            struct direction *d)
{
	d->taken = t->bimodal[direction_word(d, o->bimodal)] > 1;
}

static void bimodal_train(const struct model_options *o, struct tables *t,
                          const struct direction *d, bool taken)
{
	direction_count(&t->bimodal[direction_word(d, o->bimodal)], taken);
}

static void bimodal_parts(const struct model_options *o, const struct tables *t,
                          const struct direction *d, struct model_part out[MODEL_PARTS + 1])
{
	out[0] = (struct model_part){"bimodal", t->bimodal[direction_word(d, o->bimodal)]};
}

const struct direction_model model_bimodal = {false, bimodal_predict, bimodal_train, bimodal_parts};
