/* The reference prediction table: Chen and Baer, IEEE Transactions on Computers 1995, figure 5. */
#include "tests/timing/fill_model.h"

enum { TAG, LAST, STRIDE, STATE };
enum { INITIAL, TRANSIENT, STEADY, NO_PREDICTION };

static unsigned model_stride_access(struct prefetch_table *t, const struct model_access *a,
                                    unsigned degree, uint64_t out[MODEL_LINES])
{
	int64_t *e = t->own[a->pc / 2 % MODEL_ENTRIES];
	const int64_t addr = (int64_t)a->addr;
	if (e[TAG] != (int64_t)a->pc) {
		e[TAG] = (int64_t)a->pc;
		e[LAST] = addr;
		e[STRIDE] = 0;
		e[STATE] = INITIAL;
		return 0;
	}
	const bool correct = e[LAST] + e[STRIDE] == addr;
	switch (e[STATE]) {
	case INITIAL:
		if (!correct)
			e[STRIDE] = addr - e[LAST];
		e[STATE] = correct ? STEADY : TRANSIENT;
		break;
	case TRANSIENT:
		if (!correct)
			e[STRIDE] = addr - e[LAST];
		e[STATE] = correct ? STEADY : NO_PREDICTION;
		break;
	case STEADY:
		e[STATE] = correct ? STEADY : INITIAL; /* the stride stays */
		break;
	case NO_PREDICTION:
		if (!correct)
			e[STRIDE] = addr - e[LAST];
		e[STATE] = correct ? TRANSIENT : NO_PREDICTION;
		break;
	}
	e[LAST] = addr;
	if (e[STATE] != STEADY || !e[STRIDE])
		return 0;
	for (unsigned i = 0; i < degree; i++)
		out[i] = (uint64_t)(addr + e[STRIDE] * (int64_t)(i + 1)) / a->line_bytes;
	return degree;
}

const struct prefetch_model model_stride = {model_stride_access};
