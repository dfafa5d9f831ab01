/* Samplers, alone or one for each stratum: what R, Rc and P share (sections 3.1 to 3.3).
 *
 * A sampler is a rule and SAMPLER_OPS(), which makes its component. */
#ifndef CYCLOPS_CORE_PROF_SAMPLER_COMPRESS_SAMPLE_H
#define CYCLOPS_CORE_PROF_SAMPLER_COMPRESS_SAMPLE_H

#include "core/base/hash.h"
#include "core/prof/sampler/compress_hash.h"
#include "core/prof/sampler/compress_read.h"
#include "core/prof/sampler/compressor.h"

/* A plain sampler is one stratum. */
struct stratum {
#define STATE STATE_FIELD
#include "core/prof/sampler/stratum.def"
#undef STATE
};

struct sampler_strata {
	uint64_t random; /* generator's state; all strata share it */
	struct stratum stratum[];
};

struct sampler_rule {
	bool random;         /* it draws random numbers */
	const char *counter; /* the name of stratum.at: "countdown"; NULL: it has none */
	/* The largest stratum.at; and the first one, NULL: 0. */
	uint64_t (*most)(const struct component *c);
	uint32_t (*start)(struct sampler_strata *s, uint32_t rate);
	/* False: no stratum can be in this state. NULL: any state is possible. */
	bool (*possible)(const struct stratum *at);
	/* Tuples from now to the one that is sent; NULL: by chance. */
	uint64_t (*left)(const struct component *c, const struct stratum *at);
	struct component_counter (*count)(const struct component *c, const struct stratum *at);
	/* Adds a step in words; where: "stratum 12". */
	void (*say)(const struct component *c, const struct component_touch *touch,
	            const char *where, struct textbuf *t);
};

/* A number below n < 2^32, all equally likely but for one part in 2^32. */
static inline uint32_t sampler_random_below(struct sampler_strata *s, uint64_t n)
{
	return (uint32_t)((hash_splitmix64_next(&s->random) >> 32) * n >> 32);
}

/* Passes one more tuple to the sampler of this stratum. True if it selects it. */
typedef bool sampler_selects_fn(struct sampler_strata *s, struct stratum *at, uint32_t rate);

static inline __attribute__((always_inline)) bool
sampler_count_tuple(const struct component *c, struct sampler_strata *s,
                    const struct tuple_hasher *h, const struct tuple *t, struct message *out,
                    struct component_touch *touch, sampler_selects_fn *selects)
{
	const uint32_t entry = c->split ? hasher_index(h, *t) : 0;
	struct stratum *at = &s->stratum[entry];
	const uint32_t before = at->since++;
	const bool selected = selects(s, at, c->rate);
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

static inline __attribute__((always_inline)) size_t
sampler_feed_tuples(struct compressor *c, unsigned stage, const struct tuple *t, size_t n,
                    struct message *out, bool *sent, sampler_selects_fn *selects)
{
	const struct component part = c->spec.stage[stage]; /* a copy, which no store can alias */
	struct sampler_strata *s = c->state[stage];
	const struct tuple_hasher *h = c->hasher[stage];
	struct component_touch unseen;
	size_t i = 0;
	for (*sent = false; i < n && !*sent; i++)
		*sent = sampler_count_tuple(&part, s, h, &t[i], out, &unseen, selects);
	return i;
}

/* ---- compress_sample.c ---- */
bool sampler_parse_rate(struct compress_reader *r, struct component *c);
void sampler_format_rate(const struct component *c, struct textbuf *t);
/* The largest stratum.at. */
uint64_t sampler_most(const struct component *c);
size_t sampler_state_bytes(const struct component *c);
uint64_t sampler_hardware_bits(const struct component *c);
void sampler_reset_strata(const struct compressor *c, unsigned stage, uint64_t seed);
uint64_t sampler_held_weight(const struct compressor *c, unsigned stage);
struct state_part sampler_table(const struct compressor *c, unsigned stage, const char *name);
void sampler_strata_ranges(const struct compressor *of, unsigned stage, const char *name,
                           struct ranges *rs);
const char *sampler_check_strata(const struct compressor *c, unsigned stage);
struct component_counter sampler_counter(const struct compressor *c, unsigned stage,
                                         uint32_t entry);
unsigned sampler_fields(const struct compressor *c, unsigned stage, uint32_t entry,
                        struct entry_field *out);
unsigned sampler_entry_rows(const struct compressor *c, unsigned stage, uint32_t entry,
                            struct entry_row *out);
void sampler_say_touch(const struct component *c, const struct component_touch *touch,
                       struct textbuf *t);

/* The descriptor of a sampler, with a rule and a function `selects`; more of its fields follow. */
#define COMPONENT_OF_SAMPLER(name, rule_, selects, ...)                                            \
	static bool name##_take_message(struct compressor *c, unsigned stage,                      \
	                                const struct message *in, struct message *out,             \
	                                struct component_touch *touch)                             \
	{                                                                                          \
		return sampler_count_tuple(&c->spec.stage[stage], c->state[stage],                 \
		                           c->hasher[stage], &in->tuple, out, touch, selects);     \
	}                                                                                          \
	static size_t name##_feed_tuples(struct compressor *c, unsigned stage,                     \
	                                 const struct tuple *t, size_t n, struct message *out,     \
	                                 bool *sent)                                               \
	{                                                                                          \
		return sampler_feed_tuples(c, stage, t, n, out, sent, selects);                    \
	}                                                                                          \
	const struct component_ops component_##name = {.rule = &(rule_),                           \
	                                               .parse = sampler_parse_rate,                \
	                                               .format = sampler_format_rate,              \
	                                               .bytes = sampler_state_bytes,               \
	                                               .reset = sampler_reset_strata,              \
	                                               .bits = sampler_hardware_bits,              \
	                                               .in = name##_take_message,                  \
	                                               .feed = name##_feed_tuples,                 \
	                                               .held = sampler_held_weight,                \
	                                               .ranges = sampler_strata_ranges,            \
	                                               .table = sampler_table,                     \
	                                               .check = sampler_check_strata,              \
	                                               .counter = sampler_counter,                 \
	                                               .fields = sampler_fields,                   \
	                                               .rows = sampler_entry_rows,                 \
	                                               .say_touch = sampler_say_touch,             \
	                                               __VA_ARGS__}

#endif
