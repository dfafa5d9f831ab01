/* The queue has ways by use. */
#include "tests/timing/fill_model.h"

static int model_lru_victim(struct model_set *s)
{
	return s->queue[0];
}

const struct replacement_model model_lru = {model_lru_victim, model_move_to_end, model_move_to_end};
