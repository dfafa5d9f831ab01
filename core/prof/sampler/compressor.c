#include "core/prof/sampler/compressor.h"

#include <assert.h>
#include <string.h>

#include "core/prof/sampler/compress_hash.h"

void compressor_be_external(struct compressor_spec *s, const struct plugin_bank *plugins)
{
	for (struct component *c = s->stage; c < s->stage + s->count; c++)
		if (c->ops->adopt)
			c->ops->adopt(c, plugins);
}

/* ---- state in memory ---- */
static size_t compressor_align_bytes(size_t bytes)
{
	return (bytes + 63) & ~(size_t)63;
}

static size_t compressor_stage_bytes(const struct component *c)
{
	return c->ops->bytes ? compressor_align_bytes(c->ops->bytes(c)) : 0;
}

size_t compressor_bytes(const struct compressor_spec *s)
{
	size_t sum = compressor_align_bytes(s->count * sizeof(struct component_flow));
	for (unsigned i = 0; i < s->count; i++)
		sum += compressor_stage_bytes(&s->stage[i]);
	return sum;
}

uint64_t compressor_bits(const struct compressor_spec *s)
{
	uint64_t sum = 0;
	for (unsigned i = 0; i < s->count; i++)
		sum += component_bits(&s->stage[i]);
	return sum;
}

size_t compressor_own_bytes(const struct compressor_spec *s)
{
	size_t sum = 0;
	for (unsigned i = 0; i < s->count; i++)
		sum += component_buckets(&s->stage[i]) ? hasher_bytes() : 0;
	return sum;
}

void compressor_place(struct compressor *c, const struct compressor_spec *s, void *state)
{
	uint8_t *at = state;
	*c = (struct compressor){.spec = *s, .flow = state};
	for (unsigned i = 0; state && i < s->count; i++) {
		at += i ? compressor_stage_bytes(&s->stage[i - 1])
		        : compressor_align_bytes(s->count * sizeof *c->flow);
		c->state[i] = at;
	}
}

bool compressor_init(struct compressor *c, const struct compressor_spec *s, void *state,
                     struct err *err)
{
	compressor_place(c, s, state);
	for (unsigned i = 0; i < s->count; i++) {
		const struct component *part = &s->stage[i];
		if (!component_buckets(part))
			continue;
		c->hasher[i] = hasher_new((enum tuple_hash)part->hash, component_buckets(part),
		                          part->tag_bits);
		if (!c->hasher[i]) {
			compressor_deinit(c);
			return err_set(err, "out of memory for the tables of a hash function");
		}
	}
	return true;
}

void compressor_deinit(struct compressor *c)
{
	for (unsigned i = 0; i < COMPRESSOR_STAGES_MAX; i++)
		hasher_free(c->hasher[i]);
	*c = (struct compressor){0};
}

void compressor_reset(struct compressor *c, uint64_t seed)
{
	memset(c->flow, 0, c->spec.count * sizeof *c->flow);
	for (unsigned i = 0; i < c->spec.count; i++)
		if (c->spec.stage[i].ops->reset)
			c->spec.stage[i].ops->reset(c, i, seed + i);
}

/* ---- tuples and messages ---- */
static inline bool compressor_step_stage(struct compressor *c, unsigned i, const struct message *in,
                                         struct message *out, struct component_touch *touch)
{
	struct component_flow *f = &c->flow[i];
	f->in++;
	f->weight_in += in->count;
	if (!c->spec.stage[i].ops->in(c, i, in, out, touch))
		return false;
	f->out++;
	f->weight_out += out->count;
	return true;
}

bool compressor_stage(struct compressor *c, unsigned stage, const struct message *in,
                      struct message *out, struct component_touch *touch)
{
	struct component_touch unseen;
	return compressor_step_stage(c, stage, in, out, touch ? touch : &unseen);
}

/* Passes a message through the stages from `first` on. */
static bool compressor_run_stages(struct compressor *c, unsigned first, struct message m,
                                  struct message *out)
{
	struct component_touch touch;
	struct message next;
	for (unsigned i = first; i < c->spec.count; i++) {
		if (!compressor_step_stage(c, i, &m, &next, &touch))
			return false;
		m = next;
	}
	*out = m;
	return true;
}

