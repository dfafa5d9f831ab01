/* `ignore`: passes over the next hits of a breakpoint. */
#include "ui/console/args.h"
#include "ui/console/stops.h"

static enum command_result cmd_ignore_exec(struct console *c, const char *args)
{
	char number[32];
	const char *count = parse_word(args, number, sizeof number);
	uint64_t n;
	if (!*number || !*count)
		return console_fail(c, "expected ignore NUMBER COUNT");
	struct stop_point *sp = stops_find(c, number);
	if (!sp || !parse_count(c, count, 0, &n))
		return CMD_ERROR;
	sp->ignore = n;
	console_print(c, "Will ignore the next %llu hits of %d\n", (unsigned long long)n, sp->id);
	return CMD_OK;
}

const struct command cmd_ignore = {
	.name = "ignore",
	.aliases = "",
	.group = "breakpoints",
	.usage = "ignore NUMBER COUNT",
	.summary = "ignore the next COUNT hits of a breakpoint",
	.help = "",
	.complete = COMPLETE_STOP,
	.exec = cmd_ignore_exec,
};
