/* Help on presets: the machines that --config takes by name. */
#include "ui/help/help_presets.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/sort.h"
#include "core/defs/config.h"
#include "core/machine/params.h"
#include "scripting/config/config_lua.h"
#include "scripting/config/table_file.h"

enum { PRESETS_MAX = 64, NAME_BYTES = 64 };

/* Filled once: presets do not change while the program runs. */
static struct {
	char name[PRESETS_MAX][NAME_BYTES];
	unsigned count;
	bool known;
} presets;

static void help_presets_collect_name(void *ctx, const char *name)
{
	(void)ctx;
	if (presets.count < PRESETS_MAX && strlen(name) < NAME_BYTES)
		strcpy(presets.name[presets.count++], name);
}

static int help_presets_compare_names(const void *a, const void *b)
{
	return strcmp(a, b);
}

const char *help_preset_name(unsigned i)
{
	if (!presets.known) {
		presets.known = true;
		config_each_preset(help_presets_collect_name, NULL);
		sort_stable(presets.name, presets.count, NAME_BYTES, help_presets_compare_names);
	}
	return i < presets.count ? presets.name[i] : NULL;
}

const char *help_preset_summary(const char *name, char *buf, size_t n)
{
	char path[PATH_MAX];
	struct err err;
	struct table_file *t = config_preset_path(name, path, sizeof path, &err)
	                               ? table_file_read(path, "a configuration", &err)
	                               : NULL;
	const struct lua_value *told =
		t ? lua_value_named(table_file_root(t), "description") : NULL;
	snprintf(buf, n, "%s", told ? told->text : "");
	table_file_free(t);
	return buf;
}

void help_put_presets(struct console *c)
{
	char text[256];
	const char *name;
	for (unsigned i = 0; (name = help_preset_name(i)); i++)
		console_print(c, "  %-19s %s\n", name,
		              help_preset_summary(name, text, sizeof text));
	console_print(c, "Choose one with `cyclops --config NAME ...`, or `set config NAME` and "
	                 "`run`.\n`help NAME` lists the parameters that it sets.\n");
}

bool help_put_preset(struct console *c, const char *name)
{
	struct config def, preset;
	struct err err;
	char text[256], is[PARAM_TEXT_MAX], was[PARAM_TEXT_MAX];
	const char *known;
	unsigned i = 0, different = 0;
	while ((known = help_preset_name(i)) && strcmp(known, name) != 0)
		i++;
	config_default(&def);
	preset = def;
	if (!known || !config_load(&preset, name, &err))
		return false;
	console_print(c, "preset %s: %s\n", name, help_preset_summary(name, text, sizeof text));
	for (size_t k = 0; k < param_count; k++) {
		config_format(&preset, &params[k], is, sizeof is);
		config_format(&def, &params[k], was, sizeof was);
		if (!strcmp(is, was))
			continue;
		if (!different++)
			console_print(c, "It differs from the default machine in:\n");
		console_print(c, "  %-24s %s, not %s\n", params[k].name, is, was);
	}
	if (!different)
		console_print(c, "It is the machine that runs without --config.\n");
	console_print(c,
	              "Choose it with `cyclops --config %s ...`, or `set config %s` and `run`.\n",
	              name, name);
	return true;
}
