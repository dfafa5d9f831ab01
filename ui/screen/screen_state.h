/* The screen's state, shared by the files of this folder. */
#ifndef CYCLOPS_UI_SCREEN_SCREEN_STATE_H
#define CYCLOPS_UI_SCREEN_SCREEN_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ui/console/command.h"
#include "ui/screen/draw.h"
#include "ui/screen/keys.h"
#include "ui/screen/layout.h"
#include "ui/screen/parts.h"
#include "ui/screen/popup.h"
#include "ui/screen/recording.h"
#include "ui/screen/text.h"

enum { SCREEN_MIN_COLS = 80, SCREEN_MIN_ROWS = 24, TYPED_MAX = 4096, MESSAGE_ROWS = 6 };

struct playground;

/* Automatic stepping, `rate` times a second. */
struct animation {
	bool on;
	unsigned rate;
	uint64_t next_ns;
};

/* State while a command moves the machine, or a view executes a part of the run again. */
struct running {
	bool on;
	bool shown;         /* it has run long enough to show progress */
	bool stopped;       /* a key has interrupted it */
	bool builds;        /* for a view: Esc and Ctrl-C stop it after a while, other keys wait */
	bool worked;        /* copies of the machine have run: run_work() */
	bool ahead;         /* running ahead: a wait for input ends it */
	bool asked;         /* the guest has waited for input: later keys are for it */
	unsigned commands;  /* number of keys typed before that */
	unsigned typed;     /* number of keys typed before it began */
	uint64_t began_ns, shown_ns;
	uint64_t refresh_ns; /* when panes are refreshed next */
	uint64_t began_cycle, cycle;
};

struct screen {
	struct console *console;    /* borrowed */
	void (*draw)(struct screen *s); /* screen_draw() */
	struct canvas canvas;
	struct layouts layouts;
	int layout;                 /* index of the current layout */
	struct node **root;         /* its tree for the current size; borrowed */
	struct pane *focus;         /* borrowed from the tree, never NULL */
	bool zoomed;                /* the focused pane alone is shown */
	size_t displays;            /* number for which the panes are arranged */

	const struct machine *machine; /* from which the panes were built */
	uint64_t cycle;             /* of the panes' contents */
	uint64_t last_stop;         /* cycle of the previous stop */
	uint64_t opened;            /* cycle in which the screen began, having run ahead; 0: none */
	bool opens;                 /* opening_go() runs: keys typed ahead wait for its end */
	bool changed;               /* panes must be built again */
	bool damaged;               /* the terminal must be drawn again */
	bool quit;

	struct text answer;         /* of the running command */
	/* answer of the last command, short enough for the lines above the prompt */
	struct text message;
	bool message_is_error;
	struct text log;            /* all messages */
	struct popup popup;
	struct palette palette;     /* contents of a popup that finds */
	struct cmdline cmdline;
	struct animation animation;
	struct bindings bindings;   /* keys that the user has bound */
	struct running running;
	struct guest_input input;
	struct tabs tabs;
	struct timeline timeline;
	struct playground *playground; /* borrowed; NULL: the program's text is not being edited */
	struct narration narration; /* of the current tour, if any */
	struct survey survey;
	struct end_page end;
	struct recording *recording; /* owned; NULL: the screen is not recorded */
	unsigned signals;           /* pending TERM_* bits */
	int typed[TYPED_MAX];       /* keys that came while the machine moved */
	unsigned typed_count;
	struct text pasted;         /* pasted lines, not used yet */
	bool paste_waits;           /* TERM_PASTE is among the keys typed ahead */

	/* the console's own sink of answers */
	void (*old_write)(void *ctx, const char *text, size_t n);
	void *old_write_ctx;
};

static inline struct session *screen_session(const struct screen *s)
{
	return s->console->session;
}

/* Runs a line for keys and the prompt: commands of the screen and of the console. Replaces %seq and
 * %pc by number and address of the selected row's instruction. */
void screen_run(struct screen *s, const char *line);
void screen_runf(struct screen *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Subject of keys: the selected row of the focused pane, or else the instruction selected
 * elsewhere. 0: none. */
struct selected {
	uint64_t seq, pc;
};
struct selected screen_selected(const struct screen *s);
/* Runs a console command; s->answer has its answer, and the panes are marked out of date. */
enum command_result screen_console(struct screen *s, const char *line);
/* Shows a message above the prompt. */
void screen_say(struct screen *s, bool error, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Shows layout i. */
void screen_set_layout(struct screen *s, int i);
void screen_focus(struct screen *s, struct pane *p);
/* Places panes that have moved or changed, and marks their views for rebuilding before the next
 * drawing. */
void screen_arrange(struct screen *s);
/* Selects the layout's tree for the current size. The tree's first pane gets the focus unless the
 * focused pane is in the tree. */
void screen_choose_tree(struct screen *s);
/* Builds the views of all visible panes, and marks changes since the last stop. */
void screen_build(struct screen *s);
/* The area for panes: all but the top line, the two at the bottom, the timeline, the tab bar, and a
 * tour's pane. */
struct rect screen_area(struct screen *s);
/* Visible panes, in reading order. */
unsigned screen_panes(const struct screen *s, struct pane **out);
/* True if a visible pane shows the view of this name. */
bool screen_shows(const struct screen *s, const char *view);
/* Draws all outdated parts. Files called by frame.c use s->draw. */
void screen_draw(struct screen *s);
uint64_t screen_now_ns(void);

/* part_keys.c: command line of a key, in this order: the timeline's, if it has the focus, the end
 * page's, the tour's, the user's binding, the table's; NULL: none. */
const char *screen_bound(const struct screen *s, int key);

/* status.c */
void status_draw(struct screen *s);
void hints_draw(struct screen *s);
/* The layout whose tab is at this place, -1: none. */
int status_tab_at(const struct screen *s, int y, int x);

/* running.c: while a command moves the machine. */
/* Takes key `at` of those typed ahead, or, if there are fewer, the next key from the terminal. */
int running_next_key(struct screen *s, unsigned at);
void running_begin(struct screen *s);
void running_end(struct screen *s);
/* The terminal has closed: keeps an edit of the playground, and ends the session. */
void running_gone(struct screen *s);
/* Handles signals meanwhile; returns their TERM_* bits. */
unsigned running_signals(struct screen *s);
/* Refreshes panes from the running machine. */
void running_refresh(struct screen *s);
/* True while recorded cycles are re-executed on the way to a destination: panes are not refreshed.
 */
bool running_in_the_past(const struct screen *s);

/* True if the number of displays differs from that for which the panes were arranged. */
bool displays_have_changed(const struct screen *s);

/* animate.c */
void animate_set(struct screen *s, bool on);
/* Changes the rate by steps on its scale. */
void animate_faster(struct screen *s, int by);
/* Milliseconds until the next step, -1 if no animation runs. */
int animate_wait(const struct screen *s);
void animate_tick(struct screen *s);

#endif
