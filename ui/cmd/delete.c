/* delete, clear. */
#include "ui/console/location.h"
#include "ui/console/stops.h"

static void cmd_delete_remove_stop(struct console *c, struct stop_point *sp)
{
	run_delete_stop(c->session->run, sp->id);
}

static enum command_result cmd_delete_exec(struct console *c, const char *args)
{
	return stops_each(c, args, cmd_delete_remove_stop);
}

static enum command_result cmd_clear_exec(struct console *c, const char *args)
{
	struct location at;
	const struct stop_point *sp;
	unsigned dropped = 0;
	if (!location_parse(c, args, &at))
		return CMD_ERROR;
	for (unsigned i = 0; (sp = run_stop_at(c->session->run, i));) {
		if (sp->kind != STOP_POINT_PC || sp->addr != at.addr) {
			i++;
			continue;
		}
		console_print(c, "Deleted breakpoint %d\n", sp->id);
		run_delete_stop(c->session->run, sp->id);
		dropped++;
	}
	if (!dropped)
		return console_fail(c, "there is no breakpoint at %s", at.text);
	return CMD_OK;
}

const struct command cmd_delete = {
	.name = "delete",
	.aliases = "d del",
	.group = "breakpoints",
	.usage = "delete [NUMBER... | FIRST-LAST]",
	.summary = "delete breakpoints, watchpoints, catchpoints; all without a number",
	.help = "",
	.complete = COMPLETE_STOP,
	.exec = cmd_delete_exec,
};

const struct command cmd_clear = {
	.name = "clear",
	.aliases = "",
	.group = "breakpoints",
	.usage = "clear [LOCATION]",
	.summary = "delete the breakpoints at LOCATION, or here",
	.help = "",
	.complete = COMPLETE_LOCATION,
	.exec = cmd_clear_exec,
};
