/* `show`: prints settings of `set`. */
#include <stdio.h>
#include <string.h>

#include "core/defs/config.h"
#include "core/machine/params.h"
#include "hwviews/grid/view.h"
#include "scripting/expr/expr.h"
#include "ui/cli/version.h"
#include "ui/cmd/print_settings.h"
#include "ui/console/args.h"
#include "ui/console/habits.h"
#include "ui/help/help.h"

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
	console_print(c, "ui.start = %s\n", console_begins_name(c->begins));
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

/* Prints the history of values, or the session's own variables. */
static void cmd_show_print_value(struct console *c, const char *name)
{
	char text[1024];
	console_print(c, "%s = %s\n", name,
	              expr_computed_text(c->exprs, 0, NULL, text, sizeof text));
}

static enum command_result show_values(struct console *c, const char *args)
{
	enum { AT_ONCE = 10 };
	const size_t count = exprs_kept(c->exprs);
	uint64_t to;
	char name[32];
	if (!parse_count(c, args, count, &to))
		return CMD_ERROR;
	to = to > count ? count : to;
	for (size_t i = to > AT_ONCE ? to - AT_ONCE + 1 : 1; i <= to; i++)
		if (expr_kept(c->exprs, i)) {
			snprintf(name, sizeof name, "$%zu", i);
			cmd_show_print_value(c, name);
		}
	if (!to)
		console_print(c, "No values have been printed\n");
	return CMD_OK;
}

static enum command_result show_convenience(struct console *c, const char *args)
{
	char name[160];
	const char *at;
	size_t i = 0;
	(void)args;
	for (; (at = expr_kept_variable(c->exprs, i)); i++) {
		snprintf(name, sizeof name, "$%s", at);
		cmd_show_print_value(c, name);
	}
	if (!i)
		console_print(c, "No variables of your own: `set $i = 0` creates one\n");
	return CMD_OK;
}

static enum command_result cmd_show_exec(struct console *c, const char *args)
{
	static const struct {
		const char *name;
		enum command_result (*show)(struct console *c, const char *args);
	} lists[] = {{"print", print_settings_show},
	             {"values", show_values},
	             {"convenience", show_convenience}};
	char line[256];
	struct err why;
	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
		const size_t n = strlen(lists[i].name);
		if (!strncmp(args, lists[i].name, n) && (!args[n] || args[n] == ' '))
			return lists[i].show(c, args + n + strspn(args + n, " "));
	}
	for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
		if (*args && strcmp(settings[i].name, args) != 0)
			continue;
		settings[i].put(c);
		if (*args)
			return CMD_OK;
	}
	if (!*args)
		return CMD_OK;
	const struct view *v = view_named(c->session, args);
	if (v) {
		snprintf(line, sizeof line, "view %.200s", v->name);
		return console_run(c, line);
	}
	const struct param *p = param_find(args, &why);
	snprintf(line, sizeof line, "%s %.200s", p ? "config" : "print", args);
	if (p || (strlen(args) <= 200 && console_run(c, line) == CMD_OK))
		return p ? console_run(c, line) : CMD_OK;
	const char *shows = habit_shows(args);
	if (shows ? console_run(c, shows) == CMD_OK : help_topic(c, args) == CMD_OK)
		return CMD_OK;
	return console_fail(c,
	                    "there is no setting '%s'; expected args, config, echo, "
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
		"    show counter                   as `print` does\n"
		"    show caches                    as that line would, or a topic of the help\n"
		"    show values                    what was printed: $1, $2, ...\n"
		"    show convenience               variables of your own: $i\n"
		"    show print                     limits of printed values\n",
	.words = "args config convenience echo print values ui.start width version",
	.complete = COMPLETE_PARAM,
	.exec = cmd_show_exec,
};
