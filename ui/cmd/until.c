/* until, advance, reverse-until: to a line further on, or to a place. */
#include "ui/console/location.h"
#include "ui/remote/commanded.h"

enum { PLACES_MAX = 64 };

static enum command_result cmd_until_run_to_location(struct console *c, const char *args,
                                                     bool forward, bool own_frame)
{
	uint64_t to[PLACES_MAX];
	const size_t places = *args ? location_stops(c, args, to, PLACES_MAX) : 0;
	struct goal g = {.target = to, .targets = places, .own_frame = own_frame};
	const enum line_motion how = *args ? LINE_TO : LINE_UNTIL;
	if (*args && !places)
		return CMD_ERROR;
	const unsigned level = *args || !forward ? location_level(c) : 0;
	struct mover *v = commanded_begin(c, forward);
	if (!v)
		return CMD_ERROR;
	if (forward)
		motion_line(v, how, level, &g);
	else
		motion_back_line(v, how, level, &g);
	for (size_t i = 0; i < places; i++)
		if (spot_pc(v->at) == to[i])
			motion_enter_inlined(c, to[i], args);
	if (g.gone)
		console_print(c, "Thread %u has ended\n", g.thread + 1u);
	return commanded_end(v, MOTION_SOURCE);
}

static enum command_result cmd_until_exec(struct console *c, const char *args)
{
	return cmd_until_run_to_location(c, args, true, true);
}

static enum command_result cmd_advance_exec(struct console *c, const char *args)
{
	if (!*args)
		return console_fail(c, "no place given; expected advance LOCATION");
	return cmd_until_run_to_location(c, args, true, false);
}

static enum command_result reverse_until(struct console *c, const char *args)
{
	return cmd_until_run_to_location(c, args, false, false);
}

const struct command cmd_until = {
	.name = "until",
	.aliases = "u",
	.group = "running",
	.usage = "until [LOCATION]",
	.summary = "like next, but jumps back don't stop it: leaves a loop",
	.help = "With LOCATION: until this call of the function reaches it, or returns.\n"
		"`advance` stops in functions that it calls, too.",
	.complete = COMPLETE_LOCATION,
	.repeats = true,
	.exec = cmd_until_exec,
};

const struct command cmd_advance = {
	.name = "advance",
	.aliases = "",
	.group = "running",
	.usage = "advance LOCATION",
	.summary = "go on until the program reaches LOCATION, or returns from this function",
	.help = "",
	.complete = COMPLETE_LOCATION,
	.exec = cmd_advance_exec,
};

const struct command cmd_reverse_until = {
	.name = "reverse-until",
	.aliases = "ru",
	.group = "running",
	.usage = "reverse-until [LOCATION]",
	.summary = "go back to a line before this one: leaves a loop at its beginning",
	.help = "With LOCATION: back to the program's last visit of it.",
	.complete = COMPLETE_LOCATION,
	.repeats = true,
	.exec = reverse_until,
};
