/* Stop points at places in libraries that the program has not mapped yet. */
#ifndef CYCLOPS_HWVIEWS_SESSION_PENDING_H
#define CYCLOPS_HWVIEWS_SESSION_PENDING_H

#include "hwviews/session/session.h"

/* Address of a stop point whose name is in no mapped file. Odd, so no instruction is ever executed
 * there. */
#define PENDING_ADDR UINT64_MAX

/* True if the program may yet map a library with this name or line. */
bool pending_possible(const struct session *s, const char *text);
/* True if a library that is or was mapped has it. */
bool pending_find(const struct session *s, const char *text, uint64_t *addr);
/* Makes the session's new machine look up pending names whenever it maps files. */
void pending_follow(struct session *s);

#endif
