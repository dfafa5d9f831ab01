/* `view`: shows a part of the machine. */
#include "hwviews/grid/view.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "ui/render/render_json.h"
#include "ui/render/render_text.h"
#include "scripting/script.h"
#include "ui/console/args.h"
#include "ui/console/habits.h"
#include "ui/console/view_changes.h"

/* Cuts the word --json out of text; true if it was there. */
static bool cut_json(char *text)
{
	char *at = strstr(text, "--json");
	if (!at || (at != text && at[-1] != ' ') || (at[6] && at[6] != ' '))
		return false;
	memmove(at, at + 6, strlen(at + 6) + 1);
	parse_trim(text);
	return true;
}

static void cmd_view_print_text(struct console *c, const struct grid *g)
{
	char right[64] = "cycle ", digits[32];
	struct text_style style = {
		.width = c->width, .ascii = c->ascii, .marks = true, .right = right};
	strcat(right, group_digits(machine_cycle(c->session->machine), digits));
	char *text = render_text_string(g, &style);
	if (text)
		console_write(c, text, strlen(text));
	free(text);
}

/* The full name of the view that words show. */
static const char *cmd_view_full_name(const struct console *c, const char *words)
{
	char name[64];
	parse_word(words, name, sizeof name);
	const struct view *v = view_find(c->session, name, NULL);
	return v ? v->name : "";
}

static void cmd_view_print_json(struct console *c, const struct grid *g, const char *words)
{
	char *text = render_json_string(g, cmd_view_full_name(c, words),
	                                machine_cycle(c->session->machine));
	if (text)
		console_write(c, text, strlen(text));
	free(text);
}

static enum command_result cmd_view_list_all(struct console *c)
{
	const struct view *v;
	for (unsigned i = 0; (v = view_at(c->session, i)); i++)
		console_print(c, "  %-12s %s\n", v->name, v->title);
	return CMD_OK;
}

static enum command_result cmd_view_exec(struct console *c, const char *args)
{
	struct grid g;
	char *words = alloc_text(args + strspn(args, " \t"));
	if (!words)
		return console_fail(c, "out of memory");
	bool json = cut_json(words);
	const char *name = words + strspn(words, " \t");
	if (!*name) {
		free(words);
		return cmd_view_list_all(c);
	}
	const char *shows = view_named(c->session, name) ? NULL : habit_shows(name);
	if (shows) {
		free(words);
		return console_run(c, shows);
	}
	bool ok = shown_build(c, name, &g);
	if (ok && json)
		cmd_view_print_json(c, &g, name);
	else if (ok)
		cmd_view_print_text(c, &g);
	if (ok && c->answer) {
		if (c->answer->shown)
			grid_deinit(&c->answer->grid);
		c->answer->shown = true;
		c->answer->grid = g;
		c->answer->view = cmd_view_full_name(c, name);
	} else if (ok) {
		grid_deinit(&g);
	}
	free(words);
	return ok ? CMD_OK : CMD_ERROR;
}

const struct command cmd_view = {
	.name = "view",
	.aliases = "v",
	.group = "views",
	.usage = "view [NAME [ARGUMENTS]] [--json]",
	.summary = "show a part of the machine; alone, list the views",
	.help = "`*` marks values changed since the view was shown before, `+`\n"
		"rows that are new. `help NAME` explains a view. Text is as wide as the\n"
		"terminal, or as COLUMNS in the environment; cut text ends in\n"
		"`…`, and JSON has it all.\n"
		"A view's name is a command, too.\n"
		"    view rob        rob        view mem sp 64        view pipe --json",
	.complete = COMPLETE_VIEW,
	.repeats = true,
	.exec = cmd_view_exec,
};
