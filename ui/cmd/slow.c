/* slow: why the program is slow, in a few sentences. */
#include "hwviews/why/slow.h"

#include "core/run/run.h"
#include "ui/cmd/what_if.h"

static void cmd_slow_print_line(void *ctx, const char *line)
{
	console_print(ctx, "%s\n", line);
}

static enum command_result cmd_slow_exec(struct console *c, const char *args)
{
	struct session *s = c->session;
	struct region r;
	struct err why;
	if (!what_if_region(s, args, &r, &c->err))
		return CMD_ERROR;
	if (!console_may(c, "slow runs machines without a budget of steps (m:whatif() has one)"))
		return CMD_ERROR;
	if (!r.given)
		slow_region(s, &r);
	if (r.from >= r.to)
		return console_fail(
			c, "no cycle of that is recorded: `step` executes one; without history "
			   "`view slots` shows the whole run");
	machine_clear_interrupt(s->machine);
	const struct region part = slow_measured(s, &r);
	const struct what_if *w =
		machine_interrupted(s->machine) ? NULL : cmd_what_if_measure(c, &part, &why);
	const bool stopped = machine_interrupted(s->machine);
	machine_clear_interrupt(s->machine);
	if (stopped)
		return console_fail(c, "interrupted");
	return slow_tell(s, &r, w, why.msg, cmd_slow_print_line, c, &c->err) ? CMD_OK : CMD_ERROR;
}

const struct command cmd_slow = {
	.name = "slow",
	.aliases = "whyslow",
	.group = "views",
	.usage = "slow [since NAME | -CYCLES | FROM TO]",
	.summary = "why the program is slow: where, what it waits for, and what would help",
	.help = "Of the last 50,000 cycles, of the whole run once it has ended, or of a part:\n"
		"the cause to which most slots are lost (`view slots`), its place and loop\n"
		"(`view hot`), and the cycles saved by a machine without it, beside the change\n"
		"that saves most (`what-if`, which of a longer part runs 50,000 cycles in\n"
		"which that cause has most slots). It also shows if nothing helps, or why\n"
		"that could not be measured.\n"
		"The same as `why slow`.\n"
		"    slow          slow since main          slow 1000 20000",
	.exec = cmd_slow_exec,
};
