#include "loader/context_tree.h"

#include <stdlib.h>

void context_tree_free(struct context_tree *t)
{
	free(t->nodes);
	free(t->backs);
	*t = (struct context_tree){0};
}
