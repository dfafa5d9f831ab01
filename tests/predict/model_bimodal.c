#include "tests/predict/model.h"

static void model_bimodal_predict(const struct model_options *o, const struct tables *t,
                                  struct direction *d)
{
	d->taken = t->bimodal[direction_word(d, o->bimodal)] > 1;
}

static void model_bimodal_train(const struct model_options *o, struct tables *t,
                                const struct direction *d, bool taken)
{
	direction_count(&t->bimodal[direction_word(d, o->bimodal)], taken);
}

static void model_bimodal_parts(const struct model_options *o, const struct tables *t,
                                const struct direction *d, struct model_part out[MODEL_PARTS + 1])
{
	out[0] = (struct model_part){"bimodal", t->bimodal[direction_word(d, o->bimodal)]};
}

const struct direction_model model_bimodal = {false, model_bimodal_predict, model_bimodal_train,
                                              model_bimodal_parts};
