/* R(r): a message for one tuple in r, each independently of the others (section 3.1). */
#include "core/prof/sampler/compress_sample.h"

static bool random_selects(struct sampler_strata *s, struct stratum *at, uint32_t rate)
{
	(void)at;
	return !sampler_random_below(s, rate);
}

static uint64_t random_most(const struct component *c)
{
	(void)c;
	return 0;
}

/* R has no counter of its own: it shows C's, if any. */
static struct component_counter random_count(const struct component *c, const struct stratum *at)
{
	return (struct component_counter){
		.known = c->counted, .used = at->since != 0, .at = at->since, .of = c->rate};
}

static void random_say_counter(const struct component_counter *n, struct textbuf *t)
{
	textbuf_add(t, "%s, one in %s is sent", GROUPED(n->at), GROUPED(n->of));
}

static void random_say(const struct component *c, const struct component_touch *touch,
                       const char *where, struct textbuf *t)
{
	if (touch->act == ACT_SAMPLED)
		textbuf_add(t, "%s selected it, by chance", where);
	else
		textbuf_add(t, "%s passed it by, as it does but for one in %s", where,
		            GROUPED(c->rate));
}

static const struct sampler_rule random_rule = {
	.random = true,
	.most = random_most,
	.count = random_count,
	.say = random_say,
};

COMPONENT_OF_SAMPLER(random, random_rule, random_selects, .say_counter = random_say_counter);
