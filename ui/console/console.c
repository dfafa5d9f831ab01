/* Command lines: finding commands, running them, and printing their answers. */
#include "ui/console/command.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/nearest_word.h"
#include "hwviews/grid/view.h"
#include "scripting/expr/expr.h"
#include "ui/console/answer_lines.h"
#include "ui/console/command_state.h"
#include "ui/console/display.h"
#include "ui/console/habits.h"
#include "ui/console/lua.h"
#include "ui/console/lua_commands.h"
#include "ui/console/stop_commands.h"
#include "ui/console/stops.h"
#include "ui/console/traces.h"
#include "ui/console/value_failures.h"
#include "ui/render/safe_print.h"
#include "ui/render/terminal.h"

#define COMMAND(id) extern const struct command cmd_##id;
#include "ui/cmd/commands.def"
#undef COMMAND

const struct command *const commands[] = {
#define COMMAND(id) &cmd_##id,
#include "ui/cmd/commands.def"
#undef COMMAND
};
const unsigned command_count = sizeof commands / sizeof *commands;

bool console_init(struct console *c, struct session *s,
                  void (*write)(void *ctx, const char *text, size_t n), void *ctx, struct err *err)
{
	*c = (struct console){.session = s,
	                      .write = write,
	                      .write_ctx = ctx,
	                      .width = terminal_width(),
	                      .ascii = !terminal_utf8()};
	c->state = state_new();
	c->quiz = c->state ? &c->state->quiz : NULL;
	if (!c->state)
		return err_set(err, "out of memory for the console");
	c->exprs = exprs_new(s, err);
	if (!c->exprs) {
		state_free(c->state);
		return false;
	}
	if (s) {
		s->displays = displays_tell;
		s->displays_ctx = c;
	}
	return true;
}

bool console_end(struct console *c, struct err *err)
{
	stops_release(c);
	if (c->state && c->state->signal_listener)
		machine_unlisten(c->session->machine, c->state->signal_listener);
	if (c->state)
		c->state->signal_listener = 0;
	bool ok = lua_free(c, err);
	return traces_finish(c, ok ? err : NULL) && ok;
}

void console_deinit(struct console *c)
{
	if (c->session && c->session->displays_ctx == c)
		c->session->displays = NULL;
	console_end(c, NULL);
	lua_commands_free(c->state);
	stop_commands_free(c->state->stop_commands);
	state_free(c->state);
	free(c->last);
	exprs_free(c->exprs);
	*c = (struct console){0};
}

void console_write(struct console *c, const char *text, size_t n)
{
	say_to(c->write, c->write_ctx, text, n);
}

void console_print(struct console *c, const char *fmt, ...)
{
	char buf[1024], *text = buf;
	va_list ap;
	va_start(ap, fmt);
	int n = vsnprintf(buf, sizeof buf, fmt, ap);
	va_end(ap);
	if (n < 0)
		return;
	if ((size_t)n >= sizeof buf) {
		va_start(ap, fmt);
		text = alloc_format_args(fmt, ap);
		va_end(ap);
		if (!text)
			return;
	}
	console_write(c, text, (size_t)n);
	if (text != buf)
		free(text);
}

bool console_may(struct console *c, const char *what)
{
	return reach_allows(c->session ? c->session->reach : REACH_ALL, what, &c->err);
}

enum command_result console_fail(struct console *c, const char *fmt, ...)
{
	va_list ap;
	struct err err; /* the arguments may point into c->err */
	va_start(ap, fmt);
	vsnprintf(err.msg, sizeof err.msg, fmt, ap);
	va_end(ap);
	c->err = err;
	return CMD_ERROR;
}

/* ---- finding ---- */
bool command_has_alias(const struct command *cmd, const char *word)
{
	size_t n = strlen(word);
	for (const char *w = cmd->aliases; *w; w += strspn(w, " ")) {
		size_t len = strcspn(w, " ");
		if (len == n && !strncmp(w, word, n))
			return true;
		w += len;
	}
	return false;
}

const struct command *command_at(struct console *c, unsigned i)
{
	if (i < command_count)
		return commands[i];
	return c ? lua_command_at(c, i - command_count) : NULL;
}

