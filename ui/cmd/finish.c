/* finish, reverse-finish: to after the end of a function's call, or to before it. */
#include "loader/dwarf/inlined.h"
#include "ui/console/location.h"
#include "ui/console/motion.h"
#include "ui/console/step_goals.h"
#include "ui/console/value_text.h"

/* Leaves an inlined function, which has no return value. */
static enum command_result cmd_finish_leave_inlined(struct console *c, struct goal *g,
                                                    const char *name)
{
	struct run_stop_info info;
	struct err err;
	const bool began = run_until(c->session->run, goal_next, g, &info, &err);
	motion_step_ended(c, g, began, &info);
	if (began && info.reason == STOPPED_DONE && !g->gone) {
		console_print(c, "Out of %s, which is inlined here\n", name);
		motion_select(c, goal_level(g));
	}
	return motion_end_report(c, began, &info, &err, MOTION_SOURCE);
}

static enum command_result cmd_finish_exec(struct console *c, const char *args)
{
	struct run_stop_info info;
	struct err err;
	struct goal g;
	char text[256];
	if (*args)
		return console_fail(
			c, "finish takes no argument; `frame` chooses the function to finish");
	const struct frame f = location_frame(c);
	const bool inlined = inlined_name(c->session->program, &f, text, sizeof text);
	goal_init(&g, c->session, location_level(c));
	if (!motion_start(c, true))
		return CMD_ERROR;
	if (goal_leave_inlined(&g))
		return cmd_finish_leave_inlined(c, &g, inlined ? text : "a function");
	bool began = run_until(c->session->run, goal_finish, &g, &info, &err);
	motion_step_ended(c, &g, began, &info);
	const bool returned = began && info.reason == STOPPED_DONE && !g.gone;
	if (returned)
		console_print(
			c, "Returned from %s, a0 = %s\n",
			program_addr_text(c->session->program, g.fn_lo, text, sizeof text - 100),
			value_bits_text(c, g.a[0], 8, 0, text + 156, 100));
	if (returned && expr_returned(c->exprs, g.fn_lo, g.a, g.fa)) {
		char value[1024];
		console_print(c, "Value returned = %s\n",
		              expr_computed_text(c->exprs, 0, NULL, value, sizeof value));
		expr_keep(c->exprs);
	}
	return motion_end_report(c, began, &info, &err, MOTION_SOURCE);
}

static enum command_result reverse_finish(struct console *c, const char *args)
{
	struct run_stop_info info;
	struct err err;
	struct goal g;
	if (*args)
		return console_fail(
			c, "reverse-finish takes no argument; `frame` chooses the function");
	goal_init(&g, c->session, location_level(c));
	if (!motion_start(c, false))
		return CMD_ERROR;
	bool began = run_back_until(c->session->run, goal_called, &g, &info, &err);
	/* The call committed in that cycle: a cycle earlier it is still ahead. */
	if (began && info.reason == STOPPED_DONE && !g.inlined.count)
		began = run_back_cycles(c->session->run, 1, &info, &err);
	motion_step_ended(c, &g, began, &info);
	return motion_end_report(c, began, &info, &err, MOTION_SOURCE);
}

const struct command cmd_finish = {
	.name = "finish",
	.aliases = "fin",
	.group = "running",
	.usage = "finish",
	.summary = "go on until the function of the selected frame returns",
	.help = "Prints its result in a0 and, if its type is known, the value, as $.\n"
		"Leaving it by longjmp counts as well. Out of an inlined function, to the\n"
		"next line of the one around it.",
	.repeats = true,
	.exec = cmd_finish_exec,
};

const struct command cmd_reverse_finish = {
	.name = "reverse-finish",
	.aliases = "rfin",
	.group = "running",
	.usage = "reverse-finish",
	.summary = "go back to where the function of the selected frame was called",
	.help = "",
	.repeats = true,
	.exec = reverse_finish,
};
