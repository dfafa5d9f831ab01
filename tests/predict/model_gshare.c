#include "tests/predict/model.h"

static unsigned model_gshare_index(const struct model_options *o, const struct direction *d)
{
	return (unsigned)((d->history ^ d->pc / 2) % o->second);
}

static void model_gshare_predict(const struct model_options *o, const struct tables *t,
                                 struct direction *d)
{
	d->taken = t->second[model_gshare_index(o, d)] > 1;
}

static void model_gshare_train(const struct model_options *o, struct tables *t,
                               const struct direction *d, bool taken)
{
	direction_count(&t->second[model_gshare_index(o, d)], taken);
}

static void model_gshare_parts(const struct model_options *o, const struct tables *t,
                               const struct direction *d, struct model_part out[MODEL_PARTS + 1])
{
	out[0] = (struct model_part){"two_level", t->second[model_gshare_index(o, d)]};
}

const struct direction_model model_gshare = {true, model_gshare_predict, model_gshare_train,
                                             model_gshare_parts};
