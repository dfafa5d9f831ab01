/* Instructions that have left the uop pool, found again by executing that part of history again. */
#ifndef CYCLOPS_HWVIEWS_SESSION_PIPE_HISTORY_H
#define CYCLOPS_HWVIEWS_SESSION_PIPE_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/pipe/uop.h"

struct pipe_history;
struct session;

/* Empty; NULL if memory runs out. */
struct pipe_history *pipe_history_new(void);
void pipe_history_free(struct pipe_history *h);

/* Makes h hold every instruction that retired, was squashed or dropped in cycles [from, to) of
 * recorded history; cheap if it already does. False with *err if history does not reach there or
 * can't be executed again now: h is empty then. */
bool pipe_history_cover(struct pipe_history *h, const struct session *s, uint64_t from, uint64_t to,
                        struct err *err);
/* By seq; borrowed until the next pipe_history_cover(). */
const struct uop *pipe_history_uops(const struct pipe_history *h, size_t *count);

#endif
