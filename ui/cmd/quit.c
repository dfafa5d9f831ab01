/* `quit`: ends the session. */
#include "ui/console/command.h"

static enum command_result cmd_quit_exec(struct console *c, const char *args)
{
	if (*args)
		return console_fail(c, "quit takes no argument");
	return CMD_QUIT;
}

const struct command cmd_quit = {
	.name = "quit",
	.aliases = "q exit",
	.group = "support",
	.usage = "quit",
	.summary = "end the session",
	.help = "",
	.sessionless = true,
	.exec = cmd_quit_exec,
};
