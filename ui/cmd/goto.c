/* goto: to a cycle or an instruction, in either direction. */
#include <string.h>

#include "ui/args.h"
#include "ui/motion.h"

static enum command_result go(struct console *c, const char *args)
{
	struct run_stop_info info;
	struct err err;
	struct run_history h;
	uint64_t n, now = machine_cycle(c->session->machine);
	bool began;
	run_history(c->session->run, &h);
	if (!*args)
		return console_fail(c, "goto where? goto CYCLE, +N, -N, #INSTRUCTION, start, live");
	if (*args == '#') {
		if (!parse_seq(args, &n))
			return console_fail(c, "'%s' is no instruction: #81213", args);
		if (!motion_start(c, false))
			return CMD_ERROR;
		began = run_goto_seq(c->session->run, n, &info, &err);
		if (began && info.reason == STOPPED_DONE)
			c->session->selected_seq = n;
		return motion_end_report(c, began, &info, &err, MOTION_STATUS);
	}
	if (!strcmp(args, "start") || !strcmp(args, "begin")) {
		n = h.first_cycle;
	} else if (!strcmp(args, "live") || !strcmp(args, "end") || !strcmp(args, "newest")) {
		n = h.newest_cycle;
	} else if (*args == '+' || *args == '-') {
		uint64_t by;
		if (!parse_count(c, args + 1, 1, &by))
			return CMD_ERROR;
		if (*args == '-' && by > now)
			by = now;
		n = *args == '+' ? now + by : now - by;
	} else if (!parse_count(c, args, 0, &n)) {
		return CMD_ERROR;
	}
	if (!motion_start(c, n > h.newest_cycle))
		return CMD_ERROR;
	began = run_goto_cycle(c->session->run, n, &info, &err);
	return motion_end_report(c, began, &info, &err, MOTION_STATUS);
}

const struct command cmd_goto = {
	.name = "goto",
	.aliases = "g",
	.group = "running",
	.usage = "goto CYCLE | +N | -N | #INSTRUCTION | start | live",
	.summary = "go to a cycle, or to where an instruction was fetched",
	.help = "Forwards and backwards, past any breakpoint. `start` is the beginning of\n"
	        "history, `live` the newest cycle reached. `goto #81213` goes to the cycle in\n"
	        "which instruction 81213 was fetched and selects it for `why`.\n"
	        "    goto 1204377      goto +100      goto -1k      goto #81213",
	.words = "start live",
	.exec = go,
};
