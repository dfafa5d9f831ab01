#include "core/machine/plugin_places.h"

#include <assert.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "core/defs/config_fields.h"
#include "core/defs/kinds.h"
#include "core/machine/params.h"
#include "core/pipe/xprof/bdt.h"
#include "core/prof/sampler/compressor.h"

static const struct place {
	size_t offset; /* of its parameter in struct config */
	int64_t external;
	size_t function; /* offset in struct plugin of the required one */
	const char *function_name;
} places[PLUGIN_COUNT] = {
#define P(id, field, external, name, function)                                                     \
	{offsetof(struct config, field), external, offsetof(struct plugin, function), #function},
	PLUGIN_PLACES(P)
#undef P
};

const struct param *plugin_place_param(enum plugin_place place)
{
	const struct param *p = params;
	while (p->offset != places[place].offset)
		p++;
	return p;
}

static_assert(PLUGIN_COUNT - PLUGIN_STAGE == COMPRESSOR_STAGES_MAX,
              "each component of a chain may be a plug-in");

/* Whether the configuration asks for a plug-in at this place. A stage's place is a word of a text,
 * and its device may be absent. */
static bool plugin_place_is_requested(enum plugin_place place, const struct config *cfg)
{
	if (place >= PLUGIN_STAGE)
		return cfg->sampler &&
		       compressor_externals(cfg->sampler_compressor) > place - PLUGIN_STAGE;
	return config_get(cfg, plugin_place_param(place)) == places[place].external;
}

/* Makes the sampler's chain one of `stages` plug-ins, unless it names plug-ins already. */
static void ask_stages(struct config *cfg, unsigned stages)
{
	size_t n = 0;
	cfg->sampler = 1;
	if (compressor_externals(cfg->sampler_compressor))
		return;
	memset(cfg->sampler_compressor, 0, sizeof cfg->sampler_compressor);
	for (unsigned k = 0; k < stages; k++)
		n += (size_t)snprintf(cfg->sampler_compressor + n,
		                      sizeof cfg->sampler_compressor - n, "%sexternal",
		                      k ? ", " : "");
}

void plugins_ask(const struct plugins *plugins, struct config *cfg)
{
	unsigned stages = 0;
	while (PLUGIN_STAGE + stages < PLUGIN_COUNT && plugins->at[PLUGIN_STAGE + stages])
		stages++;
	if (stages)
		ask_stages(cfg, stages);
	for (unsigned i = 0; i < PLUGIN_STAGE; i++)
		if (plugins->at[i])
			memcpy((char *)cfg + places[i].offset, &places[i].external,
			       sizeof places[i].external);
}

struct plugins plugins_asked(const struct plugins *plugins, const struct config *cfg)
{
	struct plugins asked = {.at = {NULL}};
	for (unsigned i = 0; plugins && i < PLUGIN_COUNT; i++)
		if (plugin_place_is_requested(i, cfg))
			asked.at[i] = plugins->at[i];
	return asked;
}

static bool plugin_place_check_table(const char *plugin, const struct plugin_table *t,
                                     struct err *err)
{
	if (!t->count || t->count > PLUGIN_ENTRIES_MAX)
		return err_set(err, "%s: table '%s' has %" PRIu32 " entries; expected 1 to %d",
		               plugin, t->name, t->count, PLUGIN_ENTRIES_MAX);
	if (!t->bits || t->bits > 64)
		return err_set(err, "%s: table '%s' has entries of %u bits; expected 1 to 64",
		               plugin, t->name, t->bits);
	for (uint32_t i = 0; t->init && i < t->inits; i++)
		if (t->init[i] < plugin_least(t) || t->init[i] > plugin_most(t))
			return err_set(err,
			               "%s: table '%s' begins with %" PRId64
			               ": its entries hold %" PRId64 " to %" PRId64,
			               plugin, t->name, t->init[i], plugin_least(t),
			               plugin_most(t));
	return true;
}

static bool check_plugin(const struct plugin *p, enum plugin_place place, struct err *err)
{
	void (*function)(void);
	memcpy(&function, (const char *)p + places[place].function, sizeof function);
	if (!function)
		return err_set(err, "%s: it has no function '%s', which a %s needs", p->name,
		               places[place].function_name, plugin_place_name(place));
	if (p->tables > PLUGIN_TABLES_MAX)
		return err_set(err, "%s: it has %u tables; expected at most %d", p->name, p->tables,
		               PLUGIN_TABLES_MAX);
	for (unsigned t = 0; t < p->tables; t++)
		if (!plugin_place_check_table(p->name, &p->table[t], err))
			return false;
	return true;
}

/* Reports a plug-in that was given and not asked for, or asked for and not given. */
static bool plugin_place_report_mismatch(enum plugin_place place, const struct plugin *p,
                                         const struct config *cfg, struct err *err)
{
	const struct param *param = plugin_place_param(place);
	char value[PARAM_TEXT_MAX];
	if (!p)
		return err_set(err,
		               "%s %s external, but no plug-in was given for the %s: start with "
		               "--plugin FILE.lua",
		               param->name, place >= PLUGIN_STAGE ? "names" : "is",
		               plugin_place_name(place));
	if (place >= PLUGIN_STAGE && !cfg->sampler)
		return err_set(err, "%s is a %s, but sampler.enable is false; expected true",
		               p->name, plugin_place_name(place));
	return err_set(err, "%s is a %s, but %s is %s; expected external%s", p->name,
	               plugin_place_name(place), param->name,
	               config_format(cfg, param, value, sizeof value),
	               place > PLUGIN_STAGE ? " once more" : "");
}

bool plugins_check(const struct plugins *plugins, const struct config *cfg, struct err *err)
{
	for (unsigned i = 0; i < PLUGIN_COUNT; i++) {
		const struct plugin *p = plugins ? plugins->at[i] : NULL;
		if (plugin_place_is_requested(i, cfg) != (p != NULL))
			return plugin_place_report_mismatch(i, p, cfg, err);
		if (p && !check_plugin(p, i, err))
			return false;
	}
	return true;
}
