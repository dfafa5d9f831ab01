/* P(r): a message for every r-th tuple (section 3.1). */
#include <inttypes.h>

#include "core/prof/sampler/compress_sample.h"

static bool periodic_selects(struct sampler_strata *s, struct stratum *at, uint32_t rate)
{
	(void)s;
	if (++at->at < rate)
		return false;
	at->at = 0;
	return true;
}

static uint64_t periodic_most(const struct component *c)
{
	return c->rate - 1;
}

static bool periodic_possible(const struct stratum *at)
{
	return at->since == at->at;
}

static uint64_t periodic_left(const struct component *c, const struct stratum *at)
{
	return c->rate - at->at;
}

static struct component_counter periodic_count(const struct component *c, const struct stratum *at)
{
	return (struct component_counter){
		.known = true, .used = at->at != 0, .at = at->at, .of = c->rate};
}

static void periodic_say(const struct component *c, const struct component_touch *touch,
                         const char *where, struct textbuf *t)
{
	if (touch->act == ACT_SAMPLED)
		textbuf_add(t, "%s counted to %" PRIu32, where, c->rate);
	else
		textbuf_add(t, "%s stands at %" PRIu64 " of %" PRIu32, where, touch->after,
		            c->rate);
}

static const struct sampler_rule periodic_rule = {
	.counter = "counter",
	.most = periodic_most,
	.possible = periodic_possible,
	.left = periodic_left,
	.count = periodic_count,
	.say = periodic_say,
};

COMPONENT_OF_SAMPLER(periodic, periodic_rule, periodic_selects, .lossless = true);
