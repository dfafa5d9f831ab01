/* `show`: what `set` has set. */
#include <string.h>

#include "core/defs/config.h"
#include "ui/cli/version.h"
#include "ui/console/args.h"

static void put_args(struct console *c)
{
	const struct launch *l = &c->session->launch;
	console_print(c, "args =");
	for (int i = 1; i < l->argc; i++)
		console_print(c, strpbrk(l->argv[i], " \t") || !*l->argv[i] ? " '%s'" : " %s",
		              l->argv[i]);
	console_print(c, "\n");
}

static void put_config(struct console *c)
{
	const struct session *s = c->session;
	console_print(c, "config = %s%s%s\n", s->config_name,
	              s->next_config_name ? "; from the next run " : "",
	              s->next_config_name ? s->next_config_name : "");
}

static void put_echo(struct console *c)
{
	console_print(c, "echo = %s\n", c->echo ? "on" : "off");
}

static void put_width(struct console *c)
{
	console_print(c, "width = %u\n", c->width);
}

static void put_start(struct console *c)
{
	console_print(c, "ui.start = %s\n", c->begins == CONSOLE_BEGINS_RESET ? "reset" : "main");
}

static void put_version(struct console *c)
{
	console_print(c, "cyclops " CYCLOPS_VERSION "\n");
}

static const struct {
	const char *name;
	void (*put)(struct console *c);
} settings[] = {{"args", put_args},      {"config", put_config}, {"echo", put_echo},
                {"ui.start", put_start}, {"width", put_width},   {"version", put_version}};

static enum command_result show(struct console *c, const char *args)
{
	char line[256];
	struct err why;
	for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
		if (*args && strcmp(settings[i].name, args) != 0)
			continue;
		settings[i].put(c);
		if (*args)
			return CMD_OK;
	}
	if (!*args)
		return CMD_OK;
	const struct param *p = param_find(args, &why);
	snprintf(line, sizeof line, "%s %.200s", p ? "config" : "print", args);
	if (p || (strlen(args) <= 200 && console_run(c, line) == CMD_OK))
		return p ? console_run(c, line) : CMD_OK;
	return console_fail(c,
	                    "nothing that `set` sets is called '%s'; right: args, config, echo, "
	                    "ui.start, width, version, a parameter, or what `print` takes",
	                    args);
}

const struct command cmd_show = {
	.name = "show",
	.aliases = "",
	.group = "data",
	.usage = "show [NAME]",
	.summary = "show what `set` has set: alone, all settings but the machine's parameters",
	.help = "    show args                      show config      show version\n"
	        "    show pipe.rob_size             as `config` does\n"
	        "    show counter                   as `print` does\n",
	.words = "args config echo ui.start width version",
	.complete = COMPLETE_PARAM,
	.exec = show,
};
