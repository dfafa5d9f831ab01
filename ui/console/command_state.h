/* State that commands keep between calls. For the files of commands only. */
#ifndef CYCLOPS_UI_CONSOLE_COMMAND_STATE_H
#define CYCLOPS_UI_CONSOLE_COMMAND_STATE_H

#include "core/isa/regs.h"
#include "hwviews/grid/grid.h"
#include "ui/console/command.h"
#include "ui/console/quiz.h"
#include "ui/console/spot.h"
#include "ui/console/stop_hits.h"

struct console_lua;
struct kept_place;
struct mover;
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

/* A view that was shown, with its contents at the last stop, to mark changes. */
struct shown {
	char *words;        /* "rob", "mem sp 64"; owned. NULL: free */
	bool has_before;
	struct grid before; /* owned if has_before: at the last stop that showed it */
	uint64_t used;      /* time of the last use, to evict the oldest */
	uint64_t kept;      /* `used` when `before` was made */
};

/* A call of a function by an expression, in progress (ui/remote/inferior.h), with the registers of
 * its beginning. */
enum { CALLED_MAX = 8 };
struct called {
	uint64_t back, sp; /* return address, and the stack pointer there */
	uint64_t reg[64], pc, fcsr;
	uint64_t insts; /* committed before it */
	uint32_t tid;
	char name[80];
};

/* A call that has returned: of the committed instructions, numbers begin + 1 to end are its own. */
enum { CALLED_ENDED_MAX = 16 };
struct called_ended {
	uint64_t begin, end, sp;
	uint64_t cycle, cuts; /* of history, before its end: for trial_lasts() */
};

struct command_state {
	unsigned depth; /* nesting of command lines: aliases, source */
	bool located;   /* the error's message already names file and line */

	struct alias *aliases; /* owned; [alias_count] */
	size_t alias_count;
	struct display *displays; /* owned; [display_count] */
	size_t display_count;
	int last_display;
	int display_id; /* the display whose line runs, DISPLAY_PANE: for its pane; 0: none */

	struct shown shown[SHOWN_MAX];
	uint64_t shown_clock;

	struct spot here; /* ui/console/here.h */
	struct spot departed; /* `here` when the last motion by cycles began */
	struct spot_viewpoint viewpoint;
	struct kept_place *checkpoints; /* owned, the newest first: ui/console/checkpoints.h */
	int last_checkpoint;
	struct called called[CALLED_MAX]; /* [called_count], the youngest last */
	unsigned called_count;
	struct called_ended ended[CALLED_ENDED_MAX]; /* the last of ended_count, a ring */
	uint64_t ended_count;
	struct stop_hits hits; /* of the last motion */
	struct mover *mover;   /* of motions from place to place; NULL: none yet; borrowed, or: */
	struct mover *own_mover; /* owned */

	/* where `list` and `x` continue */
	const char *list_file; /* borrowed from the program, NULL: nothing listed yet */
	unsigned list_first, list_last;
	uint64_t list_cycle;
	uint64_t x_addr;
	char x_format, x_size;

	uint64_t printed_signals; /* bit n-1: `handle` has signal n printed */
	int signal_listener;      /* the listener that prints them; 0: none */

	struct quiz quiz; /* used if no tour provides one */
	struct stop_commands *stop_commands; /* owned: ui/console/stop_commands.h; NULL: none yet */
	bool stop_failed;     /* an expression of a stop point failed in the last motion */
	struct err stop_err;  /* why */

	struct trace *traces[TRACES_MAX]; /* owned; being written as the machine runs */

	struct command **own;    /* owned; [own_count]: ui/console/lua_commands.h */
	unsigned own_count;
	struct console_lua *lua; /* owned: ui/console/lua.h; NULL: not needed yet */

	char **completions; /* owned; of the last completed line */
	size_t completion_count;
	size_t completion_from;
};

struct command_state *state_new(void);
/* lua_commands and stop_commands must have freed theirs before. */
void state_free(struct command_state *st);

/* ---- aliases ---- */
/* Returns the text of the alias, or NULL. */
const char *alias_text(const struct command_state *st, const char *word);
/* Sets an alias; text NULL: removes it. False if memory is out, or there was none to remove. */
bool alias_set(struct command_state *st, const char *word, const char *text);

#endif
