/* `config`: shows the machine's parameters. */
#include "core/defs/config.h"
#include "core/defs/devices.h"
#include "core/machine/params.h"

#include <string.h>

#include "scripting/config/config_lua.h"
#include "ui/console/args.h"

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
