/* Stop points whose place is in a library that the program has not mapped yet. */
#ifndef CYCLOPS_HWVIEWS_SESSION_PENDING_H
#define CYCLOPS_HWVIEWS_SESSION_PENDING_H

#include "hwviews/session/session.h"

/* Where code is that no file had when its name was looked up: an odd address, at which nothing is
 * ever executed. */
#define PENDING_ADDR UINT64_MAX

/* Whether the program may yet map a library with this name or line. */
bool pending_possible(const struct session *s, const char *text);
/* Whether a library has it that is mapped, or was. */
bool pending_find(const struct session *s, const char *text, uint64_t *addr);
/* The session has a new machine, and what is pending is looked up whenever that maps files. */
void pending_follow(struct session *s);

#endif
