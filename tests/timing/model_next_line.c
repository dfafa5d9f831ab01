/* Tagged prefetch: Smith, Computing Surveys 1982. */
#include "tests/timing/fill_model.h"

static unsigned model_next_line_access(struct prefetch_table *t, const struct model_access *a,
                                       unsigned degree, uint64_t out[MODEL_LINES])
{
	(void)t;
	if (a->hit && !a->first_use)
		return 0;
	for (unsigned i = 0; i < degree; i++)
		out[i] = a->line + i + 1;
	return degree;
}

const struct prefetch_model model_next_line = {model_next_line_access};
