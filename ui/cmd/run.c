/* run, start, starti: the program from its beginning. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "core/os/os.h"
#include "hwviews/session/marks.h"
#include "ui/cmd/handle.h"
#include "ui/console/checkpoints.h"
#include "ui/console/here.h"
#include "ui/console/motion.h"
#include "ui/console/traces.h"

static bool cmd_run_restart_program(struct console *c, const char *args)
{
	if (*args == '<') {
		char line[PATH_MAX + 8];
		snprintf(line, sizeof line, "set stdin %s", args + 1 + strspn(args + 1, " \t"));
		if (console_run(c, line) == CMD_ERROR)
			return false;
	} else if (*args) {
		console_fail(
			c, "use `set args` for the program's arguments, run < FILE for its input");
		return false;
	}
	const uint64_t held =
		os_state_const(machine_os_const(c->session->machine))->signals.held_back;
	if (!session_restart(c->session, &c->err) || !handle_hold_back(c, held))
		return false;
	checkpoints_clear(c);
	here_reset(c);
	*motion_hits(c) = (struct stop_hits){0};
	region_motion_begins(c->session);
	return traces_new_run(c);
}

static enum command_result cmd_run_exec(struct console *c, const char *args)
{
	struct run_stop_info info;
	struct err err;
	if (!cmd_run_restart_program(c, args))
		return CMD_ERROR;
	bool began = run_continue(c->session->run, &info, &err);
	return motion_end_report(c, began, &info, &err, MOTION_STATUS);
}

static enum command_result cmd_start_exec(struct console *c, const char *args)
{
	const struct symbol *main_symbol = program_symbol_by_name(c->session->program, "main");
	struct stop_point sp = {
		.kind = STOP_POINT_PC, .text = "main", .enabled = true, .temporary = true};
	if (!main_symbol)
		return console_fail(c, "the program has no symbol 'main'; `starti` stops before "
		                       "its first instruction");
	if (!cmd_run_restart_program(c, args))
		return CMD_ERROR;
	sp.addr = main_symbol->addr;
	if (!run_add_stop(c->session->run, &sp))
		return console_fail(c, "out of memory for a breakpoint");
	struct run_stop_info info;
	struct err err;
	bool began = run_continue(c->session->run, &info, &err);
	if (began && info.reason == STOPPED_BREAK && info.pc == main_symbol->addr &&
	    !region_mark(c->session, "main", &c->err))
		return CMD_ERROR;
	return motion_end_report(c, began, &info, &err, MOTION_STATUS);
}

static enum command_result cmd_starti_exec(struct console *c, const char *args)
{
	if (!cmd_run_restart_program(c, args))
		return CMD_ERROR;
	if (!c->screen)
		motion_status(c);
	return CMD_OK;
}

const struct command cmd_run = {
	.name = "run",
	.aliases = "r",
	.group = "running",
	.usage = "run [< FILE]",
	.summary = "start the program again, with parameters that were `set`, and continue",
	.help = "Breakpoints stay. History begins anew. With < FILE the program's\n"
		"standard input is that file, in this run and later ones, as after\n"
		"`set stdin FILE`.",
	.exec = cmd_run_exec,
};

const struct command cmd_start = {
	.name = "start",
	.aliases = "",
	.group = "running",
	.usage = "start [< FILE]",
	.summary = "start the program again, continue to main and mark it",
	.help = "Then `stats since main` and its kin leave out the part before it.",
	.exec = cmd_start_exec,
};

const struct command cmd_starti = {
	.name = "starti",
	.aliases = "restart",
	.group = "running",
	.usage = "starti [< FILE]",
	.summary = "start the program again and stop before the first cycle",
	.help = "",
	.exec = cmd_starti_exec,
};
