#include "core/prof/sampler/compressor.h"

#include <string.h>

#include "core/pipe/plugin.h"
#include "core/prof/sampler/compressor_priv.h"

const struct component_ops *const component_kinds[COMPONENT_KINDS] = {
#define C(id, letters, name, help) &component_##name,
	COMPONENTS(C)
#undef C
};

const char *const component_act_name[ACT_COUNT] = {
	[ACT_NONE] = "none",
	[ACT_COUNTED] = "counted",
	[ACT_SAMPLED] = "sampled",
#define T(id, name, help) [ACT_##id] = name,
	TAG_TRANSITIONS(T)
#undef T
		[ACT_HIT] = "hit",
	[ACT_PLACED] = "placed",
	[ACT_REPLACED] = "replaced",
	[ACT_FULL] = "full",
	[ACT_KEPT] = "kept",
	[ACT_PASSED] = "passed",
	[ACT_CHANGED] = "changed",
};

const char *const component_act_help[ACT_COUNT] = {
	[ACT_NONE] = "nothing came in",
	[ACT_COUNTED] = "not selected",
	[ACT_SAMPLED] = "selected: a message",
#define T(id, name, help) [ACT_##id] = help,
	TAG_TRANSITIONS(T)
#undef T
	[ACT_HIT] = "counted in its entry",
	[ACT_PLACED] = "a free entry is its own now",
	[ACT_REPLACED] = "the entry that was used longest ago is its own now, and was sent",
	[ACT_FULL] = "its counter can hold no more, and was sent",
	[ACT_KEPT] = "the plug-in keeps it",
	[ACT_PASSED] = "the plug-in lets it go on as it came",
	[ACT_CHANGED] = "the plug-in sends another in its place",
};

/* ---- state in memory ---- */
static size_t compressor_align_bytes(size_t bytes)
{
	return (bytes + 63) & ~(size_t)63;
}

size_t compressor_bytes(const struct compressor_spec *s)
{
	size_t sum = compressor_align_bytes(s->count * sizeof(struct component_flow));
	for (unsigned i = 0; i < s->count; i++)
		sum += compressor_align_bytes(component_ops(&s->stage[i])->bytes(&s->stage[i]));
	return sum;
}

uint64_t component_bits(const struct component *c)
{
	return component_ops(c)->bits(c);
}

uint64_t compressor_bits(const struct compressor_spec *s)
{
	uint64_t sum = 0;
	for (unsigned i = 0; i < s->count; i++)
		sum += component_bits(&s->stage[i]);
	return sum;
}

static bool compressor_stage_uses_hash(const struct component *c)
{
	return c->split || component_ops(c)->hashes;
}

size_t compressor_own_bytes(const struct compressor_spec *s)
{
	size_t sum = 0;
	for (unsigned i = 0; i < s->count; i++)
		sum += compressor_stage_uses_hash(&s->stage[i]) ? hasher_bytes() : 0;
	return sum;
}

void compressor_place(struct compressor *c, const struct compressor_spec *s, void *state)
{
	uint8_t *at = state;
	*c = (struct compressor){.spec = *s, .flow = state};
	for (unsigned i = 0; state && i < s->count; i++) {
		at += compressor_align_bytes(
			i ? component_ops(&s->stage[i - 1])->bytes(&s->stage[i - 1])
			  : s->count * sizeof *c->flow);
		c->state[i] = at;
	}
}

