#include <stddef.h>

#include "tests/predict/model.h"

static void model_btfn_predict(const struct model_options *o, const struct tables *t,
                               struct direction *d)
{
	(void)o;
	(void)t;
	d->taken = d->backward;
}

const struct direction_model model_btfn = {false, model_btfn_predict, NULL, NULL};
