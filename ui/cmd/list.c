/* list: source lines. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "ui/console/answer_data.h"
#include "ui/console/command_state.h"
#include "ui/console/location.h"

enum { LINES = 10 };

/* Finds the line of a location; `where` NULL: of the selected frame. */
static bool line_here(struct console *c, const struct location *where, struct source_line *at)
{
	const uint64_t pc = where ? where->addr : location_line_pc(c);
	char text[160];
	if (where ? program_line_at(c->session->program, pc, at) && at->line : location_line(c, at))
		return true;
	console_fail(c, "%s has no source lines: %s",
	             program_addr_text(c->session->program, pc, text, sizeof text),
	             program_no_lines(c->session->program));
	return false;
}

static enum command_result cmd_list_print_lines(struct console *c, const char *file, unsigned first,
                                                unsigned last)
{
	struct source_line now = {0};
	unsigned count;
	const struct session *s = c->session;
	if (!program_source_text(s->program, file, 1, &count))
		return console_fail(c, "%s: %s", file, program_source_missing(s->program, file));
	if (first > count)
		return console_fail(c, "%s has %u lines", file, count);
	session_line_here(s, &now);
	json_t *rows = answer_data_rows(c, "lines");
	if (last > count)
		last = count;
	for (unsigned line = first; line <= last; line++) {
		const char *text = program_source_text(s->program, file, line, NULL);
		bool here = now.line == line && now.file && !strcmp(now.file, file);
		console_print(c, "%s%u\t%.*s\n", here ? "=>" : "  ", line,
		              (int)strcspn(text, "\r\n"), text);
		json_t *row = data_row(rows);
		data_text(row, "file", file);
		data_count(row, "line", line);
		data_line(row, "text", text);
		data_bool(row, "current", here);
	}
	c->state->list_file = file;
	c->state->list_first = first;
	c->state->list_last = last;
	c->state->list_cycle = machine_cycle(s->machine);
	return CMD_OK;
}

static enum command_result cmd_list_print_around(struct console *c, const char *file, unsigned line)
{
	unsigned first = line > LINES / 2 ? line - LINES / 2 : 1;
	return cmd_list_print_lines(c, file, first, first + LINES - 1);
}

static bool cmd_list_parse_range(const char *args, unsigned *first, unsigned *last)
{
	char *end;
	unsigned long a = strtoul(args, &end, 10), b;
	if (end == args || *end != ',')
		return false;
	const char *second = end + 1;
	b = strtoul(second, &end, 10);
	*first = (unsigned)a;
	*last = end == second ? (unsigned)a + LINES - 1 : (unsigned)b;
	return !*end && a && *last >= *first && b < UINT_MAX;
}

static enum command_result cmd_list_exec(struct console *c, const char *args)
{
	struct command_state *st = c->state;
	struct source_line at;
	struct location where;
	unsigned first, last;
	bool moved = st->list_cycle != machine_cycle(c->session->machine);
	if ((!*args && st->list_file && !moved) || (c->repeating && st->list_file))
		return cmd_list_print_lines(c, st->list_file, st->list_last + 1,
		                            st->list_last + LINES);
	if (!strcmp(args, "-") && st->list_file) {
		if (st->list_first <= 1)
			return console_fail(c, "already at the beginning of %s", st->list_file);
		last = st->list_first - 1;
		return cmd_list_print_lines(c, st->list_file, last >= LINES ? last - LINES + 1 : 1,
		                            last);
	}
	if (!strcmp(args, "-") || !strcmp(args, "."))
		args = "";
	if (cmd_list_parse_range(args, &first, &last)) {
		if (!st->list_file && !line_here(c, NULL, &at))
			return CMD_ERROR;
		return cmd_list_print_lines(c, st->list_file ? st->list_file : at.file, first,
		                            last);
	}
	if (!location_parse(c, args, &where) ||
	    !line_here(c, *args ? &where : NULL, &at))
		return CMD_ERROR;
	return cmd_list_print_around(c, at.file, at.line);
}

const struct command cmd_list = {
	.name = "list",
	.aliases = "l",
	.group = "data",
	.usage = "list [LOCATION | FIRST,LAST | - | .]",
	.summary = "show source lines: around here, then on; - goes back",
	.help = "",
	.complete = COMPLETE_LOCATION,
	.repeats = true,
	.exec = cmd_list_exec,
};
