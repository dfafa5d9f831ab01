/* finish, reverse-finish: to after the end of a function's call, or to before it. */
#include "loader/dwarf/inlined.h"
#include "ui/console/location.h"
#include "ui/console/value_text.h"
#include "ui/remote/commanded.h"

/* Prints how the function was left, and its result if it has returned. */
static void cmd_finish_print_result(struct console *c, const struct goal *g)
{
	const struct program *p = c->session->program;
	char name[160], by[160], text[256], value[1024];
	bool in_a0;
	program_addr_text(p, g->fn_lo, name, sizeof name);
	if (g->jump_hi) {
		console_print(c, "%s was left without returning: %s jumped to %s\n", name,
		              program_addr_text(p, g->jump_lo, by, sizeof by),
		              location_at(c, machine_seen_pc(c->session->machine), text,
		                          sizeof text));
		return;
	}
	const bool known = expr_returned(c->exprs, g->fn_lo, g->a, g->fa, &in_a0);
	console_print(c, "Returned from %s%s%s\n", name, in_a0 ? ", a0 = " : "",
	              in_a0 ? value_bits_text(c, g->a[0], 8, 0, text, sizeof text) : "");
	if (!known)
		return;
	console_print(c, "Value returned = %s\n",
	              expr_computed_text(c->exprs, 0, NULL, value, sizeof value));
	expr_keep(c->exprs);
}

static enum command_result cmd_finish_exec(struct console *c, const char *args)
{
	struct goal g;
	char text[256];
	if (*args)
		return console_fail(
			c, "finish takes no argument; `frame` chooses the function to finish");
	const struct frame f = location_frame(c);
	const unsigned level = location_level(c);
	const bool inlined = inlined_name(c->session->program, &f, text, sizeof text);
	struct mover *v = commanded_begin(c, true);
	if (!v)
		return CMD_ERROR;
	motion_line(v, LINE_OUT, level, &g);
	if (g.gone)
		console_print(c, "Thread %u has ended\n", g.thread + 1u);
	else if (commanded_goes_on(v) && inlined)
		console_print(c, "Out of %s, which is inlined here\n", text);
	else if (commanded_goes_on(v))
		cmd_finish_print_result(c, &g);
	return commanded_end(v, MOTION_SOURCE);
}

static enum command_result reverse_finish(struct console *c, const char *args)
{
	if (*args)
		return console_fail(
			c, "reverse-finish takes no argument; `frame` chooses the function");
	const unsigned level = location_level(c);
	struct mover *v = commanded_begin(c, false);
	if (!v)
		return CMD_ERROR;
	struct goal g = {0};
	motion_back_line(v, LINE_OUT, level, &g);
	/* A call's place is in the function that calls, as after a step by an instruction. */
	if (g.s && !g.inlined.count && commanded_goes_on(v))
		motion_enter_inlined(c, spot_pc(v->at), NULL);
	return commanded_end(v, MOTION_SOURCE);
}

const struct command cmd_finish = {
	.name = "finish",
	.aliases = "fin",
	.group = "running",
	.usage = "finish",
	.summary = "go on until the function of the selected frame returns",
	.help = "Prints its result in a0 and, if its type is known, the value, as $.\n"
		"Leaving it by longjmp or an exception counts as well, without a value.\n"
		"Out of an inlined function, to the next line of the one around it.",
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
