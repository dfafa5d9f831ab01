/* A compressor's stage that is a plug-in, whose tables are in the machine's arena
 * (core/pipe/plugin.h). */
#include <string.h>

#include "core/pipe/plugin.h"
#include "core/prof/sampler/compressor_priv.h"

static size_t compress_external_state_bytes(const struct component *c)
{
	(void)c;
	return 0;
}

static uint64_t compress_external_hardware_bits(const struct component *c)
{
	return c->plugin_bits;
}

/* The machine resets the tables. */
static void compress_external_reset_noop(const struct component *c, void *state, uint64_t seed)
{
	(void)c;
	(void)state;
	(void)seed;
}

static uint64_t compress_external_held_weight(const struct component *c, const void *state)
{
	(void)c;
	(void)state;
	return 0;
}

static const char *compress_external_check_noop(const struct component *c, const void *state)
{
	(void)c;
	(void)state;
	return NULL;
}

bool external_in(const struct component *c, struct plugin_bank *plugins, const struct message *in,
                 struct message *out, struct component_touch *touch)
{
	const bool sent = plugins_take(plugins, c->plugin, in, out);
	const bool same = sent && out->tuple.pc == in->tuple.pc &&
	                  out->tuple.value == in->tuple.value && out->count == in->count;
	*touch = (struct component_touch){.act = !sent  ? ACT_KEPT
	                                         : same ? ACT_PASSED
	                                                : ACT_CHANGED,
	                                  .before = in->count,
	                                  .after = sent ? out->count : 0};
	return sent;
}

/* The number of the table `counts`, whose entries views show; `tables` if there is none. */
static unsigned compress_external_counts_table(const struct plugin *p)
{
	unsigned t = 0;
	while (t < p->tables && strcmp(p->table[t].name, "counts") != 0)
		t++;
	return t;
}

void component_be_external(struct component *c, const struct plugin_bank *plugins)
{
	const struct plugin *p = plugins->at[PLUGIN_STAGE + c->plugin];
	const unsigned t = compress_external_counts_table(p);
	c->plugin_bits = plugin_bits(p);
	c->entries = t < p->tables ? p->table[t].count : 1;
}

struct external_view compressor_external(const struct compressor *c, unsigned stage, uint32_t entry)
{
	const unsigned place = PLUGIN_STAGE + c->spec.stage[stage].plugin;
	const struct plugin *p = c->plugins->at[place];
	const unsigned t = compress_external_counts_table(p);
	if (t == p->tables)
		return (struct external_view){0};
	const int64_t value = plugin_get(&c->plugins->state[place], t, entry);
	return (struct external_view){.count = value > 0 ? (uint64_t)value : 0,
	                              .most = (uint64_t)plugin_most(&p->table[t])};
}

const struct component_ops component_external = {
	.takes_any = true,
	.counts = true,
	.bytes = compress_external_state_bytes,
	.bits = compress_external_hardware_bits,
	.reset = compress_external_reset_noop,
	.held = compress_external_held_weight,
	.check = compress_external_check_noop,
};
