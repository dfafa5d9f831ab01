/* until, advance, reverse-until: to a line further on, or to a place. */
#include <string.h>

#include "ui/console/location.h"
#include "ui/console/motion.h"
#include "ui/console/step_goals.h"

enum { PLACES_MAX = 64 };

/* Extends the goal to the line's end, as in gdb: includes following ranges of the line that are no
 * places to stop. */
static void to_end_of_line(struct goal *g)
{
	struct program_stretch at;
	while (g->line.line && program_stretch_at(g->s->program, g->hi, &at) && !at.is_stop &&
	       at.pc == g->hi && at.end > at.pc && at.at.line == g->line.line && at.at.file &&
	       g->line.file && !strcmp(at.at.file, g->line.file))
		g->hi = at.end;
}

static enum command_result cmd_until_run_to_location(struct console *c, const char *args)
{
	struct run_stop_info info;
	struct err err;
	struct goal g;
	uint64_t to[PLACES_MAX];
	const size_t places = *args ? location_stops(c, args, to, PLACES_MAX) : 0;
	commit_goal *goal = goal_next;
	if (*args && !places)
		return CMD_ERROR;
	goal_init(&g, c->session, *args ? location_level(c) : location_step_level(c));
	if (!motion_start(c, true))
		return CMD_ERROR;
	g.forth_only = true;
	if (!*args)
		to_end_of_line(&g);
	if (*args) {
		g.target = to;
		g.targets = places;
		goal = goal_reach_within;
	}
	bool began = run_until(c->session->run, goal, &g, &info, &err);
	motion_step_ended(c, &g, began, &info);
	for (size_t i = 0; i < places; i++)
		if (machine_seen_pc(c->session->machine) == to[i])
			motion_enter_inlined(c, to[i], args);
	if (began && info.reason == STOPPED_DONE)
		motion_select(c, *args ? 0 : goal_level(&g));
	return motion_end_report(c, began, &info, &err, MOTION_SOURCE);
}

static enum command_result cmd_until_exec(struct console *c, const char *args)
{
	return cmd_until_run_to_location(c, args);
}

static enum command_result cmd_advance_exec(struct console *c, const char *args)
{
	if (!*args)
		return console_fail(c, "no place given; expected advance LOCATION");
	return cmd_until_run_to_location(c, args);
}

static enum command_result reverse_until(struct console *c, const char *args)
{
	struct run_stop_info info;
	struct err err;
	struct goal g;
	uint64_t to[PLACES_MAX];
	const size_t places = *args ? location_stops(c, args, to, PLACES_MAX) : 0;
	if (*args && !places)
		return CMD_ERROR;
	goal_init(&g, c->session, location_level(c));
	if (!motion_start(c, false))
		return CMD_ERROR;
	g.forth_only = true;
	g.target = to;
	g.targets = places;
	bool began = run_back_until(c->session->run, *args ? goal_reach : goal_line_before, &g,
	                            &info, &err);
	motion_step_ended(c, &g, began, &info);
	if (began && info.reason == STOPPED_DONE && !*args)
		motion_select(c, goal_level(&g));
	return motion_end_report(c, began, &info, &err, MOTION_SOURCE);
}

const struct command cmd_until = {
	.name = "until",
	.aliases = "u",
	.group = "running",
	.usage = "until [LOCATION]",
	.summary = "like next, but jumps back don't stop it: leaves a loop",
	.help = "With LOCATION: until the program reaches it, or returns from this function.",
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
