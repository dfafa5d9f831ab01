/* A compressor's stage that is a plug-in, whose tables are in the machine's arena
 * (core/pipe/plugin.h). The machine resets and checks them. */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/pipe/plugin.h"
#include "core/prof/sampler/compressor.h"

static uint64_t external_hardware_bits(const struct component *c)
{
	return c->plugin_bits;
}

static bool external_take_message(struct compressor *c, unsigned stage, const struct message *in,
                                  struct message *out, struct component_touch *touch)
{
	const bool sent = plugins_take(c->plugins, c->spec.stage[stage].plugin, in, out);
	const bool same = sent && out->tuple.pc == in->tuple.pc &&
	                  out->tuple.value == in->tuple.value && out->count == in->count;
	*touch = (struct component_touch){.act = !sent  ? ACT_KEPT
	                                         : same ? ACT_PASSED
	                                                : ACT_CHANGED,
	                                  .before = in->count,
	                                  .after = sent ? out->count : 0};
	return sent;
}

static bool external_drain(struct compressor *c, unsigned stage, struct message *out,
                           unsigned drained)
{
	return plugins_drain(c->plugins, c->spec.stage[stage].plugin, out, drained);
}

/* The number of the table `counts`, whose entries views show; `tables` if there is none. */
static unsigned external_counts_table(const struct plugin *p)
{
	unsigned t = 0;
	while (t < p->tables && strcmp(p->table[t].name, "counts") != 0)
		t++;
	return t;
}

static void external_adopt(struct component *c, const struct plugin_bank *plugins)
{
	const struct plugin *p = plugins->at[PLUGIN_STAGE + c->plugin];
	const unsigned t = external_counts_table(p);
	c->plugin_bits = plugin_bits(p);
	c->entries = t < p->tables ? p->table[t].count : 1;
}

static struct component_counter external_counter(const struct compressor *c, unsigned stage,
                                                 uint32_t entry)
{
	const unsigned place = PLUGIN_STAGE + c->spec.stage[stage].plugin;
	const struct plugin *p = c->plugins->at[place];
	const unsigned t = external_counts_table(p);
	if (t == p->tables)
		return (struct component_counter){0};
	const int64_t value = plugin_get(&c->plugins->state[place], t, entry),
		      most = plugin_most(&p->table[t]);
	return (struct component_counter){.known = most != 0,
	                                  .used = value > 0,
	                                  .at = value > 0 ? (uint64_t)value : 0,
	                                  .of = (uint64_t)most};
}

static unsigned external_fields(const struct compressor *c, unsigned stage, uint32_t entry,
                                struct entry_field *out)
{
	out[0] = (struct entry_field){"count", .value = external_counter(c, stage, entry).at};
	return 1;
}

/* Rows for the plug-in's tables that have one element for each entry. */
static unsigned external_rows(const struct compressor *c, unsigned stage, uint32_t entry,
                              struct entry_row *out)
{
	const struct component *part = &c->spec.stage[stage];
	const struct plugin_state *state = &c->plugins->state[PLUGIN_STAGE + part->plugin];
	static_assert((int)PLUGIN_TABLES_MAX <= (int)ENTRY_ROWS_MAX, "a row for each table");
	for (unsigned t = 0; t < state->count; t++) {
		const struct plugin_table *table = &state->table[t];
		out[t] = (struct entry_row){.what = NULL};
		if (table->count != part->entries)
			continue;
		const int64_t value = plugin_get(state, t, entry);
		out[t] = (struct entry_row){table->name, ENTRY_SIGNED, .number = (uint64_t)value};
		snprintf(out[t].says, sizeof out[t].says, "0x%" PRIx64 ", of %u bit%s",
		         (uint64_t)value, table->bits, table->bits == 1 ? "" : "s");
	}
	return state->count;
}

static void external_say_touch(const struct component *c, const struct component_touch *touch,
                               struct textbuf *t)
{
	(void)c;
	textbuf_add(t, "%s", component_act_help[touch->act]);
	if (touch->act == ACT_CHANGED)
		textbuf_add(t, ": × %" PRIu64 " for × %" PRIu64, touch->after, touch->before);
}

const struct component_ops component_external = {
	.takes_any = true,
	.counts = true,
	.plugin = true,
	.adopt = external_adopt,
	.bits = external_hardware_bits,
	.in = external_take_message,
	.drain = external_drain,
	.counter = external_counter,
	.fields = external_fields,
	.rows = external_rows,
	.say_touch = external_say_touch,
};
