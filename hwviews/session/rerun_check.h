/* Checks whether another machine can repeat the run of the session's machine, and finds the input
 * for that. For features that run the program again on a second machine. */
#ifndef CYCLOPS_HWVIEWS_SESSION_RERUN_CHECK_H
#define CYCLOPS_HWVIEWS_SESSION_RERUN_CHECK_H

#include <stdbool.h>

#include "core/base/err.h"
#include "hwviews/session/session.h"

/* True if repeating the run until now would give the same, by its input from outside. Else false
 * with *err. */
bool rerun_possible(const struct session *s, struct err *err);
/* A new descriptor, owned by the caller, of the session's input from its beginning, if that is a
 * file; else -1, which means empty input. */
int rerun_input(const struct session *s);

#endif
