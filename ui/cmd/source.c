/* `source`: runs the commands in a file. */
#include "ui/console/command.h"

static enum command_result cmd_source_exec(struct console *c, const char *args)
{
	if (!*args)
		return console_fail(c, "source: no file given; expected source FILE, of commands");
	return console_source(c, args);
}

const struct command cmd_source = {
	.name = "source",
	.aliases = "",
	.group = "files",
	.usage = "source FILE",
	.summary = "run the commands in FILE, up to one that fails",
	.help = "A line that begins with # is a comment.",
	.complete = COMPLETE_FILE,
	.sessionless = true,
	.files = true,
	.exec = cmd_source_exec,
};
