/* Whether two calling context trees of a program are the same. */
#ifndef CYCLOPS_TESTS_EDIT_CONTEXTS_MATCH_H
#define CYCLOPS_TESTS_EDIT_CONTEXTS_MATCH_H

#include <stdbool.h>

#include "loader/context_tree.h"
#include "loader/launch.h"

/* Contexts, calls and back edges; with instructions, too, if `timed`. The first difference is
 * printed, and whose tree b is. */
bool same_trees(const struct context_tree *a, const struct context_tree *b,
                const struct program *p, const char *who, bool timed);

#endif
