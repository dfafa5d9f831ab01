/* `condition`: makes a breakpoint stop only where an expression holds. */
#include <string.h>

#include "ui/console/args.h"
#include "ui/console/stops.h"

static enum command_result cmd_condition_exec(struct console *c, const char *args)
{
	char number[32];
	const char *expr = parse_word(args, number, sizeof number);
	if (!*number)
		return console_fail(c,
		                    "no breakpoint given; expected condition NUMBER [EXPRESSION]");
	struct stop_point *sp = stops_find(c, number);
	if (!sp)
		return CMD_ERROR;
	if (!strncmp(expr, "if ", 3))
		expr += 3;
	if (!stops_set_condition(c, sp, *expr ? expr : NULL))
		return CMD_ERROR;
	if (!*expr)
		console_print(c, "%s %d now unconditional\n", stops_noun(sp), sp->id);
	return CMD_OK;
}

const struct command cmd_condition = {
	.name = "condition",
	.aliases = "cond",
	.group = "breakpoints",
	.usage = "condition NUMBER [EXPRESSION]",
	.summary = "stop at breakpoint NUMBER only if EXPRESSION holds; without it, always",
	.help = "nil, false and 0 do not hold. An expression that fails stops the program\n"
		"and reports the error.",
	.complete = COMPLETE_STOP,
	.exec = cmd_condition_exec,
};
