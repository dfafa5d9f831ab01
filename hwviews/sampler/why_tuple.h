/* Why a tuple of the sampler is where it is: the counter that it went to, and whether software was
 * notified. */
#ifndef CYCLOPS_HWVIEWS_SAMPLER_WHY_TUPLE_H
#define CYCLOPS_HWVIEWS_SAMPLER_WHY_TUPLE_H

#include <stdbool.h>
#include <stddef.h>

struct session;
struct uop;

/* One line about the tuple selected last: "find+0xc → 0x10, selected this cycle: waits in the tuple
 * queue, behind 2 others". False if there is none, with the reason in buf. */
bool why_last_tuple(const struct session *s, char *buf, size_t n);
/* The same about the tuple that component `stage` took in the cycle just done, unless the line
 * above covers it. False: no line. */
bool why_taken_tuple(const struct session *s, unsigned stage, char *buf, size_t n);
/* True if the tuple selected last is this instruction's. */
bool why_gave_last_tuple(const struct session *s, const struct uop *u);

#endif
