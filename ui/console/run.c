/* Command lines: running them, singly and from files. */
#include "ui/console/command.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/open_input.h"
#include "core/defs/stats.h"
#include "core/isa/regs.h"
#include "hwviews/grid/view.h"
#include "hwviews/reports/report.h"
#include "scripting/expr/expr.h"
#include "ui/console/answer_lines.h"
#include "ui/console/command_state.h"
#include "ui/console/habits.h"
#include "ui/console/here.h"
#include "ui/console/lua.h"
#include "ui/console/stop_commands.h"
#include "ui/console/value_failures.h"
#include "ui/help/glossary.h"
#include "ui/help/help.h"

static size_t console_word_length(const char *s)
{
	size_t n = 0;
	while (isalnum((unsigned char)s[n]) || s[n] == '-' || s[n] == '_')
		n++;
	return n || !*s ? n : 1;
}

/* True if a message on an unknown command names only the list of commands. */
static bool console_lists_all(const struct err *err)
{
	static const char ends[] = "; `help` lists them";
	const size_t n = strlen(err->msg), m = sizeof ends - 1;
	return n >= m && !strcmp(err->msg + n - m, ends);
}

/* Writes the longest word of a term of two or three to out[size] that the help mentions. */
static bool console_mentioned_word(struct console *c, const char *text, char *out, size_t size)
{
	enum { TERM_WORDS = 3, LETTERS_FEWEST = 5 };
	char topic[64];
	size_t longest = 0;
	unsigned words = 0;
	for (const char *at = text; *at; at += strspn(at, " \t"), words++) {
		const size_t n = strcspn(at, " \t");
		char word[32];
		snprintf(word, sizeof word, "%.*s", (int)n, at);
		if (n >= LETTERS_FEWEST && n > longest && n < sizeof word &&
		    help_mentions(c, word, topic, sizeof topic)) {
			longest = n;
			snprintf(out, size, "%s", word);
		}
		at += n;
	}
	return longest && words > 1 && words <= TERM_WORDS;
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
	if (!habit_find(text) && glossary_words_within(text, word, sizeof word))
		err_set(&c->err, "no command is called '%.80s'; `help %s` explains a word of it",
		        text, word);
	else if (console_lists_all(&c->err) && help_mentions(c, text, word, sizeof word))
		err_set(&c->err,
		        "no command is called '%.80s'; `help %s` mentions it, `apropos %.80s` "
		        "lists all that do",
		        text, word, text);
	else if (console_lists_all(&c->err) && console_mentioned_word(c, text, word, sizeof word))
		err_set(&c->err,
		        "no command is called '%.80s'; `apropos %s` lists what mentions a word of "
		        "it",
		        text, word);
}

static enum command_result console_run_line(struct console *c, const char *line, bool *repeats);

/* Finds a command. A word that is a view's name and only a prefix of a command means the view. */
static const struct command *console_find_command(struct console *c, const char *word, bool *view)
{
	const struct command *cmd = command_find(c, word, &c->err);
	const bool whole = cmd && (!strcmp(cmd->name, word) || command_has_alias(cmd, word));
	*view = !whole && view_named(c->session, word);
	return *view ? command_find(c, "view", &c->err) : cmd;
}

/* Runs "LINE REST". */
static enum command_result run_joined(struct console *c, const char *line, const char *rest,
                                      bool *repeats)
{
	char *text = alloc_format("%s %s", line, rest);
	if (!text)
		return console_fail(c, "out of memory");
	enum command_result r = console_run_line(c, text, repeats);
	free(text);
	return r;
}

/* True if a word that is no command is worth printing: a register, a counter, or a name of the
 * program's own code. Libraries have names for many slips of a finger. */
static bool console_has_value(const struct console *c, const char *word)
{
	const char *name, *help;
	struct source_line at = {0};
	if (!c->session || word[strspn(word, "abcdefghijklmnopqrstuvwxyz"
	                                     "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")])
		return false;
	for (unsigned i = 0; (name = expr_name(i, &help)); i++)
		if (!strcmp(name, word))
			return true;
	const struct symbol *sym = program_symbol_by_name(c->session->program, word);
	return reg_from_name(word) >= 0 || !strcmp(word, "pc") ||
	       (sym && sym->code && program_line_at(c->session->program, sym->addr, &at) &&
	        at.line);
}

/* True if the text is a variable's name or a register's with its `$`. */
static bool console_names_variable(const struct console *c, const char *text)
{
	const size_t n = strspn(text + (*text == '$'), "_abcdefghijklmnopqrstuvwxyz"
	                                               "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789");
	if (!c->session || !n || text[n + (*text == '$')])
		return false;
	return *text == '$' ? reg_from_name(text + 1) >= 0 || !strcmp(text + 1, "pc")
	                    : expr_is_variable(c->exprs, text);
}

/* True if a line without a command's name can only be an expression, right or wrong: -5, ~0, $1,
 * 5/0, ipc*2, main-4. A hyphen also joins words of commands: it is a minus only after a known
 * name. */
static bool console_is_computed(const struct console *c, const char *text)
{
	char name[64];
	const char *at = text + strspn(text, "-~(");
	for (const char *blank = text; (blank = strpbrk(blank, " \t")); blank++)
		if (isalnum((unsigned char)blank[-1]) && isalnum((unsigned char)blank[1]))
			return false; /* a sentence */
	if (isdigit((unsigned char)*at) || (*at == '$' && at[1]))
		return true;
	const size_t n = strspn(at, "$._abcdefghijklmnopqrstuvwxyz"
	                            "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789");
	const char *sign = at + n + strspn(at + n, " \t"),
		   *right = sign + (*sign != 0) + strspn(sign + (*sign != 0), " \t");
	snprintf(name, sizeof name, "%.*s", (int)(n < sizeof name ? n : sizeof name - 1), at);
	if (!n || !*sign || !strchr("+-*/%&|^<>", *sign))
		return false;
	return console_has_value(c, name) || console_names_variable(c, name) ||
	       (*sign != '-' && (isdigit((unsigned char)*right) || *right == '$'));
}

