/* continue, reverse-continue: to a stop point. */
#include "ui/console/args.h"
#include "ui/remote/commanded.h"

/* Runs `continue N`: passes N - 1 stops at any breakpoint. */
static enum command_result cmd_continue_run_past_stops(struct console *c, const char *args,
                                                       bool forward)
{
	uint64_t n;
	if (!parse_steps(c, args, "stops", &n))
		return CMD_ERROR;
	if (!n)
		return console_fail(c, "0 stops; expected continue N with N of at least 1");
	struct mover *v = commanded_begin(c, forward);
	if (!v)
		return CMD_ERROR;
	do {
		v->halt = (struct halt){.kind = HALT_STEP};
		if (forward)
			motion_continue(v);
		else
			motion_back_continue(v);
		v->at->reached = true;
	} while (--n && mover_info(v).reason == STOPPED_BREAK);
	return commanded_end(v, MOTION_STATUS);
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
	.summary = "run on to a breakpoint, watchpoint or catchpoint, or the program's end",
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
