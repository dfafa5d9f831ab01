#include <stddef.h>

#include "tests/predict/model.h"

static void model_nottaken_predict(const struct model_options *o, const struct tables *t,
                                   struct direction *d)
{
	(void)o;
	(void)t;
	d->taken = false;
}

const struct direction_model model_nottaken = {false, model_nottaken_predict, NULL, NULL};
