/* State of the screen's parts, each under the header whose functions maintain it.
 *
 * struct screen (screen_state.h) has one of each. The types are here, not in those headers, so that
 * screen_state.h does not depend on the headers. */
#ifndef CYCLOPS_UI_SCREEN_PARTS_H
#define CYCLOPS_UI_SCREEN_PARTS_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "hwviews/session/timeline.h"
#include "ui/screen/draw.h"
#include "ui/screen/layout.h"
#include "ui/screen/text.h"

struct machine;
struct tour_place;

/* ---- the prompt: cmdline.h ---- */
struct cmdline {
	bool open;
	/* the line is the guest's input, not a command: no completion, no history */
	bool for_guest;
	bool ended;         /* Ctrl-D closed it */
	char *accepted;     /* a line that was entered and not yet taken; owned */
	char **completions; /* offered for the line so far; owned; [completion_count] */
	unsigned completion_count;
};

/* ---- the guest's input: guest_input.h ---- */
struct guest_input {
	bool waits;       /* the guest waits for a line */
	struct text line; /* the line typed last, with its newline */
	/* When the guest last got input, and the bytes written to stdout and stderr by then: the
	 * guest's next question begins after these bytes. */
	const struct machine *answered;
	uint64_t cycle;
	uint64_t written[2];
};

/* ---- the palette: palette.h ---- */
/* Order among items of equal points. */
enum palette_kind {
	PALETTE_COMMAND,
	PALETTE_VIEW,
	PALETTE_LAYOUT,
	PALETTE_PANE,
	PALETTE_KEY,
	PALETTE_TOUR,
	PALETTE_PARAMETER,
	PALETTE_STATISTIC,
	PALETTE_REPORT,
	PALETTE_EVENT,
	PALETTE_WORD,
	PALETTE_FUNCTION,
	PALETTE_DATA,
	PALETTE_LINE,
	PALETTE_KINDS
};

struct palette_item {
	enum palette_kind kind;
	char *name, *help; /* owned */
	char *run;         /* command that Enter runs; owned */
	char *line;        /* text that Tab puts on the prompt; owned */
	const char *also;  /* other names, "": none; borrowed */
	int less;          /* handicap in points */
	int points;        /* for the typed text, FUZZY_NONE: no match */
};

struct palette {
	struct palette_item *items; /* [count], owned */
	unsigned count, room;
	/* [found_count], owned: matches in the order of the box */
	struct palette_item **found;
	unsigned found_count;
};

/* ---- the tab bar: tabs.h ---- */
struct tabs {
	bool crowded;  /* some panes of the layout have no room */
	struct rect r; /* h = 0: there is none */
};

/* ---- the timeline: timeline.h ---- */
enum timeline_shown { TIMELINE_AUTO, TIMELINE_ON, TIMELINE_OFF };

enum { TIMELINE_RANKS = 5, TIMELINE_NAME = 48 };

struct timeline_function {
	char name[TIMELINE_NAME];
	uint64_t cycles; /* of its bins, since main */
	unsigned rank;   /* by `cycles`; TIMELINE_RANKS: none */
};

/* Window and cursor; all zero: the whole run, without the focus. */
struct timeline {
	enum timeline_shown shown;
	bool focused;
	struct rect r; /* h = 0: no room, or switched off */
	bool zoomed;   /* to from..to; else the whole recording */
	uint64_t from, to;
	bool pointed;    /* the cursor is at `cursor`; else at the machine's cycle */
	uint64_t cursor; /* cycle */
	bool anchored;   /* a range extends from `anchor` to the cursor */
	uint64_t anchor;
	bool extending;            /* the last key extended the range */
	bool dragging;             /* mouse pressed on the timeline */
	struct timeline_bins bins; /* of the window, as last built */
	bool close;                /* bins are at the finest resolution */
	uint64_t cuts;             /* the recording's cuts when built */
	const struct machine *of;  /* the machine of the bins */
	struct timeline_function *functions; /* [function_count], owned: of the bins */
	unsigned function_count;
	unsigned *function;        /* [bins.count], owned: index in `functions` */
	char ranked[TIMELINE_RANKS][TIMELINE_NAME]; /* of the whole run; "": none */
	uint64_t main;             /* cycle at which main began; 0: not known */
};

/* ---- counting while the screen waits: survey.h ---- */
struct survey {
	bool off;  /* switched off by key H */
	bool done; /* complete, for this machine and part of its run: */
	const struct machine *of;
	uint64_t cuts, newest;
	bool again;   /* what was complete is counted again */
	bool refused; /* it could not be counted */
	bool counted; /* all is counted, and drawn before what-if runs, which takes longer */
};

/* ---- the end page: end_page.h ---- */
struct end_page {
	bool shown;
	bool ended; /* the layout's tree is that of an ended program */
	struct node *tree, *large; /* its panes, and those of a large terminal; owned */
	/* the previous run that ended; cycles 0: none */
	uint64_t cycles, insts, untimed; /* untimed: instructions executed without timing */
	const struct machine *of; /* the last machine whose end was counted */
	struct timespec built;    /* modification time of the running program's file */
};

/* ---- a tour: narration.h ---- */
/* How the user has left the tour's state. */
enum narration_away {
	NARRATION_HERE,
	NARRATION_MOVED,  /* to another cycle of the recording */
	NARRATION_CHANGED /* with an effect on the next beat, perhaps */
};

struct narration_line {
	char *text;       /* owned */
	unsigned meaning; /* a role or INK_* */
};

struct narration {
	struct tour_place *place; /* borrowed; without a tour its .tour is NULL */
	struct node *stage;       /* views of the last beat that has views; owned */
	/* the stage is shown, not a layout that the user has chosen */
	bool on_stage;
	enum narration_away away;
	bool playing; /* the running commands are the tour's */
	/* where the last beat ended: cycles, and a hash of the stop points */
	uint64_t cycle, newest, stops;
	/* answers of the last beat; owned; [said_count] */
	struct narration_line *said;
	unsigned said_count;
	/* ---- of a lab ---- */
	char *verdict; /* on the last answer; owned; NULL: none */
	bool holds;    /* the answer was right */
	bool answered; /* the open question was just answered: verdict due */
	char *question; /* the open question; owned */
	unsigned resume; /* command of the next beat to resume at, for a second try */
	/* all lines of the pane, wrapped to its width; owned; [shown_count] */
	struct narration_line *shown;
	unsigned shown_count;
	unsigned wrapped; /* the pane's width in cells; 0: rebuild `shown` */
	unsigned top;     /* the first line in sight */
	struct rect r;    /* of the pane with its title; h = 0: there is none */
};

#endif
