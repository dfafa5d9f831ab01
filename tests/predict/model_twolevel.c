#include "tests/predict/model.h"

static unsigned twolevel_index(const struct model_options *o, const struct direction *d)
{
	return (unsigned)((d->history + (d->pc / 2 << o->history_bits)) % o->second);
}

static void twolevel_predict(const struct model_options *o, const struct tables *t,
                         struct direction *d)
{
	d->taken = t->second[twolevel_index(o, d)] > 1;
}

static void twolevel_train(const struct model_options *o, struct tables *t, const struct direction *d,
                       bool taken)
{
	direction_count(&t->second[twolevel_index(o, d)], taken);
}

static void twolevel_parts(const struct model_options *o, const struct tables *t,
                       const struct direction *d, struct model_part out[MODEL_PARTS + 1])
{
	out[0] = (struct model_part){"two_level", t->second[twolevel_index(o, d)]};
}

const struct direction_model model_twolevel = {true, twolevel_predict, twolevel_train, twolevel_parts};
