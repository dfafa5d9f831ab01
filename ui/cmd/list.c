/* list: source lines. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "ui/console/answer_data.h"
#include "ui/console/args.h"
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
		return console_fail(c, "no line %u: %s has %u lines", first, file, count);
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
	const unsigned first = line > LINES / 2 ? line - LINES / 2 : 1;
	unsigned count;
	if (program_source_text(c->session->program, file, 1, &count) && line > count)
		return console_fail(c, "no line %u: %s has %u lines", line, file, count);
	return cmd_list_print_lines(c, file, first, first + LINES - 1);
}

/* Finds the file in which a bare number is a line. False with c->err. */
static bool cmd_list_find_current_file(struct console *c, struct source_line *at)
{
	struct location where;
	return location_line(c, at) ||
	       (location_parse(c, "1", &where) && line_here(c, &where, at));
}

/* Finds the file of FILE:LINE, whose line may have no code. False with c->err. */
static bool cmd_list_find_named_file(struct console *c, const char *text, struct source_line *at)
{
	struct location where;
	if (location_parse(c, text, &where))
		return line_here(c, &where, at);
	char *first = alloc_format("%.*s:1", (int)(strrchr(text, ':') - text), text);
	const bool ok = first && location_parse(c, first, &where) && line_here(c, &where, at);
	free(first);
	return ok;
}

/* Finds the line that a location, or an end of a range, names; it may have no code. A bare number
 * is a line of *at's file, +N and -N are lines from *at's, or the current one. False with c->err.
 */
static bool cmd_list_parse_line(struct console *c, const char *text, struct source_line *at)
{
	const char *colon = strrchr(text, ':');
	const bool offset = !colon && (*text == '+' || *text == '-');
	const char *digits = colon ? colon + 1 : text + offset;
	const bool number = *digits && !digits[strspn(digits, "0123456789")];
	struct location where;
	if (!number)
		return location_parse(c, text, &where) && line_here(c, &where, at);
	if (colon ? !cmd_list_find_named_file(c, text, at)
	    : offset ? !at->line && !line_here(c, NULL, at)
	             : !at->file && !cmd_list_find_current_file(c, at))
		return false;
	const unsigned long count = strtoul(digits, NULL, 10);
	const long long n = count < INT_MAX ? (long long)count : INT_MAX;
	const long long line = !offset ? n : *text == '+' ? at->line + n : at->line - n;
	if (line < 1 || line >= INT_MAX)
		return console_fail(c, "%s: lines are counted from 1", text), false;
	at->line = (unsigned)line;
	return true;
}

/* Prints FIRST,LAST; without one of them, ten lines. */
static enum command_result cmd_list_print_range(struct console *c, char *text)
{
	struct command_state *st = c->state;
	struct source_line first = {.file = st->list_file}, last;
	char *second = strchr(text, ',');
	*second++ = '\0';
	second += strspn(second, " \t");
	parse_trim(text);
	if (*text && !cmd_list_parse_line(c, text, &first))
		return CMD_ERROR;
	last = first;
	if (*second && !cmd_list_parse_line(c, second, &last))
		return CMD_ERROR;
	if (!*text && !*second)
		return console_fail(c, "expected list FIRST,LAST");
	if (!*text)
		first = (struct source_line){.file = last.file,
		                             .line = last.line < LINES ? 1 : last.line - LINES + 1};
	if (!*second)
		last.line = first.line + LINES - 1;
	if (strcmp(first.file, last.file) != 0)
		return console_fail(c, "the lines are in two files, %s and %s", first.file,
		                    last.file);
	if (last.line < first.line)
		return console_fail(c, "line %u is before line %u", last.line, first.line);
	return cmd_list_print_lines(c, first.file, first.line, last.line);
}

/* True if a comma stands outside of brackets: a range. */
static bool cmd_list_is_range(const char *args)
{
	int depth = 0;
	for (; *args; args++) {
		depth += (*args == '(' || *args == '<') - (*args == ')' || *args == '>');
		if (*args == ',' && !depth)
			return true;
	}
	return false;
}

static enum command_result cmd_list_exec(struct console *c, const char *args)
{
	struct command_state *st = c->state;
	const bool moved = st->list_cycle != machine_cycle(c->session->machine);
	struct source_line at = {.file = moved ? NULL : st->list_file};
	unsigned last;
	if (((!*args || !strcmp(args, "+")) && st->list_file && !moved) ||
	    (c->repeating && st->list_file))
		return cmd_list_print_lines(c, st->list_file, st->list_last + 1,
		                            st->list_last + LINES);
	if (!strcmp(args, "-") && st->list_file) {
		if (st->list_first <= 1)
			return console_fail(c, "already at the beginning of %s", st->list_file);
		last = st->list_first - 1;
		return cmd_list_print_lines(c, st->list_file, last >= LINES ? last - LINES + 1 : 1,
		                            last);
	}
	if (!strcmp(args, "-") || !strcmp(args, ".") || !strcmp(args, "+"))
		args = "";
	if (cmd_list_is_range(args)) {
		char *text = alloc_text(args);
		const enum command_result r = text ? cmd_list_print_range(c, text)
		                                   : console_fail(c, "out of memory");
		free(text);
		return r;
	}
	if (*args ? !cmd_list_parse_line(c, args, &at) : !line_here(c, NULL, &at))
		return CMD_ERROR;
	return cmd_list_print_around(c, at.file, at.line);
}

const struct command cmd_list = {
	.name = "list",
	.aliases = "l",
	.group = "data",
	.usage = "list [LOCATION | FIRST,LAST | + | - | .]",
	.summary = "show source lines: around here, then on; - goes back",
	.help = "    list 20,30           list words.c:20,30      list find,       list ,30\n"
		"    list find,+5         list find,sort          list +10\n"
		"Without FIRST or LAST, ten lines. +10 is ten lines after the current one.",
	.complete = COMPLETE_LOCATION,
	.repeats = true,
	.exec = cmd_list_exec,
};
