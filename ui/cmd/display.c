/* display, undisplay. */
#include "ui/console/display.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "ui/console/args.h"
#include "ui/console/command_state.h"

static enum command_result cmd_display_list_all(struct console *c)
{
	const struct command_state *st = c->state;
	if (!st->display_count)
		console_print(c, "No displays\n");
	for (size_t i = 0; i < st->display_count; i++)
		console_print(c, "%d: %s\n", st->displays[i].id, st->displays[i].line);
	return CMD_OK;
}

static enum command_result cmd_display_exec(struct console *c, const char *args)
{
	char *line, word[32];
	if (!*args)
		return cmd_display_list_all(c);
	parse_word(args, word, sizeof word);
	bool command = !strcmp(word, "view") || !strcmp(word, "why") || !strcmp(word, "list") ||
	               !strncmp(word, "x/", 2);
	/* display/5i is memory, as in gdb; display/x a value. */
	bool memory = *word == '/' && strpbrk(word, "0123456789is");
	if (!(line = alloc_format("%s%s%s",
	                          command  ? ""
	                          : memory ? "x"
	                                   : "print",
	                          *args == '/' || command ? "" : " ", args)))
		return console_fail(c, "out of memory");
	if (c->screen && !strcmp(word, "view")) {
		free(line);
		return console_fail(c, "on the screen a view is shown in a pane: pane %.100s",
		                    args);
	}
	/* Run it now: a display that fails would fail at every stop. */
	bool repeating = c->repeating;
	c->repeating = false;
	enum command_result r = display_run(c, c->state->last_display + 1, line);
	c->repeating = repeating;
	if (r == CMD_OK && !display_add(c, line))
		r = CMD_ERROR;
	free(line);
	return r;
}

static enum command_result cmd_undisplay_exec(struct console *c, const char *args)
{
	uint64_t id;
	if (!parse_count(c, args, 0, &id))
		return CMD_ERROR;
	return display_remove(c, (int)id) ? CMD_OK : CMD_ERROR;
}

const struct command cmd_display = {
	.name = "display",
	.aliases = "",
	.group = "data",
	.usage = "display[/FORMAT] EXPRESSION | view NAME | why | x/... ADDRESS",
	.summary = "show something now and after every stop; alone, list the displays",
	.help = "",
	.complete = COMPLETE_EXPR,
	.exec = cmd_display_exec,
};

const struct command cmd_undisplay = {
	.name = "undisplay",
	.aliases = "",
	.group = "data",
	.usage = "undisplay [NUMBER]",
	.summary = "stop showing a display, or all",
	.help = "",
	.exec = cmd_undisplay_exec,
};
