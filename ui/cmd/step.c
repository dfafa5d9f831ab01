/* step, reverse-step: by cycles. */
#include "ui/console/args.h"
#include "ui/console/motion.h"

static enum command_result cmd_step_exec(struct console *c, const char *args)
{
	struct run_stop_info info;
	struct err err;
	uint64_t n;
	if (!parse_steps(c, args, "cycles", &n) || !motion_start(c, true))
		return CMD_ERROR;
	bool began = run_cycles(c->session->run, n, true, &info, &err);
	motion_enter_inlined(c, machine_seen_pc(c->session->machine), NULL);
	return motion_end_report(c, began, &info, &err, MOTION_STATUS);
}

static enum command_result cmd_reverse_step_exec(struct console *c, const char *args)
{
	struct run_stop_info info;
	struct err err;
	uint64_t n;
	if (!parse_steps(c, args, "cycles", &n) || !motion_start(c, false))
		return CMD_ERROR;
	bool began = run_back_cycles(c->session->run, n, &info, &err);
	motion_enter_inlined(c, machine_seen_pc(c->session->machine), NULL);
	return motion_end_report(c, began, &info, &err, MOTION_STATUS);
}

const struct command cmd_step = {
	.name = "step",
	.aliases = "s",
	.group = "running",
	.usage = "step [CYCLES]",
	.summary = "go on by one clock cycle, or by CYCLES",
	.help = "For a source line use `next`, for an instruction\n"
		"`stepi`. Breakpoints on the way stop it. Stepping through recorded history\n"
		"repeats it exactly.\n"
		"    step        step 20        step 10k",
	.repeats = true,
	.exec = cmd_step_exec,
};

const struct command cmd_reverse_step = {
	.name = "reverse-step",
	.aliases = "rs",
	.group = "running",
	.usage = "reverse-step [CYCLES]",
	.summary = "go back by one clock cycle, or by CYCLES",
	.help = "The machine is then exactly as it was in that cycle: registers, memory,\n"
		"queues, caches, predictors. The program's output stays written and\n"
		"is not repeated when you go on.",
	.repeats = true,
	.exec = cmd_reverse_step_exec,
};
