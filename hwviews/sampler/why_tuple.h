/* Why a tuple of the sampler is where it is: which counter it went to, and whether software was
 * told. */
#ifndef CYCLOPS_HWVIEWS_SAMPLER_WHY_TUPLE_H
#define CYCLOPS_HWVIEWS_SAMPLER_WHY_TUPLE_H

#include <stdbool.h>
#include <stddef.h>

struct session;
struct uop;

/* One line about the tuple that was selected last: "find+0xc → 0x10, selected this cycle: waits in
 * the tuple queue, behind 2 others". False if there is none, with why in buf. */
bool why_last_tuple(const struct session *s, char *buf, size_t n);
/* The same about what component `stage` took in the cycle just done, if that is not part of the
 * line above. False: nothing to say. */
bool why_taken_tuple(const struct session *s, unsigned stage, char *buf, size_t n);
/* Whether the tuple that was selected last is this instruction's. */
bool why_gave_last_tuple(const struct session *s, const struct uop *u);

#endif
