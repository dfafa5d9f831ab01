/* `config`: shows the machine's parameters. */
#include "ui/cmd/config.h"

#include <string.h>

#include "core/defs/config.h"
#include "core/defs/devices.h"
#include "core/machine/params.h"
#include "core/machine/plugin_places.h"
#include "core/pipe/plugin.h"
#include "loader/microprogram.h"
#include "loader/program.h"
#include "scripting/config/config_lua.h"
#include "ui/console/args.h"

/* Whether the session has the plug-in, microprogram or firmware of "PLACE=PATH". */
static bool config_has_file(const struct session *s, const char *word)
{
	const struct plugins *have = s->launch.plugins;
	const struct microprogram *cop = program_microprogram(s->program);
	const struct program *firmware = program_firmware(s->program);
	const char *cop_path = config_file_of(word, "cop"),
	           *firmware_path = config_file_of(word, "firmware");
	if (cop_path)
		return cop && !strcmp(cop->path, cop_path);
	if (firmware_path)
		return firmware && !strcmp(program_path(firmware), firmware_path);
	for (unsigned i = 0; have && i < PLUGIN_COUNT; i++) {
		const char *path = config_file_of(word, plugin_place_param(i)->name);
		if (path && have->at[i] && !strcmp(path, have->at[i]->name))
			return true;
	}
	return false;
}

bool config_load_named(struct console *c, const char *name, struct config *out)
{
	struct config_files files = {.count = 0};
	const bool terminal = CONFIG(out, terminal);
	config_default(out);
	bool ok = config_load_files(out, name, &files, &c->err) &&
	          (!terminal || config_set(out, "sim.terminal", "true", &c->err));
	for (unsigned i = 0; ok && i < files.count; i++)
		if (!config_has_file(c->session, files.word[i]))
			ok = err_set(&c->err,
			             "%s names %s, and a session takes files at its start; use "
			             "cyclops -c %s PROGRAM",
			             name, files.word[i], name);
	config_files_deinit(&files);
	return ok;
}

static void put_presets(struct console *c)
{
	char names[256];
	console_print(c, "this is %s; presets: %s\n", c->session->config_name,
	              config_preset_names(names, sizeof names));
}

static enum command_result cmd_config_exec(struct console *c, const char *args)
{
	const struct config *now = machine_config(c->session->machine), *next = &c->session->cfg;
	unsigned shown = 0;
	for (size_t i = 0; i < param_count; i++) {
		const struct param *p = &params[i];
		char value[PARAM_TEXT_MAX], later[PARAM_TEXT_MAX];
		if (!parse_matches(args, p->name) ||
		    (!*args && !param_exists(now, p) && !param_exists(next, p)))
			continue;
		shown++;
		config_format(now, p, value, sizeof value);
		config_format(next, p, later, sizeof later);
		console_print(c, "%-24s = %-10s  %s", p->name, value, p->help);
		if (*p->unit)
			console_print(c, " (%s)", p->unit);
		if (!config_same(now, next, p))
			console_print(c, "; %s from the next run", later);
		console_print(c, "\n");
	}
	if (!*args)
		put_presets(c);
	if (shown)
		return CMD_OK;
	param_find(args, &c->err);
	return CMD_ERROR;
}

const struct command cmd_config = {
	.name = "config",
	.aliases = "",
	.group = "views",
	.usage = "config [PATTERN]",
	.summary = "show the machine's parameters: all, or those with PATTERN in their name",
	.help = "`set NAME = VALUE` changes one for the next `run`, `set config PRESET` all of\n"
		"them. Those of devices that the machine doesn't have are shown when a PATTERN\n"
		"names them. Alone it lists the presets, too.",
	.complete = COMPLETE_PARAM,
	.exec = cmd_config_exec,
};
