/* next, reverse-next, nexti, reverse-nexti: by source lines or instructions, over calls. */
#include "ui/console/args.h"
#include "ui/console/location.h"
#include "ui/console/motion.h"
#include "ui/console/step_goals.h"

typedef bool mover(struct run *r, commit_goal *goal, void *ctx, struct run_stop_info *out,
                   struct err *err);

static enum command_result cmd_next_step_over(struct console *c, const char *args, const char *what,
                                              bool forward, mover *move, commit_goal *goal)
{
	struct run_stop_info info = {0};
	struct err err;
	struct goal g;
	uint64_t n;
	bool began = true;
	unsigned level = location_step_level(c);
	if (!parse_steps(c, args, what, &n))
		return CMD_ERROR;
	goal_init(&g, c->session, level);
	if (!motion_start(c, forward))
		return CMD_ERROR;
	for (uint64_t i = 0; i < n && began && info.reason == STOPPED_DONE && !g.gone; i++) {
		if (i)
			goal_init(&g, c->session, level);
		began = move(c->session->run, goal, &g, &info, &err);
		motion_step_ended(c, &g, began, &info);
		/* Steps by instructions ignore inlined functions. */
		if (goal == goal_next_instruction || goal == goal_instruction_before) {
			motion_enter_inlined(c, machine_seen_pc(c->session->machine), NULL);
			g.inlined.count = SCOPE_DEPTH_MAX;
		}
		level = began && info.reason == STOPPED_DONE ? goal_level(&g) : 0;
	}
	motion_select(c, level);
	return motion_end_report(c, began, &info, &err, MOTION_SOURCE);
}

static enum command_result cmd_next_exec(struct console *c, const char *args)
{
	return cmd_next_step_over(c, args, "lines", true, run_until, goal_next);
}

static enum command_result cmd_nexti_exec(struct console *c, const char *args)
{
	return cmd_next_step_over(c, args, "instructions", true, run_until, goal_next_instruction);
}

static enum command_result reverse_next(struct console *c, const char *args)
{
	return cmd_next_step_over(c, args, "lines", false, run_back_until, goal_line_before);
}

static enum command_result reverse_nexti(struct console *c, const char *args)
{
	return cmd_next_step_over(c, args, "instructions", false, run_back_until,
	                          goal_instruction_before);
}

const struct command cmd_next = {
	.name = "next",
	.aliases = "n",
	.group = "running",
	.usage = "next [LINES]",
	.summary = "go on to the next source line, over calls",
	.help = "Stops at the end of the cycle in which the program reaches another line of\n"
		"this function or returns from it. Several instructions commit in a cycle, so\n"
		"the stop may be a few instructions into the line. Where there are no source\n"
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
