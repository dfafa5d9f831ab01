/* help, apropos. */
#include "ui/help/help.h"

static enum command_result cmd_help_exec(struct console *c, const char *args)
{
	return help_topic(c, args);
}

static enum command_result cmd_apropos_exec(struct console *c, const char *args)
{
	if (!*args)
		return console_fail(
			c, "apropos: no word given; expected apropos WORD, such as apropos cache");
	return help_search(c, args);
}

const struct command cmd_help = {
	.name = "help",
	.aliases = "h ?",
	.group = "support",
	.usage = "help [TOPIC]",
	.summary = "explain a command, view, event, statistic, parameter, word or instruction; "
		   "alone, list the commands",
	.help = "    help forwarding, help reorder buffer, help fdiv.d, help rob\n",
	.complete = COMPLETE_HELP,
	.sessionless = true,
	.exec = cmd_help_exec,
};

const struct command cmd_apropos = {
	.name = "apropos",
	.aliases = "",
	.group = "support",
	.usage = "apropos WORD",
	.summary = "list all help texts that contain WORD",
	.help = "",
	.sessionless = true,
	.exec = cmd_apropos_exec,
};
