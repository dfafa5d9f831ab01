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

/* Steps on its own, `rate` times a second. */
struct animation {
	bool on;
	unsigned rate;
	uint64_t next_ns;
};

/* A command that moves the machine, from its beginning to its end. */
struct running {
	bool on;
	bool shown;         /* long enough to be told about */
	bool stopped;       /* a key has interrupted it */
	bool asked;         /* the guest has waited for input: what is typed since is for it */
	unsigned commands;  /* then: of the keys typed ahead those before */
	uint64_t began_ns, shown_ns;
	uint64_t refresh_ns; /* when panes are due */
	uint64_t began_cycle, cycle;
};

struct screen {
	struct console *console;    /* borrowed */
	struct canvas canvas;
	struct layouts layouts;
	int layout;                 /* index of the one shown */
	struct node **root;         /* its tree for the present size; borrowed */
	struct pane *focus;         /* borrowed from the tree, never NULL */
	bool zoomed;                /* the focused pane alone is shown */
	size_t displays;            /* that the panes are arranged for */

	const struct machine *machine; /* that the panes were built from */
	uint64_t cycle;             /* of the panes' contents */
	uint64_t last_stop;         /* cycle of the stop before */
	bool changed;               /* panes must be built again */
	bool damaged;               /* the terminal must be drawn again */
	bool quit;

	struct text answer;         /* of the command that runs */
	/* what the last command said, short enough for the lines above the prompt */
	struct text message;
	bool message_is_error;
	struct text log;            /* everything that was said */
	struct popup popup;
	struct palette palette;     /* of a popup that finds */
	struct cmdline cmdline;
	struct animation animation;
	struct bindings bindings;   /* keys that a person has bound */
	struct running running;
	struct guest_input input;
	struct tabs tabs;
	struct timeline timeline;
	struct playground *playground; /* borrowed; NULL: the program is no text that is edited */
	struct narration narration; /* of a tour, if one is played */
	struct recording *recording; /* owned; NULL: the screen is not recorded */
	unsigned signals;           /* TERM_* bits that came meanwhile */
	int typed[TYPED_MAX];       /* keys that came while the machine moved */
	unsigned typed_count;
	struct text pasted;         /* lines that were pasted and not used yet */
	bool paste_waits;           /* TERM_PASTE is among the keys typed ahead */

	void (*old_write)(void *ctx, const char *text, size_t n); /* where answers went before */
	void *old_write_ctx;
};

static inline struct session *screen_session(const struct screen *s)
{
	return s->console->session;
}

/* Runs a line as keys and the prompt do: commands of the screen and all others. %seq and %pc stand
 * for what the selected row is about. */
void screen_run(struct screen *s, const char *line);
void screen_runf(struct screen *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* What keys are about: the focused pane's row, or, if none is selected there, the instruction that
 * is selected elsewhere. 0: none. */
struct selected {
	uint64_t seq, pc;
};
struct selected screen_selected(const struct screen *s);
/* Runs a line of the console's; s->answer has what it answered, and the panes are out of date. */
enum command_result screen_console(struct screen *s, const char *line);
/* Says something above the prompt. */
void screen_say(struct screen *s, bool error, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Shows the layout of an index. */
void screen_set_layout(struct screen *s, int i);
void screen_focus(struct screen *s, struct pane *p);
/* Panes have moved or changed: places them; their views are asked again before the next drawing. */
void screen_arrange(struct screen *s);
/* Takes the layout's tree for the present size. Its first pane gets the focus unless the focused
 * one is in it. */
void screen_choose_tree(struct screen *s);
/* Asks the views of all visible panes, and marks what has changed since the last stop. */
void screen_build(struct screen *s);
/* The area of panes: all but the top line, the two at the bottom, the timeline, the tab bar, and
 * what a tour takes. */
struct rect screen_area(struct screen *s);
/* Visible panes, in reading order. */
unsigned screen_panes(const struct screen *s, struct pane **out);
/* Whether a pane in sight shows the view of this name. */
bool screen_shows(const struct screen *s, const char *view);
/* Draws everything that is out of date. */
void screen_draw(struct screen *s);
uint64_t screen_now_ns(void);

/* The command line of a key: the timeline's, if it has the focus, the tour's, a person's own, or
 * that of the table; NULL: it has none. */
const char *screen_bound(const struct screen *s, int key);
void screen_mouse(struct screen *s);

/* status.c */
void status_draw(struct screen *s);
void hints_draw(struct screen *s);

/* running.c: while a command moves the machine. */
/* The next key: of those typed ahead the one at `at`, or, behind the last of them, what comes from
 * the terminal. */
int running_next_key(struct screen *s, unsigned at);
void running_begin(struct screen *s);
void running_end(struct screen *s);
/* What signals ask for meanwhile; TERM_* bits of what came. */
unsigned running_signals(struct screen *s);
/* Panes show where the machine is by now. */
void running_refresh(struct screen *s);
/* What is recorded is executed again, on the way to where a person wants to be: panes stand still.
 */
bool running_in_the_past(const struct screen *s);

/* displays_pane.c */
/* Opens a pane for displays when there are some, no pane of the tree shows them and it has room;
 * closes it behind the last. */
void displays_arrange(struct screen *s);
/* Whether there are more or fewer of them than the panes were arranged for. */
bool displays_have_changed(const struct screen *s);

/* animate.c */
void animate_set(struct screen *s, bool on);
/* By steps of a scale of rates. */
void animate_faster(struct screen *s, int by);
/* Milliseconds until the next step, -1 if there is none. */
int animate_wait(const struct screen *s);
void animate_tick(struct screen *s);

#endif
