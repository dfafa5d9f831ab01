/* Whether another machine can do what the session's machine has done, and from what input: for who
 * runs the program once more beside it. */
#ifndef CYCLOPS_HWVIEWS_SESSION_RERUN_CHECK_H
#define CYCLOPS_HWVIEWS_SESSION_RERUN_CHECK_H

#include <stdbool.h>

#include "core/base/err.h"
#include "hwviews/session/session.h"

/* Whether the run until now would be the same once more, by what came from outside. False with
 * *err. */
bool rerun_possible(const struct session *s, struct err *err);
/* The session's input from its beginning, if that is a file, as a descriptor of the caller's; else
 * -1, which is empty. */
int rerun_input(const struct session *s);

#endif
