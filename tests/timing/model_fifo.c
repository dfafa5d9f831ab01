/* The queue has ways by coming. */
#include <stddef.h>

#include "tests/timing/fill_model.h"

static int model_fifo_victim(struct model_set *s)
{
	return s->queue[0];
}

const struct replacement_model model_fifo = {model_fifo_victim, NULL, model_move_to_end};