/* True if a line without a command's name may be an expression: 3*4, main+4, rob[0].pc. */
static bool console_looks_computed(const struct console *c, const char *text)
{
	return c->session && (isdigit((unsigned char)*text) || *text == '(' ||
	                      strpbrk(text, "+*/%[]()&|<>") != NULL ||
	                      console_is_computed(c, text));
}

/* True for FILE:LINE and FILE:LINE,LINE. */
static bool console_is_place(const char *text)
{
	const char *colon = strrchr(text, ':');
	return colon && colon[1] && !colon[1 + strspn(colon + 1, "0123456789,")] &&
	       memchr(text, '.', (size_t)(colon - text)) && !strpbrk(text, " \t");
}

/* Runs `stats l2.miss_rate` for "L2 miss rate". False: the words are no statistic. */
static bool console_answer_statistic(struct console *c, const char *text, bool *repeats,
                                     enum command_result *r)
{
	char name[80];
	if (!c->session || strlen(text) >= sizeof name || !strchr(text, ' '))
		return false;
	for (size_t i = 0; i <= strlen(text); i++)
		name[i] = text[i] == ' ' ? '_' : (char)tolower((unsigned char)text[i]);
	*strchr(name, '_') = '.';
	if (!stat_find(name, NULL))
		return false;
	*r = run_joined(c, "stats", name, repeats);
	return true;
}

/* Answers a line that is no command: a statistic by its value, a report, a value, lines of source,
 * a topic of the help, an expression. False for any other text. */
static bool console_answer_words(struct console *c, const char *text, bool *repeats,
                                 enum command_result *r)
{
	char name[80];
	const struct err err = c->err;
	snprintf(name, sizeof name, "sim.%.64s", text);
	for (char *at = name; *at; at++)
		*at = (char)tolower((unsigned char)*at);
	if (command_find(c, name + 4, NULL))
		return false; /* STEP */
	if (c->session && stat_find(name, NULL))
		return *r = run_joined(c, "stats", name, repeats), true;
	for (unsigned i = 0; c->session && i < report_count; i++)
		if (!strcmp(reports[i]->name, text))
			return *r = run_joined(c, "report", text, repeats), true;
	if (console_has_value(c, text))
		return *r = run_joined(c, "print", text, repeats), true;
	if (c->session && console_is_place(text))
		return *r = run_joined(c, "list", text, repeats), true;
	*r = run_joined(c, "help", text, repeats);
	if (*r == CMD_ERROR &&
	    (console_names_variable(c, text) || console_looks_computed(c, text)))
		*r = run_joined(c, "print", text, repeats);
	const bool answered = *r != CMD_ERROR || (c->session && console_is_computed(c, text));
	if (!answered)
		c->err = err;
	return answered;
}

/* Refuses an instruction and an assignment, with what to do instead. False: it is neither. */
static bool console_refuse_text(struct console *c, const char *text, const char *word)
{
	char name[64], reg[8];
	size_t n = strspn(text, "$._abcdefghijklmnopqrstuvwxyz"
	                        "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789");
	const char *sign = text + n + strspn(text + n, " \t");
	const char *args = text + strlen(word) + strspn(text + strlen(word), " \t");
	snprintf(name, sizeof name, "%.*s", (int)n, text);
	snprintf(reg, sizeof reg, "%.*s", (int)strcspn(args, ", "), args);
	if (glossary_instruction(word) && reg_from_name(reg) >= 0 && strchr(args, ','))
		return !err_set(&c->err,
		                "'%s' is an instruction, and the program has its own: "
		                "`help %s` describes it, `set %s = VALUE` sets a register",
		                word, word, reg);
	if (!n || *sign != '=' || sign[1] == '=' || command_find(c, word, NULL))
		return false;
	return !err_set(&c->err, "no command is called '%s'; expected set %s = %s", name, name,
	                sign + 1 + strspn(sign + 1, " \t"));
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
	if (alias)
		return run_joined(c, alias, args, repeats);
	const char *means = habit_line(text, &args);
	if (means)
		return run_joined(c, means, args, repeats);
	if (*args && glossary_term(text))
		return run_joined(c, "help", text, repeats);
	bool view;
	enum command_result r;
	if (console_refuse_text(c, text, word))
		return CMD_ERROR;
	const char *habit = habit_find(text) ? text : word;
	const struct command *cmd = habit == text ? NULL : console_find_command(c, word, &view);
	/* a statistic before a view's arguments: l1d misses */
	if ((!cmd || view) && console_answer_statistic(c, text, repeats, &r))
		return r;
	/* rob[0], l1d.misses: of the view's structure; v[0]: of the variable v */
	if (cmd && text[strlen(word)] && strchr("[.", text[strlen(word)]) &&
	    (view || console_names_variable(c, word)))
		return run_joined(c, "print", text, repeats);
	if (!cmd) {
		if (!habit_find(habit) && console_answer_words(c, text, repeats, &r))
			return r;
		command_find(c, habit, &c->err);
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

/* True if the line begins with a command that takes the whole line. */
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
				c->state->depth--; /* as if typed after this line */
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
	here_settle(c);
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
	FILE *f = piped ? (c->piped ? c->piped : stdin) : open_input(path);
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
		return console_fail(c, "%s: %s", path, open_input_error());
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
