/* The screen's own commands as console commands, for keys, prompt, files and scripts. Without a
 * screen they fail with a message. */
#include "ui/screen/screen_commands.h"

#include <string.h>

#include "ui/screen/cmd.h"

static enum command_result
on_screen(struct console *c, const char *name,
          bool (*exec)(struct screen *s, const char *args, struct err *err), const char *args)
{
	struct err err;
	if (!c->of_screen)
		return console_fail(c,
		                    "'%s' is about the screen, and none is open here; use "
		                    "cyclops PROGRAM on a terminal",
		                    name);
	return exec(c->of_screen, args, &err) ? CMD_OK : console_fail(c, "%s", err.msg);
}

#define SCREEN_COMMAND(id, name_, usage_, help_, ...)                                              \
	static enum command_result run_##id(struct console *c, const char *args)                   \
	{                                                                                          \
		return on_screen(c, name_, exec_##id, args);                                       \
	}                                                                                          \
	const struct command cmd_##id = {.name = name_,                                            \
	                                 .aliases = "",                                            \
	                                 .group = "screen",                                        \
	                                 .usage = usage_,                                          \
	                                 .summary = help_,                                         \
	                                 .help = "",                                               \
	                                 .whole = true,                                            \
	                                 .sessionless = true,                                      \
	                                 .screen = true,                                           \
	                                 .exec = run_##id,                                         \
	                                 __VA_ARGS__};
#include "ui/screen/screen_commands.def"
#undef SCREEN_COMMAND

const struct command *screen_command_find(const char *word, size_t n)
{
	for (unsigned i = 0; i < command_count; i++)
		if (commands[i]->screen && strlen(commands[i]->name) == n &&
		    !strncmp(commands[i]->name, word, n))
			return commands[i];
	return NULL;
}
