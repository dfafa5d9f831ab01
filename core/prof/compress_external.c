/* A stage of a compressor from outside: its tables are a plug-in's, in the machine's arena (core/pipe/plugin.h). */
#include "core/pipe/plugin.h"
#include "core/prof/compress_priv.h"

static size_t bytes(const struct component *c)
{
	(void)c;
	return 0;
}

static uint64_t bits(const struct component *c)
{
	return c->plugin_bits;
}

/* The machine resets the tables. */
static void reset(const struct component *c, void *state, uint64_t seed)
{
	(void)c;
	(void)state;
	(void)seed;
}

static uint64_t held(const struct component *c, const void *state)
{
	(void)c;
	(void)state;
	return 0;
}

static const char *check(const struct component *c, const void *state)
{
	(void)c;
	(void)state;
	return NULL;
}

bool external_in(struct plugin_bank *plugins, const struct message *in, struct message *out, struct component_touch *touch)
{
	const bool sent = plugins_take(plugins, in, out);
	const bool same = sent && out->tuple.pc == in->tuple.pc && out->tuple.value == in->tuple.value && out->count == in->count;
	*touch = (struct component_touch){
		.act = !sent ? ACT_KEPT : same ? ACT_PASSED : ACT_CHANGED, .before = in->count, .after = sent ? out->count : 0};
	return sent;
}

const struct component_ops component_external = {
	.bytes = bytes,
	.bits = bits,
	.reset = reset,
	.held = held,
	.check = check,
};
