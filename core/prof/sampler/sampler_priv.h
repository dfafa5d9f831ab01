/* Between the files of the stream sampler (sampler.h). */
#ifndef CYCLOPS_CORE_PROF_SAMPLER_SAMPLER_PRIV_H
#define CYCLOPS_CORE_PROF_SAMPLER_SAMPLER_PRIV_H

#include "core/prof/common/prof.h"

/* Where the i-th thing of a ring lies. */
static inline uint64_t sampler_place_in(uint64_t head, uint64_t i, int64_t capacity)
{
	uint64_t at = head + i;
	return at >= (uint64_t)capacity ? at - (uint64_t)capacity : at;
}

/* ---- sampler.c: in a cycle `now` ---- */
/* The service thread takes what it has had time for by now: one that has arrived, when it is done
 * with the one before. */
void sampler_serve(struct prof *d, uint64_t now);
/* A message leaves the compressor. */
void sampler_send(struct prof *d, const struct message *m, uint64_t now);
/* One component takes what has come to it. What comes out, borrowed until its next step, or NULL.
 */
const struct message *sampler_step(struct prof *d, unsigned stage, const struct message *in,
                                   uint64_t now);
void sampler_stay_busy(struct prof *d);

/* ---- sampler_later.c: what is put off while nobody looks ---- */
/* n > 0 tuples were selected, the last of them in this cycle; dropped: that one found no room. */
void sampler_selected(struct prof *d, const struct tuple *t, size_t n, uint64_t now, bool dropped);
void sampler_put_off(struct prof *d, struct tuple t, uint64_t now);
/* The tuples of a bundle, while prof.puts_off. */
void sampler_put_off_retired(struct prof *d, const struct retired *bundle, unsigned n,
                             uint64_t now);
/* struct device: catch_up. */
void sampler_catch_up(struct prof *d, uint64_t through);

/* ---- sampler_state.c: struct device ---- */
unsigned sampler_tables(const struct prof *d, struct state_part out[STATE_PARTS_MAX]);
void sampler_ranges(const struct prof *d, struct ranges *rs);
const char *sampler_check(const struct prof *d, bool all);

#endif
