/* Three bits: 1 if the right half, of all or of a half, goes next. */
#include "tests/timing/fill_model.h"

enum { ALL, LEFT, RIGHT };

static int model_tree_plru_victim(struct model_set *s)
{
	return s->own[ALL] ? 2 + s->own[RIGHT] : s->own[LEFT];
}

static void model_tree_plru_used(struct model_set *s, int way)
{
	s->own[ALL] = way < 2;
	s->own[way < 2 ? LEFT : RIGHT] = way % 2 == 0;
}

const struct replacement_model model_tree_plru = {model_tree_plru_victim, model_tree_plru_used,
                                                  model_tree_plru_used};
