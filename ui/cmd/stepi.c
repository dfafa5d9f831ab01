/* stepi, reverse-stepi: by committed instructions. */
#include "ui/console/args.h"
#include "ui/console/motion.h"

static enum command_result cmd_stepi_exec(struct console *c, const char *args)
{
	struct run_stop_info info;
	struct err err;
	uint64_t n;
	if (!parse_steps(c, args, "instructions", &n) || !motion_start(c, true))
		return CMD_ERROR;
	bool began = run_insts(c->session->run, n, true, &info, &err);
	motion_enter_inlined(c, machine_seen_pc(c->session->machine), NULL);
	return motion_end_report(c, began, &info, &err, MOTION_STATUS);
}

static enum command_result reverse_stepi(struct console *c, const char *args)
{
	struct run_stop_info info;
	struct err err;
	uint64_t n;
	if (!parse_steps(c, args, "instructions", &n) || !motion_start(c, false))
		return CMD_ERROR;
	bool began = run_back_insts(c->session->run, n, &info, &err);
	motion_enter_inlined(c, machine_seen_pc(c->session->machine), NULL);
	return motion_end_report(c, began, &info, &err, MOTION_STATUS);
}

const struct command cmd_stepi = {
	.name = "stepi",
	.aliases = "si",
	.group = "running",
	.usage = "stepi [INSTRUCTIONS]",
	.summary = "go on until one more instruction, or INSTRUCTIONS, have committed",
	.help = "Stops at the end of the cycle in which the last of them commits; others may\n"
		"commit in the same cycle.",
	.repeats = true,
	.exec = cmd_stepi_exec,
};

const struct command cmd_reverse_stepi = {
	.name = "reverse-stepi",
	.aliases = "rsi",
	.group = "running",
	.usage = "reverse-stepi [INSTRUCTIONS]",
	.summary = "go back until one instruction, or INSTRUCTIONS, are uncommitted again",
	.help = "Stops at the end of the latest such cycle that has a commit.",
	.repeats = true,
	.exec = reverse_stepi,
};
