/* Shared by the stream sampler's files (sampler.h). */
#ifndef CYCLOPS_CORE_PROF_SAMPLER_SAMPLER_PRIV_H
#define CYCLOPS_CORE_PROF_SAMPLER_SAMPLER_PRIV_H

#include "core/prof/common/prof.h"

/* Index of the i-th element of a ring. */
static inline uint64_t sampler_place_in(uint64_t head, uint64_t i, int64_t capacity)
{
	uint64_t at = head + i;
	return at >= (uint64_t)capacity ? at - (uint64_t)capacity : at;
}

/* ---- sampler.c: in a cycle `now` ---- */
/* Takes messages for the service thread up to `now`: each when it has arrived and the thread is
 * done with the previous one. */
void sampler_serve(struct prof *d, uint64_t now);
/* Puts a message of the compressor into the message queue, or drops it. */
void sampler_send(struct prof *d, const struct message *m, uint64_t now);
/* Passes an input to one component. Returns its output, borrowed until its next step, or NULL.
 */
const struct message *sampler_step(struct prof *d, unsigned stage, const struct message *in,
                                   uint64_t now);
void sampler_stay_busy(struct prof *d);

/* ---- sampler_later.c: deferred work ---- */
/* Counts n > 0 selected tuples, the last of them in this cycle; dropped: there was no room for that
 * one. */
void sampler_selected(struct prof *d, const struct tuple *t, size_t n, uint64_t now, bool dropped);
void sampler_put_off(struct prof *d, struct tuple t, uint64_t now);
/* Defers the tuples of a bundle, while prof.puts_off. */
void sampler_put_off_retired(struct prof *d, const struct retired *bundle, unsigned n,
                             uint64_t now);
/* struct device: catch_up. */
void sampler_catch_up(struct prof *d, uint64_t through);

/* ---- sampler_state.c: struct device ---- */
unsigned sampler_tables(const struct prof *d, struct state_part out[STATE_PARTS_MAX]);
void sampler_ranges(const struct prof *d, struct ranges *rs);
const char *sampler_check(const struct prof *d, bool all);

#endif
