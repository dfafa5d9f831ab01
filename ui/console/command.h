/* Commands: one file each under ui/cmd/, each exporting const descriptors listed in commands.def.
 * Keys, the prompt, batch files, pipes and Lua all dispatch the same command lines. */
#ifndef CYCLOPS_UI_CONSOLE_COMMAND_H
#define CYCLOPS_UI_CONSOLE_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "core/base/err.h"
#include "hwviews/session/session.h"

struct answer_lines;
struct command_answer;
struct command_port;
struct command_state;
struct console;
struct exprs;
struct quiz;
struct screen;
struct script;

enum command_result {
	CMD_OK,
	CMD_ERROR, /* reason in the console's err; a batch ends with status 1 */
	CMD_QUIT
};

/* Kinds of arguments that completion offers. */
enum complete_kind {
	COMPLETE_NONE,
	COMPLETE_COMMAND,
	COMPLETE_LOCATION, /* symbols, FILE:LINE, *ADDRESS */
	COMPLETE_VIEW,
	COMPLETE_REPORT,
	COMPLETE_EXPORT,
	COMPLETE_STAT,
	COMPLETE_PARAM,
	COMPLETE_REG,
	COMPLETE_EVENT,
	COMPLETE_EXPR,     /* registers, symbols, statistics */
	COMPLETE_FILE,
	COMPLETE_STOP,     /* breakpoint numbers */
	COMPLETE_HELP,     /* topics of help */
	COMPLETE_SIGNAL    /* SIGUSR1, and what handle does with signals */
};

struct command {
	const char *name;     /* "reverse-step" */
	const char *aliases;  /* "rs", space-separated; gdb's abbreviations; "" if none */
	/* "running", "breakpoints", "data", "views", "files", "support", "screen" */
	const char *group;
	const char *usage;    /* "reverse-step [CYCLES]" */
	const char *summary;  /* one line, no full stop */
	/* effects and examples; lines <= 78; "" if the summary suffices */
	const char *help;
	const char *words;    /* space-separated first arguments that completion offers, or NULL */
	enum complete_kind complete;
	bool whole;           /* takes the rest of the line, including `;` */
	bool repeats;         /* Enter on an empty line repeats it */
	bool sessionless;     /* works without a program */
	bool screen;          /* acts on the screen, and works only while one is open */
	/* reads or writes any named file, or runs Lua: checks console_may() first */
	bool files;
	/* args: the text after the command's name, trimmed, never NULL. */
	/* NULL: defined by a script, ui/console/lua_commands.h */
	enum command_result (*exec)(struct console *c, const char *args);
};

/* Where a screen's session begins (`set ui.start`): not given; where most of the time goes, found
 * by running ahead; at main; before the first cycle. */
enum console_begins {
	CONSOLE_BEGINS_UNSAID,
	CONSOLE_BEGINS_AHEAD,
	CONSOLE_BEGINS_MAIN,
	CONSOLE_BEGINS_RESET
};
#define CONSOLE_BEGINS_WORDS "ahead, main or reset"
/* Finds the value of a word. False: not one of CONSOLE_BEGINS_WORDS. */
bool console_begins_named(const char *word, enum console_begins *out);
const char *console_begins_name(enum console_begins b);

/* The destination of answers, and state that commands share. */
struct console {
	struct session *session; /* borrowed; NULL: only commands that need none */
	const struct command *const *commands; /* built-in ones; [command_count], borrowed */
	unsigned command_count;
	const struct command_port *scripts; /* commands for scripts' own machines; borrowed */
	struct exprs *exprs;     /* owned */
	/* answers: stdout, or the screen's log */
	void (*write)(void *ctx, const char *text, size_t n);
	void *write_ctx;
	/* answers and points; the console's own, or a tour's that outlives it; borrowed */
	struct quiz *quiz;
	/* defines commands and views beside the built-in ones; NULL: none; borrowed */
	struct script *script;
	struct err err;        /* why the last command failed */
	/* receives each command's answer; NULL: text, through write; borrowed */
	struct answer_lines *lines;
	/* filled beside the text, for a script; NULL: not needed; borrowed */
	struct command_answer *answer;
	FILE *piped;           /* source of commands of the file "-"; NULL: stdin; borrowed */
	/* the open screen, for its commands; NULL: none; borrowed */
	struct screen *of_screen;
	/* the ncurses screen shows state itself: no displays, no status line after a step */
	bool screen;
	bool displays_seen;    /* a pane of the screen shows the displays */
	enum console_begins begins;
	bool commanded;        /* commands of -e or -x came before the screen */
	bool peer;             /* answers go to a debugger or an editor */
	bool batch;            /* not interactive: an interrupted run has failed */
	bool values_failed;    /* a module of values failed, or made values that are refused */
	uint64_t values_refused; /* refused values reported so far */
	unsigned width;        /* cells in a line of text, 0: unlimited */
	bool ascii;            /* print only ASCII */
	/* print lines of command files as they run, comments as prose */
	bool echo;
	bool repeating;        /* this command runs because of Enter on an empty line */
	char *last;            /* last repeatable line; owned */
	struct command_state *state; /* owned; ui/console/command_state.h */
};

/* Initialises a console; `write` receives all answers of commands. False with *err. */
bool console_init(struct console *c, struct session *s,
                  void (*write)(void *ctx, const char *text, size_t n), void *ctx, struct err *err);
/* Ends everything that commands began, except the session. False with *err if a file that was being
 * written is incomplete. */
bool console_end(struct console *c, struct err *err);
/* Does the same without reporting errors, and frees what the console owns. */
void console_deinit(struct console *c);

/* Runs one command line (may be empty: repeats; several separated by `;` outside quotes; `#` begins
 * a comment). On CMD_ERROR the message is in c->err and the rest of the line was not run. */
enum command_result console_run(struct console *c, const char *line);
/* Runs each line of a file, of a pipe if path is "-". The message on failure names file and line.
 */
enum command_result console_source(struct console *c, const char *path);

/* Writes the text, cleaned as in safe_print.h. */
void console_write(struct console *c, const char *text, size_t n);
void console_print(struct console *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* True if commands may do this to the host (core/base/reach.h); what: "'source' reaches files".
 * False with c->err. */
bool console_may(struct console *c, const char *what);
/* Sets c->err and returns CMD_ERROR. */
enum command_result console_fail(struct console *c, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Finds the command of a name, alias or unambiguous prefix; NULL with *err naming the nearest or
 * the candidates. Commands of the screen and of the console's script don't change what other
 * commands' prefixes mean. */
const struct command *command_find(struct console *c, const char *word, struct err *err);
/* Returns the i-th command of a console, the built-in ones first; NULL past the last. */
const struct command *command_at(struct console *c, unsigned i);
bool command_has_alias(const struct command *cmd, const char *word);
/* All built-in commands (console.c). Files that commands call take a console's. */
extern const struct command *const commands[];
extern const unsigned command_count;

/* Returns the i-th completion of `line` at byte position `at`, for readline and the screen;
 * malloc'd, NULL past the last. *from receives the beginning of the replaced word. Call with i = 0,
 * 1, 2, ... in this order. */
char *console_complete(struct console *c, const char *line, size_t at, unsigned i, size_t *from);

#endif
