/* `echo`: prints a text. */
#include "ui/console/command.h"

static enum command_result echo(struct console *c, const char *args)
{
	console_print(c, "%s\n", args);
	return CMD_OK;
}

const struct command cmd_echo = {
	.name = "echo",
	.aliases = "",
	.group = "support",
	.usage = "echo TEXT",
	.summary = "print TEXT",
	.help = "",
	.sessionless = true,
	.exec = echo,
};
