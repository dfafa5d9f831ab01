/* continue, reverse-continue: to a stop point. */
#include "ui/console/args.h"
#include "ui/console/motion.h"

/* Runs `continue N`: passes N - 1 stops at any breakpoint. */
static enum command_result cmd_continue_run_past_stops(struct console *c, const char *args,
                                                       bool forward)
{
	struct run_stop_info info = {.reason = STOPPED_BREAK};
	struct err err;
	uint64_t n;
	bool began = true;
	if (!parse_steps(c, args, "stops", &n) || !motion_start(c, forward))
		return CMD_ERROR;
	if (!n)
		return console_fail(c, "0 stops; expected continue N with N of at least 1");
	while (n-- && began && info.reason == STOPPED_BREAK)
		began = forward ? run_continue(c->session->run, &info, &err)
		                : run_back_continue(c->session->run, &info, &err);
	return motion_end_report(c, began, &info, &err, MOTION_STATUS);
}

static enum command_result cmd_continue_exec(struct console *c, const char *args)
{
	return cmd_continue_run_past_stops(c, args, true);
}

static enum command_result cmd_reverse_continue_exec(struct console *c, const char *args)
{
	return cmd_continue_run_past_stops(c, args, false);
}

const struct command cmd_continue = {
	.name = "continue",
	.aliases = "c fg",
	.group = "running",
	.usage = "continue [N]",
	.summary = "go on to a breakpoint, watchpoint or catchpoint, or the program's end",
	.help = "With N: to the N-th stop. Ctrl-C stops it with everything intact.",
	.repeats = true,
	.exec = cmd_continue_exec,
};

const struct command cmd_reverse_continue = {
	.name = "reverse-continue",
	.aliases = "rc",
	.group = "running",
	.usage = "reverse-continue [N]",
	.summary = "go back to the latest earlier stop, or the beginning of history",
	.help = "Back to when a watched value changed, a breakpoint was passed, an event\n"
		"happened. Ctrl-C returns to where you were.",
	.repeats = true,
	.exec = cmd_reverse_continue_exec,
};