const struct command *command_find(struct console *c, const char *word, struct err *err)
{
	enum { SUGGESTED_MAX = 12 };
	const struct command *cmd, *found = NULL;
	struct nearest near;
	const char *right;
	char candidates[256] = "";
	unsigned count = 0, plain = 0; /* plain: neither of the screen nor a script's */
	nearest_init(&near, word);
	for (unsigned i = 0; (cmd = command_at(c, i)); i++) {
		if (!strcmp(cmd->name, word) || command_has_alias(cmd, word))
			return cmd;
		nearest_offer(&near, cmd->name);
		const bool other = cmd->screen || i >= command_count;
		if (strncmp(cmd->name, word, strlen(word)) != 0 || (other && plain))
			continue;
		plain += !other;
		size_t used = strlen(candidates);
		if (count++ < SUGGESTED_MAX)
			snprintf(candidates + used, sizeof candidates - used, "%s%s",
			         used ? ", " : "", cmd->name);
		found = cmd;
	}
	if (count == 1)
		return found;
	if (count)
		err_set(err, "'%s' may be: %s%s", word, candidates,
		        count > SUGGESTED_MAX ? ", ..." : "");
	else if ((right = habit_find(word)))
		err_set(err, "no command is called '%s': %s", word, right);
	else if (*word == ':')
		err_set(err,
		        "no command is called '%s': the colon only opens the screen's prompt; "
		        "leave it out",
		        word);
	else if (word[1])
		err_set(err, "no command is called '%s'; %s", word,
		        nearest_said(&near, "`help` lists them"));
	else
		err_set(err, "no command is called '%s'; `help` lists them", word);
	return NULL;
}

/* ---- running ---- */
static size_t console_word_length(const char *s)
{
	size_t n = 0;
	while (isalnum((unsigned char)s[n]) || s[n] == '-' || s[n] == '_')
		n++;
	return n || !*s ? n : 1;
}

/* Reports the whole of an unknown command that begins with no letter. */
static void console_report_unknown_command(struct console *c, const char *text)
{
	char word[64];
	struct err err;
	size_t n = strcspn(text, " \t");
	n = n < sizeof word ? n : sizeof word - 1;
	while (n && n < strlen(text) && ((unsigned char)text[n] & 0xc0) == 0x80)
		n--; /* not in the middle of a character */
	snprintf(word, sizeof word, "%.*s", (int)n, text);
	if (console_word_length(text) == 1 && n > 1 && !isalnum((unsigned char)*text) &&
	    !command_find(c, word, &err))
		c->err = err;
}

static enum command_result console_run_line(struct console *c, const char *line, bool *repeats);

/* Finds a command. A word that is a view's name and only a prefix of a command means the view. */
static const struct command *console_find_command(struct console *c, const char *word, bool *view)
{
	const struct command *cmd = command_find(c, word, &c->err);
	const bool whole = cmd && (!strcmp(cmd->name, word) || command_has_alias(cmd, word));
	*view = !whole && view_named(c->session, word);
	return *view ? &cmd_view : cmd;
}

/* `text` is one command, trimmed and not empty. */
static enum command_result run_found(struct console *c, const char *text, bool *repeats)
{
	char word[64];
	if (stop_commands_taking(c))
		return stop_commands_take(c, text);
	size_t n = console_word_length(text);
	snprintf(word, sizeof word, "%.*s", (int)(n < sizeof word ? n : sizeof word - 1), text);
	const char *args = text + n + strspn(text + n, " \t");
	const char *alias = alias_text(c->state, word);
	if (alias) {
		char *line;
		if (!(line = alloc_format("%s %s", alias, args)))
			return console_fail(c, "out of memory");
		enum command_result r = console_run_line(c, line, repeats);
		free(line);
		return r;
	}
	bool view;
	const struct command *cmd = console_find_command(c, word, &view);
	if (!cmd) {
		console_report_unknown_command(c, text);
		return CMD_ERROR;
	}
	if (!c->session && !cmd->sessionless)
		return console_fail(c, "'%s' needs a program: cyclops PROGRAM",
		                    view ? word : cmd->name);
	if (cmd->files) {
		char what[80];
		snprintf(what, sizeof what, "'%.40s' reaches files", cmd->name);
		if (!console_may(c, what))
			return CMD_ERROR;
	}
	*repeats = cmd->repeats;
	return cmd->exec ? cmd->exec(c, view ? text : args) : lua_command(c, cmd, args);
}

/* Makes a command fail if an allocation failed in it. */
static enum command_result console_settle_command(struct console *c, enum command_result r)
{
	return alloc_settle(r != CMD_ERROR, &c->err) ? r : CMD_ERROR;
}

static enum command_result run_one(struct console *c, const char *text, bool *repeats)
{
	return console_settle_command(c, run_found(c, text, repeats));
}

/* Length of the first command of a line: to a `;` outside quotes and brackets. A quote that is
 * never closed is an apostrophe. */
static size_t command_length(const char *s)
{
	int depth = 0;
	for (size_t i = 0;; i++) {
		const char *close;
		switch (s[i]) {
		case '\0':
			return i;
		case '"':
		case '\'':
			close = strchr(s + i + 1, s[i]);
			if (close)
				i = (size_t)(close - s);
			break;
		case '(':
		case '[':
		case '{':
			depth++;
			break;
		case ')':
		case ']':
		case '}':
			depth--;
			break;
		case ';':
			if (depth <= 0)
				return i;
			break;
		default:
			break;
		}
	}
}

