/* `slow`: a paragraph on where a part of the run loses its slots, which waits cause that, and how
 * much each remedy would save. */
#ifndef CYCLOPS_HWVIEWS_WHY_SLOW_H
#define CYCLOPS_HWVIEWS_WHY_SLOW_H

#include "hwviews/why/what_if.h"

/* The part that `slow` examines by default: the last SLOW_CYCLES; after the program's end the whole
 * recorded run, like spent_gather(). */
void slow_region(const struct session *s, struct region *out);
/* The part of r that what-if should run: all, or, of a longer region, the SLOW_CYCLES in which its
 * largest cause has most slots. */
struct region slow_measured(const struct session *s, const struct region *r);

/* Calls put() with each sentence. w: the answer of what-if for slow_measured(); NULL: it refused,
 * and `refused` has the reason. False with *err: that part was not recorded, or memory is short. */
bool slow_tell(const struct session *s, const struct region *r, const struct what_if *w,
               const char *refused, void (*put)(void *ctx, const char *line), void *ctx,
               struct err *err);

#endif
