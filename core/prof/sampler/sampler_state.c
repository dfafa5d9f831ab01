/* The stream sampler's state: functions that read it, its valid ranges, and its invariants. Beside
 * its table (sampler_state.def) there are ranges of elements of queues, and of entries, whose
 * number differs among components. */
#include <string.h>

#include "core/defs/config_fields.h"
#include "core/defs/stats_fields.h"
#include "core/prof/sampler/sampler.h"
#include "core/prof/sampler/sampler_exact.h"
#include "core/prof/sampler/sampler_priv.h"

const struct sampler_exact *sampler_exact_of(const struct prof *d)
{
	return d->cfg->sampler ? d->sampler->exact : NULL;
}

const struct sampler_waiting *sampler_message(const struct prof *d, uint64_t i)
{
	return &d->sampler->messages[sampler_place_in(d->sampler->st->message_head, i,
	                                              d->cfg->sampler_message_queue)];
}

struct tuple sampler_tuple(const struct prof *d, uint64_t i)
{
	return d->sampler->tuples[sampler_place_in(d->sampler->st->tuple_head, i,
	                                           d->cfg->sampler_tuple_queue)];
}

const struct sampler *sampler_of(const struct prof *d)
{
	return d->cfg->sampler ? d->sampler : NULL;
}

uint64_t sampler_held(const struct prof *d)
{
	const struct sampler *s = d->sampler;
	uint64_t sum = s->st->tuple_count + compressor_held(&s->compressor);
	for (unsigned i = 0; i < COMPRESSOR_STAGES_MAX; i++)
		sum += s->st->latched >> i & 1 ? s->st->latch[i].count : 0;
	for (uint64_t i = 0; i < s->st->message_count; i++)
		sum += sampler_message(d, i)->message.count;
	return sum;
}

static const struct state_field state_fields[] = {
#define STATE(...) STATE_ROW(sampler_state, __VA_ARGS__)
#include "core/prof/sampler/sampler_state.def"
#undef STATE
};

unsigned sampler_tables(const struct prof *d, struct state_part out[STATE_PARTS_MAX])
{
	out[0] = STATE_PART("sampler", state_fields, d->sampler->st, 1);
	return 1 + compressor_tables(&d->sampler->compressor, out + 1);
}

void sampler_ranges(const struct prof *d, struct ranges *rs)
{
	static const char name[] = "sampler";
	const struct sampler *s = d->sampler;
	const struct sampler_state *st = s->st;
	const uint64_t tuples = (uint64_t)d->cfg->sampler_tuple_queue,
		       messages = (uint64_t)d->cfg->sampler_message_queue;
	const unsigned stages = s->compressor.spec.count;
#define STATE(...) STATE_RANGE(rs, name, st, __VA_ARGS__)
#include "core/prof/sampler/sampler_state.def"
#undef STATE
	RANGE(rs, name, st->latch, COMPRESSOR_STAGES_MAX, count, RANGE_MOST, RANGE_TIME);
	RANGE(rs, name, st->step, COMPRESSOR_STAGES_MAX, in.count, RANGE_MOST, RANGE_TIME);
	RANGE(rs, name, st->step, COMPRESSOR_STAGES_MAX, out.count, RANGE_MOST, RANGE_TIME);
	RANGE(rs, name, st->step, COMPRESSOR_STAGES_MAX, touch.act, RANGE_MOST, ACT_COUNT - 1);
	for (unsigned i = 0; i < COMPRESSOR_STAGES_MAX; i++)
		RANGE(rs, name, &st->step[i], 1, touch.entry, RANGE_MOST,
		      i < stages ? s->compressor.spec.stage[i].entries - 1 : 0);
	compressor_ranges(&s->compressor, rs);
	RANGE(rs, "sampler messages", s->messages, messages, message.count, RANGE_MOST, RANGE_TIME);
	RANGE(rs, "sampler messages", s->messages, messages, arrived, RANGE_MOST, RANGE_TIME);
}

/* True if kinds, plain and wanted[] follow from the streams. */
static bool selects_as_told(const struct sampler_state *st)
{
	struct sampler_state again = *st;
	sampler_streams_changed(&again);
	return again.kinds == st->kinds && again.plain == st->plain &&
	       !memcmp(again.wanted, st->wanted, sizeof again.wanted);
}

const char *sampler_check(const struct prof *d, bool all)
{
	const struct sampler_state *st = d->sampler->st;
	const struct config *cfg = d->cfg;
	if (st->tuple_head >= (uint64_t)cfg->sampler_tuple_queue ||
	    st->tuple_count > (uint64_t)cfg->sampler_tuple_queue)
		return "the sampler's tuple queue holds more than it can";
	if (st->message_head >= (uint64_t)cfg->sampler_message_queue ||
	    st->message_count > (uint64_t)cfg->sampler_message_queue)
		return "the sampler's message queue holds more than it can";
	if (st->fresh > st->tuple_count || st->latched >> (d->sampler->compressor.spec.count - 1))
		return "the sampler holds what it can't";
	const struct sampler_exact *x = d->sampler->exact;
	if (x && (x->head.selected != d->stats->sampler_selected ||
	          x->head.read != d->stats->sampler_read))
		return "the sampler's exact counts are not of this machine's cycle";
	if (!all)
		return NULL;
	if (!selects_as_told(st))
		return "the sampler selects other instructions than its streams";
	const char *wrong = compressor_check(&d->sampler->compressor);
	return wrong || !x ? wrong : sampler_exact_check(x);
}
