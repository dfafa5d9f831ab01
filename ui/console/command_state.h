/* What commands remember from one to the next. For the files of commands only. */
#ifndef CYCLOPS_UI_CONSOLE_COMMAND_STATE_H
#define CYCLOPS_UI_CONSOLE_COMMAND_STATE_H

#include "core/isa/regs.h"
#include "hwviews/grid/grid.h"
#include "ui/console/command.h"
#include "ui/console/quiz.h"

struct console_lua;
struct stop_commands;
struct trace;

enum { DEPTH_MAX = 16, SHOWN_MAX = 16, TRACES_MAX = 4 };

struct alias {
	char *name, *text; /* owned */
};

struct display {
	int id;
	char *line;        /* the command that shows it: "print/x a0", "view rob"; owned */
};

/* A view that was shown: what it was at the last stop, to mark what has changed. */
struct shown {
	char *words;        /* "rob", "mem sp 64"; owned. NULL: free */
	uint64_t cycle;     /* of `before` */
	bool has_before;
	struct grid before; /* owned if has_before */
	uint64_t used;      /* when it was last asked for, to find the one to forget */
};

struct command_state {
	unsigned depth; /* of nested command lines: aliases, source */
	bool located;   /* the error's message names file and line already */

	struct alias *aliases; /* owned; [alias_count] */
	size_t alias_count;
	struct display *displays; /* owned; [display_count] */
	size_t display_count;
	int last_display;
	int display_id; /* the display whose line is at work, DISPLAY_PANE: for its pane; 0: none */

	struct shown shown[SHOWN_MAX];
	uint64_t shown_clock;

	/* selected call frame, 0 = innermost, as long as the cycle is frame_cycle */
	unsigned frame;
	uint64_t frame_cycle;

	/* the one in which the last step by lines ended, as long as the cycle is step_cycle */
	unsigned step_level;
	uint64_t step_cycle;

	/* where `list` and `x` go on */
	const char *list_file; /* borrowed from the program, NULL: nothing listed yet */
	unsigned list_first, list_last;
	uint64_t list_cycle;
	uint64_t x_addr;
	char x_format, x_size;

	uint64_t printed_signals; /* bit n-1: `handle` says that signal n is told */
	int signal_listener;      /* who tells; 0: nobody */

	struct quiz quiz; /* where no tour has one */
	struct stop_commands *stop_commands; /* owned: ui/console/stop_commands.h; NULL: none yet */
	bool stop_failed;     /* an expression of a stop point did, in the last motion */
	struct err stop_err;  /* why */

	struct trace *traces[TRACES_MAX]; /* owned; being written as the machine runs */

	struct command **own;    /* owned; [own_count]: ui/console/lua_commands.h */
	unsigned own_count;
	struct console_lua *lua; /* owned: ui/console/lua.h; NULL: not needed yet */

	char **completions; /* owned; those of the line asked about last */
	size_t completion_count;
	size_t completion_from;
};

struct command_state *state_new(void);
/* What lua_commands and stop_commands own is freed by them before. */
void state_free(struct command_state *st);

/* ---- aliases ---- */
/* What stands for the word, or NULL. */
const char *alias_text(const struct command_state *st, const char *word);
/* text NULL: forgets it. False if memory is out, or nothing was there to forget. */
bool alias_set(struct command_state *st, const char *word, const char *text);

#endif
