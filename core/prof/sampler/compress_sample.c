#include "core/prof/sampler/compress_sample.h"

#include <inttypes.h>
#include <stdio.h>

enum { COUNTER_BITS = 32, RANDOM_BITS = 64 };

static const struct sampler_rule *sampler_rule_of(const struct component *c)
{
	return c->ops->rule;
}

static const struct stratum *sampler_stratum(const struct compressor *c, unsigned stage,
                                             uint32_t entry)
{
	return &((const struct sampler_strata *)c->state[stage])->stratum[entry];
}

/* ---- text ---- */
bool sampler_parse_rate(struct compress_reader *r, struct component *c)
{
	return compress_read_sign(r, '(', "samplers are written as P(256)") &&
	       compress_read_number(r, "a sampler's rate", 1, COMPRESS_RATE_MAX, &c->rate) &&
	       compress_read_sign(r, ')', "samplers are written as P(256)");
}

void sampler_format_rate(const struct component *c, struct textbuf *t)
{
	textbuf_add(t, "(%" PRIu32 ")", c->rate);
}

/* ---- state ---- */
uint64_t sampler_most(const struct component *c)
{
	return sampler_rule_of(c)->most(c);
}

size_t sampler_state_bytes(const struct component *c)
{
	return sizeof(struct sampler_strata) + c->entries * sizeof(struct stratum);
}

uint64_t sampler_hardware_bits(const struct component *c)
{
	const struct sampler_rule *rule = sampler_rule_of(c);
	const uint64_t each = (c->counted ? COUNTER_BITS : 0) + bits_for(sampler_most(c) + 1);
	return each * c->entries + (rule->random ? RANDOM_BITS : 0);
}

void sampler_reset_strata(const struct compressor *c, unsigned stage, uint64_t seed)
{
	const struct component *part = &c->spec.stage[stage];
	const struct sampler_rule *rule = sampler_rule_of(part);
	struct sampler_strata *s = c->state[stage];
	s->random = seed;
	for (uint32_t i = 0; i < part->entries; i++)
		s->stratum[i] =
			(struct stratum){.at = rule->start ? rule->start(s, part->rate) : 0};
}

uint64_t sampler_held_weight(const struct compressor *c, unsigned stage)
{
	const struct component *part = &c->spec.stage[stage];
	uint64_t sum = 0;
	for (uint32_t i = 0; i < part->entries; i++)
		sum += sampler_stratum(c, stage, i)->since;
	return sum * part->unit;
}

static const struct state_field fields[] = {
#define STATE(...) STATE_ROW(stratum, __VA_ARGS__)
#include "core/prof/sampler/stratum.def"
#undef STATE
};

struct state_part sampler_table(const struct compressor *c, unsigned stage, const char *name)
{
	return STATE_PART(name, fields, sampler_stratum(c, stage, 0), c->spec.stage[stage].entries);
}

void sampler_strata_ranges(const struct compressor *of, unsigned stage, const char *name,
                           struct ranges *rs)
{
	const struct component *c = &of->spec.stage[stage];
	const struct stratum *s = sampler_stratum(of, stage, 0);
#define STATE(...) STATE_ROWS(rs, name, s, c->entries, __VA_ARGS__)
#include "core/prof/sampler/stratum.def"
#undef STATE
}

const char *sampler_check_strata(const struct compressor *c, unsigned stage)
{
	const struct sampler_rule *rule = sampler_rule_of(&c->spec.stage[stage]);
	for (uint32_t i = 0; rule->possible && i < c->spec.stage[stage].entries; i++)
		if (!rule->possible(sampler_stratum(c, stage, i)))
			return "a sampler has counted to where it can't";
	return NULL;
}

/* ---- display ---- */
struct component_counter sampler_counter(const struct compressor *c, unsigned stage, uint32_t entry)
{
	const struct component *part = &c->spec.stage[stage];
	return sampler_rule_of(part)->count(part, sampler_stratum(c, stage, entry));
}

unsigned sampler_fields(const struct compressor *c, unsigned stage, uint32_t entry,
                        struct entry_field *out)
{
	const struct stratum *at = sampler_stratum(c, stage, entry);
	out[0] = (struct entry_field){"at", .value = at->at};
	out[1] = (struct entry_field){"since",
	                              .value = (uint64_t)at->since * c->spec.stage[stage].unit};
	return 2;
}

unsigned sampler_entry_rows(const struct compressor *c, unsigned stage, uint32_t entry,
                            struct entry_row *out)
{
	const struct component *part = &c->spec.stage[stage];
	const struct sampler_rule *rule = sampler_rule_of(part);
	const struct stratum *at = sampler_stratum(c, stage, entry);
	out[0] = (struct entry_row){rule->counter, ENTRY_COUNTER, .number = at->at};
	out[1] = (struct entry_row){part->counted ? "since" : NULL, ENTRY_NUMBER,
	                            .number = (uint64_t)at->since * part->unit,
	                            .says = "tuples since its last message, for the next one"};
	out[2] = (struct entry_row){.what = "message"};
	if (!rule->left) {
		snprintf(out[2].says, sizeof out[2].says, "of one tuple in %s, by chance",
		         GROUPED(part->rate));
		return 3;
	}
	out[2].shows = ENTRY_NUMBER;
	out[2].number = rule->left(part, at);
	out[2].tone = out[2].number == 1 ? ENTRY_HOT : ENTRY_DIM;
	snprintf(out[2].says, sizeof out[2].says, "%s",
	         out[2].number == 1 ? "the very next tuple that comes here is sent"
	                            : "tuples from now: the last of these is sent");
	return 3;
}

void sampler_say_touch(const struct component *c, const struct component_touch *touch,
                       struct textbuf *t)
{
	char where[32] = "the sampler";
	if (c->split)
		snprintf(where, sizeof where, "stratum %" PRIu32, touch->entry);
	sampler_rule_of(c)->say(c, touch, where, t);
	textbuf_add(t, "%s", touch->act == ACT_SAMPLED ? ": a message" : ": no message");
	if (c->counted)
		textbuf_add(t, "; it has counted %" PRIu64,
		            touch->act == ACT_SAMPLED ? touch->before + 1 : touch->after);
}
