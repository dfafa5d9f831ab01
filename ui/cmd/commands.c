/* commands: command lines that run when a stop point stops the program. */
#include <stdlib.h>

#include "ui/console/stop_commands.h"
#include "ui/console/stops.h"

/* The newest stop point. */
static const struct stop_point *cmd_commands_newest_stop(const struct console *c)
{
	const struct stop_point *sp, *found = NULL;
	for (unsigned i = 0; (sp = run_stop_at(c->session->run, i)); i++)
		found = sp;
	return found;
}

static enum command_result commands_of(struct console *c, const char *args)
{
	const struct stop_point *sp = *args ? stops_find(c, args) : cmd_commands_newest_stop(c);
	if (!sp)
		return *args ? CMD_ERROR
		             : console_fail(
				       c,
				       "there is no breakpoint yet: `break find`, then `commands`");
	return stop_commands_begin(c, sp->id) ? CMD_OK : CMD_ERROR;
}

const struct command cmd_commands = {
	.name = "commands",
	.aliases = "",
	.group = "breakpoints",
	.usage = "commands [NUMBER]",
	.summary =
		"the lines that follow, up to `end`, run when breakpoint NUMBER stops the program",
	.help = "Without NUMBER it is the newest one; watchpoints and catchpoints\n"
		"have numbers too. With `silent` as the first line the stop is not reported. A\n"
		"command that moves the program ends the list. `end` alone takes the commands\n"
		"away; `info breakpoints` lists them.\n"
		"    break find\n"
		"    commands\n"
		"      silent\n"
		"      print a0\n"
		"      continue\n"
		"    end\n"
		"In one line: commands 1; print a0; continue; end (but `shell` takes the rest\n"
		"of its line, `end` too)",
	.complete = COMPLETE_STOP,
	.exec = commands_of,
};
