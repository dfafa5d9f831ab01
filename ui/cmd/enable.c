/* enable, disable. */
#include "ui/console/stops.h"

static void switch_on(struct console *c, struct stop_point *sp)
{
	(void)c;
	sp->enabled = true;
}

static void switch_off(struct console *c, struct stop_point *sp)
{
	(void)c;
	sp->enabled = false;
}

static enum command_result cmd_enable_exec(struct console *c, const char *args)
{
	return stops_each(c, args, switch_on);
}

static enum command_result cmd_disable_exec(struct console *c, const char *args)
{
	return stops_each(c, args, switch_off);
}

const struct command cmd_enable = {
	.name = "enable",
	.aliases = "en",
	.group = "breakpoints",
	.usage = "enable [NUMBER... | FIRST-LAST]",
	.summary = "let breakpoints stop the program again",
	.help = "",
	.complete = COMPLETE_STOP,
	.exec = cmd_enable_exec,
};

const struct command cmd_disable = {
	.name = "disable",
	.aliases = "dis",
	.group = "breakpoints",
	.usage = "disable [NUMBER... | FIRST-LAST]",
	.summary = "keep breakpoints without stopping at them",
	.help = "",
	.complete = COMPLETE_STOP,
	.exec = cmd_disable_exec,
};
