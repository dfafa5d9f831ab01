#include <stddef.h>

#include "tests/predict/model.h"

static void model_taken_predict(const struct model_options *o, const struct tables *t,
                                struct direction *d)
{
	(void)o;
	(void)t;
	d->taken = true;
}

const struct direction_model model_taken = {false, model_taken_predict, NULL, NULL};