bool compressor_init(struct compressor *c, const struct compressor_spec *s, void *state,
                     struct err *err)
{
	compressor_place(c, s, state);
	for (unsigned i = 0; i < s->count; i++) {
		const struct component *part = &s->stage[i];
		if (!compressor_stage_uses_hash(part))
			continue;
		c->hasher[i] = hasher_new((enum tuple_hash)part->hash, part->entries / part->ways,
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
		component_ops(&c->spec.stage[i])->reset(&c->spec.stage[i], c->state[i], seed + i);
}

/* ---- tuples and messages ---- */
static inline bool compressor_step_stage(struct compressor *c, unsigned i, const struct message *in,
                                         struct message *out, struct component_touch *touch)
{
	struct component_flow *f = &c->flow[i];
	const struct component *part = &c->spec.stage[i];
	f->in++;
	f->weight_in += in->count;
	if (__builtin_expect(part->kind == COMPONENT_EXTERNAL, 0)
	            ? !external_in(part, c->plugins, in, out, touch)
	            : !component_ops(part)->in(part, c->state[i], c->hasher[i], in, out, touch))
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
	const struct component *head = &c->spec.stage[0];
	struct component_flow *f = &c->flow[0];
	if (head->kind == COMPONENT_EXTERNAL) {
		struct component_touch unseen;
		size_t i = 0;
		for (*sent = false; i < n && !*sent; i++)
			*sent = compressor_step_stage(c, 0, &(struct message){t[i], 1}, out,
			                              &unseen);
		return i;
	}
	const size_t took =
		component_ops(head)->feed(head, c->state[0], c->hasher[0], t, n, out, sent);
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

/* Takes the next message out of a stage, after `drained` others in a row. */
static bool compressor_drain_stage(struct compressor *c, unsigned i, struct message *out,
                                   unsigned drained)
{
	const struct component *part = &c->spec.stage[i];
	if (part->kind == COMPONENT_EXTERNAL)
		return plugins_drain(c->plugins, part->plugin, out, drained);
	return component_ops(part)->drain && component_ops(part)->drain(part, c->state[i], out);
}

bool compressor_drain(struct compressor *c, struct message *out)
{
	for (unsigned i = 0; i < c->spec.count; i++) {
		struct message m;
		for (unsigned drained = 0; compressor_drain_stage(c, i, &m, drained); drained++) {
			c->flow[i].out++;
			c->flow[i].weight_out += m.count;
			if (compressor_run_stages(c, i + 1, m, out))
				return true;
		}
	}
	return false;
}

/* ---- held tuples ---- */
bool component_lossless(const struct component *c)
{
	return c->kind == COMPONENT_PERIODIC || c->kind == COMPONENT_TAGGED ||
	       c->kind == COMPONENT_ASSOCIATIVE || c->counted;
}

bool compressor_lossless(const struct compressor *c)
{
	for (unsigned i = 0; i < c->spec.count; i++)
		if (!component_lossless(&c->spec.stage[i]))
			return false;
	return true;
}

uint64_t component_held(const struct compressor *c, unsigned stage)
{
	return component_ops(&c->spec.stage[stage])->held(&c->spec.stage[stage], c->state[stage]);
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
		const struct component *part = &c->spec.stage[i];
		if (component_ops(part)->ranges)
			component_ops(part)->ranges(part, c->state[i], stage_names[i], rs);
	}
}

unsigned compressor_tables(const struct compressor *c,
                           struct state_part out[COMPRESSOR_STAGES_MAX])
{
	unsigned n = 0;
	for (unsigned i = 0; i < c->spec.count; i++) {
		const struct component *part = &c->spec.stage[i];
		if (component_ops(part)->table)
			out[n++] = component_ops(part)->table(part, c->state[i], stage_names[i]);
	}
	return n;
}

const char *compressor_check(const struct compressor *c)
{
	for (unsigned i = 0; i < c->spec.count; i++) {
		const struct component *part = &c->spec.stage[i];
		const char *wrong = component_ops(part)->check(part, c->state[i]);
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

struct sampler_view compressor_sampler(const struct compressor *c, unsigned stage, uint32_t entry)
{
	return sampler_view(&c->spec.stage[stage], c->state[stage], entry);
}

struct tagged_view compressor_tagged(const struct compressor *c, unsigned stage, uint32_t entry)
{
	return tagged_view(c->state[stage], entry);
}

struct associative_view compressor_associative(const struct compressor *c, unsigned stage,
                                               uint32_t entry)
{
	return associative_view(c->state[stage], entry);
}
