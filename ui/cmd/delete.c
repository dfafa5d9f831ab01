/* delete, clear. */
#include <string.h>

#include "ui/cmd/checkpoint.h"
#include "ui/console/args.h"
#include "ui/console/location.h"
#include "ui/console/stops.h"

static void cmd_delete_remove_stop(struct console *c, struct stop_point *sp)
{
	run_delete_stop(c->session->run, sp->id);
}

static enum command_result cmd_delete_exec(struct console *c, const char *args)
{
	char word[16];
	const char *rest = parse_word(args, word, sizeof word);
	if (!strcmp(word, "checkpoint"))
		return checkpoint_delete(c, rest);
	return stops_each(c, args, cmd_delete_remove_stop);
}

static bool cmd_clear_is_on_line(struct console *c, uint64_t addr, const struct source_line *line)
{
	struct source_line at;
	return program_line_at(c->session->program, addr, &at) && at.line == line->line &&
	       !strcmp(at.file, line->file);
}

/* Whether the breakpoint is on the line `here`, if that is not NULL, or where `break LOCATION` or
 * `break LOCATION, fetch` would set one. */
static bool cmd_clear_matches(struct console *c, const struct stop_point *sp, uint64_t entry,
                              const uint64_t *places, size_t count,
                              const struct source_line *here)
{
	if (sp->kind != STOP_POINT_PC)
		return false;
	bool found = sp->addr == entry || (here && cmd_clear_is_on_line(c, sp->addr, here));
	for (size_t i = 0; i < count && !found; i++)
		found = sp->addr == places[i];
	return found;
}

static enum command_result cmd_clear_exec(struct console *c, const char *args)
{
	enum { PLACES_MAX = 256 };
	struct location at;
	uint64_t places[PLACES_MAX];
	const struct stop_point *sp;
	unsigned dropped = 0;
	const size_t count = *args ? location_stops(c, args, places, PLACES_MAX) : 0;
	const uint64_t entry = location_parse(c, args, &at) ? at.addr
	                       : count                      ? places[0] : 0;
	if (!entry)
		return CMD_ERROR;
	/* As in gdb, clears all stop points of this line without a location: a stop is after the
	 * instruction.
	 */
	struct source_line here;
	const bool on_line = !*args && program_line_at(c->session->program, entry, &here);
	for (unsigned i = 0; (sp = run_stop_at(c->session->run, i));) {
		if (!cmd_clear_matches(c, sp, entry, places, count, on_line ? &here : NULL)) {
			i++;
			continue;
		}
		console_print(c, "Deleted breakpoint %d\n", sp->id);
		run_delete_stop(c->session->run, sp->id);
		dropped++;
	}
	if (!dropped)
		return console_fail(c, "there is no breakpoint at %s", *args ? args : at.text);
	return CMD_OK;
}

const struct command cmd_delete = {
	.name = "delete",
	.aliases = "d del",
	.group = "breakpoints",
	.usage = "delete [NUMBER... | FIRST-LAST | checkpoint NUMBER]",
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
	.summary = "delete the breakpoints that `break LOCATION` would set, or those of this line",
	.help = "",
	.complete = COMPLETE_LOCATION,
	.exec = cmd_clear_exec,
};
