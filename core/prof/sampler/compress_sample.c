/* Samplers, alone or one for each stratum: R, Rc, P, with C or without (sections 3.1 to 3.3). */
#include "core/base/hash.h"
#include "core/prof/sampler/compressor_priv.h"

/* A plain sampler is one stratum. */
struct stratum {
#define STATE STATE_FIELD
#include "core/prof/sampler/stratum.def"
#undef STATE
};

struct sampler {
	uint64_t random; /* generator's state; all strata share it */
	struct stratum stratum[];
};

enum { COUNTER_BITS = 32, RANDOM_BITS = 64 };

static size_t compress_sample_state_bytes(const struct component *c)
{
	return sizeof(struct sampler) + c->entries * sizeof(struct stratum);
}

static uint64_t compress_sample_hardware_bits(const struct component *c)
{
	uint64_t each = c->counted ? COUNTER_BITS : 0;
	if (c->kind == COMPONENT_PERIODIC)
		each += bits_for(c->rate);
	else if (c->kind == COMPONENT_COUNTDOWN)
		each += bits_for(UINT64_C(2) * c->rate);
	return each * c->entries + (c->kind == COMPONENT_PERIODIC ? 0 : RANDOM_BITS);
}

/* A number below n < 2^32, all equally likely but for one part in 2^32. */
static uint32_t compress_sample_random_below(struct sampler *s, uint64_t n)
{
	return (uint32_t)((hash_splitmix64_next(&s->random) >> 32) * n >> 32);
}

/* Numbers of 1 to 2r - 1: r on average. */
static uint32_t compress_sample_draw_countdown(struct sampler *s, uint32_t rate)
{
	return 1 + compress_sample_random_below(s, UINT64_C(2) * rate - 1);
}

static void compress_sample_reset_strata(const struct component *c, void *state, uint64_t seed)
{
	struct sampler *s = state;
	s->random = seed;
	for (uint32_t i = 0; i < c->entries; i++)
		s->stratum[i] =
			(struct stratum){.at = c->kind == COMPONENT_COUNTDOWN
		                                       ? compress_sample_draw_countdown(s, c->rate)
		                                       : 0};
}

/* Passes one more tuple to the sampler of this stratum. True if it selects it. */
static inline bool compress_sample_selects_tuple(const struct component *c, struct sampler *s,
                                                 struct stratum *at)
{
	switch (c->kind) {
	case COMPONENT_RANDOM:
		return !compress_sample_random_below(s, c->rate);
	case COMPONENT_COUNTDOWN:
		if (--at->at)
			return false;
		at->at = compress_sample_draw_countdown(s, c->rate);
		return true;
	default:
		if (++at->at < c->rate)
			return false;
		at->at = 0;
		return true;
	}
}

static inline bool compress_sample_count_tuple(const struct component *c, struct sampler *s,
                                               const struct tuple_hasher *h, const struct tuple *t,
                                               struct message *out, struct component_touch *touch)
{
	uint32_t entry = c->split ? hasher_index(h, *t) : 0;
	struct stratum *at = &s->stratum[entry];
	uint32_t before = at->since++;
	bool selected = compress_sample_selects_tuple(c, s, at);
	if (selected) {
		*out = (struct message){*t, (uint64_t)(c->counted ? at->since : c->rate) * c->unit};
		at->since = 0;
	}
	*touch = (struct component_touch){.act = selected ? ACT_SAMPLED : ACT_COUNTED,
	                                  .entry = entry,
	                                  .before = before,
	                                  .after = at->since};
	return selected;
}

static bool compress_sample_process_message(const struct component *c, void *state,
                                            const struct tuple_hasher *h, const struct message *m,
                                            struct message *out, struct component_touch *touch)
{
	return compress_sample_count_tuple(c, state, h, &m->tuple, out, touch);
}

static size_t compress_sample_feed_tuples(const struct component *c, void *state,
                                          const struct tuple_hasher *h, const struct tuple *t,
                                          size_t n, struct message *out, bool *sent)
{
	const struct component part = *c; /* a copy, which no store into the state can alias */
	struct component_touch unseen;
	size_t i = 0;
	for (*sent = false; i < n && !*sent; i++)
		*sent = compress_sample_count_tuple(&part, state, h, &t[i], out, &unseen);
	return i;
}

static uint64_t compress_sample_held_weight(const struct component *c, const void *state)
{
	const struct sampler *s = state;
	uint64_t sum = 0;
	for (uint32_t i = 0; i < c->entries; i++)
		sum += s->stratum[i].since;
	return sum * c->unit;
}

static const struct state_field fields[] = {
#define STATE(...) STATE_ROW(stratum, __VA_ARGS__)
#include "core/prof/sampler/stratum.def"
#undef STATE
};

static struct state_part compress_sample_state_table(const struct component *c, const void *state,
                                                     const char *name)
{
	return STATE_PART(name, fields, ((const struct sampler *)state)->stratum, c->entries);
}

static void compress_sample_state_ranges(const struct component *c, const void *state,
                                         const char *name, struct ranges *rs)
{
	const struct sampler *s = state;
#define STATE(...) STATE_ROWS(rs, name, s->stratum, c->entries, __VA_ARGS__)
#include "core/prof/sampler/stratum.def"
#undef STATE
}

static const char *compress_sample_check_strata(const struct component *c, const void *state)
{
	const struct sampler *s = state;
	for (uint32_t i = 0; i < c->entries; i++) {
		const struct stratum *at = &s->stratum[i];
		if ((c->kind == COMPONENT_COUNTDOWN && !at->at) ||
		    (c->kind == COMPONENT_PERIODIC && at->since != at->at))
			return "a sampler has counted to where it can't";
	}
	return NULL;
}

struct sampler_view sampler_view(const struct component *c, const void *state, uint32_t entry)
{
	const struct stratum *at = &((const struct sampler *)state)->stratum[entry];
	return (struct sampler_view){.at = at->at, .since = (uint64_t)at->since * c->unit};
}

const struct component_ops component_sampler = {
	.bytes = compress_sample_state_bytes,
	.bits = compress_sample_hardware_bits,
	.reset = compress_sample_reset_strata,
	.in = compress_sample_process_message,
	.feed = compress_sample_feed_tuples,
	.held = compress_sample_held_weight,
	.ranges = compress_sample_state_ranges,
	.table = compress_sample_state_table,
	.check = compress_sample_check_strata,
};