size_t compressor_feed_first(struct compressor *c, const struct tuple *t, size_t n,
                             struct message *out, bool *sent)
{
	const struct component_ops *head = c->spec.stage[0].ops;
	struct component_flow *f = &c->flow[0];
	if (!head->feed) {
		struct component_touch unseen;
		size_t i = 0;
		for (*sent = false; i < n && !*sent; i++)
			*sent = compressor_step_stage(c, 0, &(struct message){t[i], 1}, out,
			                              &unseen);
		return i;
	}
	const size_t took = head->feed(c, 0, t, n, out, sent);
	f->in += took;
	f->weight_in += took;
	if (*sent) {
		f->out++;
		f->weight_out += out->count;
	}
	return took;
}

size_t compressor_feed(struct compressor *c, const struct tuple *t, size_t n, struct message *out,
                       size_t room, size_t *taken)
{
	size_t told = 0, at = 0;
	while (at < n && told < room) {
		struct message m;
		bool sent;
		at += compressor_feed_first(c, t + at, n - at, &m, &sent);
		if (!sent)
			break;
		told += compressor_run_stages(c, 1, m, &out[told]);
	}
	*taken = at;
	return told;
}

bool compressor_take(struct compressor *c, struct tuple t, struct message *out)
{
	size_t taken;
	return compressor_feed(c, &t, 1, out, 1, &taken);
}

bool compressor_drain(struct compressor *c, struct message *out)
{
	for (unsigned i = 0; i < c->spec.count; i++) {
		const struct component_ops *part = c->spec.stage[i].ops;
		struct message m;
		for (unsigned n = 0; part->drain && part->drain(c, i, &m, n); n++) {
			c->flow[i].out++;
			c->flow[i].weight_out += m.count;
			if (compressor_run_stages(c, i + 1, m, out))
				return true;
		}
	}
	return false;
}

/* ---- held tuples ---- */
bool compressor_lossless(const struct compressor *c)
{
	for (unsigned i = 0; i < c->spec.count; i++)
		if (!component_lossless(&c->spec.stage[i]))
			return false;
	return true;
}

uint64_t component_held(const struct compressor *c, unsigned stage)
{
	const struct component_ops *part = c->spec.stage[stage].ops;
	return part->held ? part->held(c, stage) : 0;
}

uint64_t compressor_held(const struct compressor *c)
{
	uint64_t sum = 0;
	for (unsigned i = 0; i < c->spec.count; i++)
		sum += component_held(c, i);
	return sum;
}

static const char *const stage_names[] = {"component 0", "component 1", "component 2",
                                          "component 3"};
static_assert(sizeof stage_names / sizeof *stage_names == COMPRESSOR_STAGES_MAX, "one for each");

void compressor_ranges(const struct compressor *c, struct ranges *rs)
{
	for (unsigned i = 0; i < c->spec.count; i++) {
		const struct component_ops *part = c->spec.stage[i].ops;
		if (part->ranges)
			part->ranges(c, i, stage_names[i], rs);
	}
}

unsigned compressor_tables(const struct compressor *c,
                           struct state_part out[COMPRESSOR_STAGES_MAX])
{
	unsigned n = 0;
	for (unsigned i = 0; i < c->spec.count; i++) {
		const struct component_ops *part = c->spec.stage[i].ops;
		if (part->table)
			out[n++] = part->table(c, i, stage_names[i]);
	}
	return n;
}

const char *compressor_check(const struct compressor *c)
{
	for (unsigned i = 0; i < c->spec.count; i++) {
		const struct component *part = &c->spec.stage[i];
		const char *wrong =
			part->ops->check ? part->ops->check(c, i) : NULL;
		if (wrong)
			return wrong;
		if (component_lossless(part) &&
		    c->flow[i].weight_in != c->flow[i].weight_out + component_held(c, i))
			return "a compressor has lost count of its stream";
	}
	return NULL;
}

/* ---- reading ---- */
uint32_t compressor_index(const struct compressor *c, unsigned stage, struct tuple t)
{
	return c->hasher[stage] ? hasher_index(c->hasher[stage], t) : 0;
}

uint32_t compressor_tag(const struct compressor *c, unsigned stage, struct tuple t)
{
	return hasher_tag(c->hasher[stage], t);
}

struct tuple_hash_steps compressor_hash_steps(const struct compressor *c, unsigned stage,
                                              struct tuple t)
{
	return hasher_steps(c->hasher[stage], t);
}
