/* Rc(r): a message for the next tuple after a countdown from a random number of 1 to 2r - 1
 * (section 3.1, of others' work). */
#include "core/prof/sampler/compress_sample.h"

/* Numbers of 1 to 2r - 1: r on average. */
static uint32_t countdown_draw(struct sampler_strata *s, uint32_t rate)
{
	return 1 + sampler_random_below(s, UINT64_C(2) * rate - 1);
}

static bool countdown_selects(struct sampler_strata *s, struct stratum *at, uint32_t rate)
{
	if (--at->at)
		return false;
	at->at = countdown_draw(s, rate);
	return true;
}

static uint64_t countdown_most(const struct component *c)
{
	return UINT64_C(2) * c->rate - 1;
}

static bool countdown_possible(const struct stratum *at)
{
	return at->at != 0;
}

static uint64_t countdown_left(const struct component *c, const struct stratum *at)
{
	(void)c;
	return at->at;
}

/* A countdown may begin at any value, so it is never empty. */
static struct component_counter countdown_count(const struct component *c, const struct stratum *at)
{
	return (struct component_counter){.known = true,
	                                  .used = true,
	                                  .at = countdown_most(c) - at->at,
	                                  .of = countdown_most(c)};
}

static void countdown_say_counter(const struct component_counter *n, struct textbuf *t)
{
	textbuf_add(t, "%s to go", GROUPED(n->of - n->at));
}

static void countdown_say(const struct component *c, const struct component_touch *touch,
                          const char *where, struct textbuf *t)
{
	(void)c;
	textbuf_add(t,
	            touch->act == ACT_SAMPLED ? "%s selected it, its countdown is over"
	                                      : "the countdown of %s is not over",
	            where);
}

static const struct sampler_rule countdown_rule = {
	.random = true,
	.counter = "countdown",
	.most = countdown_most,
	.start = countdown_draw,
	.possible = countdown_possible,
	.left = countdown_left,
	.count = countdown_count,
	.say = countdown_say,
};

COMPONENT_OF_SAMPLER(countdown, countdown_rule, countdown_selects,
                     .say_counter = countdown_say_counter, .fullest = "nearest to a message");
