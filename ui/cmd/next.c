/* next, reverse-next, nexti, reverse-nexti: by source lines or instructions, over calls. */
#include "ui/console/args.h"
#include "ui/remote/commanded.h"

static enum command_result cmd_next_step_over(struct console *c, const char *args, const char *what,
                                              bool forward, enum line_motion how)
{
	struct goal g = {0};
	uint64_t n;
	if (!parse_steps(c, args, what, &n))
		return CMD_ERROR;
	struct mover *v = commanded_begin(c, forward);
	if (!v)
		return CMD_ERROR;
	for (uint64_t i = 0; i < n && commanded_goes_on(v) && !g.gone; i++) {
		if (forward)
			motion_line(v, how, 0, &g);
		else
			motion_back_line(v, how, 0, &g);
	}
	/* Steps by instructions ignore inlined functions. */
	if (how == LINE_OVER_CALL)
		motion_enter_inlined(c, spot_pc(v->at), NULL);
	if (g.gone)
		console_print(c, "Thread %u has ended\n", g.thread + 1u);
	return commanded_end(v, MOTION_SOURCE);
}

static enum command_result cmd_next_exec(struct console *c, const char *args)
{
	return cmd_next_step_over(c, args, "lines", true, LINE_NEXT);
}

static enum command_result cmd_nexti_exec(struct console *c, const char *args)
{
	return cmd_next_step_over(c, args, "instructions", true, LINE_OVER_CALL);
}

static enum command_result reverse_next(struct console *c, const char *args)
{
	return cmd_next_step_over(c, args, "lines", false, LINE_NEXT);
}

static enum command_result reverse_nexti(struct console *c, const char *args)
{
	return cmd_next_step_over(c, args, "instructions", false, LINE_OVER_CALL);
}

const struct command cmd_next = {
	.name = "next",
	.aliases = "n",
	.group = "running",
	.usage = "next [LINES]",
	.summary = "go on to the next source line, over calls",
	.help = "Stops before the first instruction of another line of this function, or of\n"
		"its caller after a return. Several instructions commit in a cycle: values are\n"
		"those at that place, not at the cycle's end. Where there are no source\n"
		"lines, it goes on to the end of the function. Of several threads, the one\n"
		"selected (`thread`) is stepped: others run meanwhile, but don't end it.",
	.repeats = true,
	.exec = cmd_next_exec,
};

const struct command cmd_nexti = {
	.name = "nexti",
	.aliases = "ni",
	.group = "running",
	.usage = "nexti [INSTRUCTIONS]",
	.summary = "go on until one more instruction has committed; a call counts as one, to its "
		   "return",
	.help = "`stepi` goes into calls.",
	.repeats = true,
	.exec = cmd_nexti_exec,
};

const struct command cmd_reverse_next = {
	.name = "reverse-next",
	.aliases = "rn",
	.group = "running",
	.usage = "reverse-next [LINES]",
	.summary = "go back to the beginning of this source line or the one before, over calls",
	.help = "",
	.repeats = true,
	.exec = reverse_next,
};

const struct command cmd_reverse_nexti = {
	.name = "reverse-nexti",
	.aliases = "rni",
	.group = "running",
	.usage = "reverse-nexti [INSTRUCTIONS]",
	.summary = "go back to where one instruction less had committed; a call counts as one",
	.help = "Calls that have returned are stepped over: `reverse-stepi` goes into them.",
	.repeats = true,
	.exec = reverse_nexti,
};
