/* stepi, reverse-stepi: by committed instructions. */
#include "loader/dwarf/inlined.h"
#include "ui/console/args.h"
#include "ui/remote/commanded.h"

static enum command_result cmd_stepi_move(struct console *c, const char *args, bool forward)
{
	uint64_t n;
	struct mover *v;
	if (!parse_steps(c, args, "instructions", &n) || !(v = commanded_begin(c, forward)))
		return CMD_ERROR;
	inlined_enter(c->session->program, 0, 0);
	if (forward)
		motion_insts(v, n);
	else
		motion_back_insts(v, n);
	motion_enter_inlined(c, spot_pc(v->at), NULL);
	return commanded_end(v, MOTION_STATUS);
}

static enum command_result cmd_stepi_exec(struct console *c, const char *args)
{
	return cmd_stepi_move(c, args, true);
}

static enum command_result reverse_stepi(struct console *c, const char *args)
{
	return cmd_stepi_move(c, args, false);
}

const struct command cmd_stepi = {
	.name = "stepi",
	.aliases = "si",
	.group = "running",
	.usage = "stepi [INSTRUCTIONS]",
	.summary = "go on until one more instruction, or INSTRUCTIONS, have committed",
	.help = "Stops in the cycle in which the last of them commits, before others of the\n"
		"same cycle.",
	.repeats = true,
	.exec = cmd_stepi_exec,
};

const struct command cmd_reverse_stepi = {
	.name = "reverse-stepi",
	.aliases = "rsi",
	.group = "running",
	.usage = "reverse-stepi [INSTRUCTIONS]",
	.summary = "go back until one instruction, or INSTRUCTIONS, are uncommitted again",
	.help = "",
	.repeats = true,
	.exec = reverse_stepi,
};