/* True if the line begins with a command that takes all of it. */
static bool takes_line(struct console *c, const char *line)
{
	char word[64];
	const char *text = line + strspn(line, " \t\r\n");
	size_t n = console_word_length(text);
	if (!n || n >= sizeof word)
		return false;
	snprintf(word, sizeof word, "%.*s", (int)n, text);
	const struct command *cmd = alias_text(c->state, word) ? NULL : command_find(c, word, NULL);
	return cmd && cmd->whole;
}

static enum command_result console_run_line(struct console *c, const char *line, bool *repeats)
{
	enum command_result r = CMD_OK;
	if (c->state->depth == DEPTH_MAX)
		return console_fail(
			c, "commands are nested too deeply: an alias or file that runs itself?");
	c->state->depth++;
	while (*line && r == CMD_OK) {
		size_t n = takes_line(c, line) ? strlen(line) : command_length(line),
		       from = strspn(line, " \t\r\n"), to = n;
		while (to > from && isspace((unsigned char)line[to - 1]))
			to--;
		if (from < to && line[from] == '#')
			break;
		if (from < to) {
			char *text = alloc_text_n(line + from, to - from);
			r = !text ? console_fail(c, "out of memory")
			    : c->lines && c->state->depth == 1
			            ? answer_lines_command(c->lines, c, text, run_one, repeats)
			            : run_one(c, text, repeats);
			free(text);
			r = console_settle_command(c, r);
			if (r == CMD_OK) {
				c->state->depth--; /* as if they had been typed after it */
				r = stop_commands_run(c, console_run_line);
				c->state->depth++;
			}
		}
		line += n + (line[n] == ';');
	}
	c->state->depth--;
	return r;
}

enum command_result console_run(struct console *c, const char *line)
{
	bool repeats = false;
	bool empty = !line[strspn(line, " \t\r\n")];
	c->err.msg[0] = '\0';
	c->state->located = false;
	if (empty && (!c->last || stop_commands_taking(c)))
		return CMD_OK;
	/* A command may run lines itself. */
	bool outer = c->state->depth == 0, before = c->repeating;
	char *text = alloc_text(empty ? c->last : line);
	if (!text)
		return console_fail(c, "out of memory");
	c->repeating = empty;
	enum command_result r = console_run_line(c, text, &repeats);
	if (outer)
		value_failures_tell(c);
	c->repeating = before;
	if (outer && !empty) {
		free(c->last);
		c->last = repeats && r == CMD_OK ? text : NULL;
		if (c->last)
			return r;
	}
	free(text);
	return r;
}

/* Prints a line of a command file, which a reader of the answers would not see. */
static void echo_line(struct console *c, const char *line)
{
	const char *text = line + strspn(line, " \t\r\n");
	int n = (int)strcspn(text, "\r\n");
	bool prose = *text == '#';
	if (!c->echo)
		return;
	if (prose)
		console_print(c, "%.*s\n", n - 1 - (n > 1 && text[1] == ' '),
		              text + 1 + (text[1] == ' '));
	else
		console_print(c, "%s%.*s\n", n ? "(cyclops) " : "", n, text);
}

enum command_result console_source(struct console *c, const char *path)
{
	bool piped = !strcmp(path, "-");
	FILE *f = piped ? (c->piped ? c->piped : stdin) : alloc_file(path, "r");
	char *line = NULL;
	size_t room = 0;
	unsigned number = 0;
	enum command_result r = CMD_OK;
	const int taking = stop_commands_taking(c);
	ssize_t n;
	if (f && lua_is_file(path)) {
		fclose(f);
		return lua_file(c, path);
	}
	if (!f)
		return console_fail(c, "%s: %s", path, strerror(errno));
	for (; r == CMD_OK; number++) {
		if (piped)
			fflush(stdout); /* the sender may wait for this answer before the next
			                 * command */
		if ((n = alloc_line(&line, &room, f)) < 0)
			break;
		echo_line(c, line);
		if ((size_t)n != strlen(line))
			r = console_fail(c, "this is not a text file");
		else if (line[strspn(line,
		                     " \t\r\n")]) /* an empty line in a file repeats nothing */
			r = console_run(c, line);
	}
	if (r == CMD_OK && stop_commands_taking(c) && !taking)
		r = console_fail(c, "the lines of `commands %d` have no `end`",
		                 stop_commands_taking(c));
	if (r == CMD_ERROR)
		stop_commands_drop(c);
	/* Name the innermost file. */
	if (r == CMD_ERROR && !c->state->located)
		console_fail(c, "%s:%u: %.400s", piped ? "input" : path, number, c->err.msg);
	c->state->located = r == CMD_ERROR;
	free(line);
	if (!piped)
		fclose(f);
	return r;
}
