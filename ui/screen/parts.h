/* What the parts of the screen remember, each under the name of the header whose functions keep it.
 *
 * struct screen (screen_state.h) has one of each. They are here, and not beside their functions, so
 * that the screen's state does not depend on what is done with it. */
#ifndef CYCLOPS_UI_SCREEN_PARTS_H
#define CYCLOPS_UI_SCREEN_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#include "hwviews/session/timeline.h"
#include "ui/screen/draw.h"
#include "ui/screen/layout.h"
#include "ui/screen/text.h"

struct machine;
struct tour_place;

/* ---- the prompt: cmdline.h ---- */
struct cmdline {
	bool open;
	/* the line is the guest's input: no command, neither completed nor kept */
	bool for_guest;
	bool ended;         /* Ctrl-D closed it */
	char *accepted;     /* a line that was entered and not yet taken; owned */
	char **completions; /* offered for the line so far; owned; [completion_count] */
	unsigned completion_count;
};

/* ---- what the guest reads: guest_input.h ---- */
struct guest_input {
	bool waits;       /* the guest does, for a line */
	struct text line; /* the one that was typed last, with its newline */
	/* When the guest was last answered, and the bytes of output and errors that it had written
	 * by then: a new question begins behind them. */
	const struct machine *answered;
	uint64_t cycle;
	uint64_t written[2];
};

/* ---- the palette: palette.h ---- */
/* In this order among equals. */
enum palette_kind {
	PALETTE_COMMAND,
	PALETTE_VIEW,
	PALETTE_LAYOUT,
	PALETTE_PANE,
	PALETTE_KEY,
	PALETTE_TOUR,
	PALETTE_PARAMETER,
	PALETTE_STATISTIC,
	PALETTE_WORD,
	PALETTE_FUNCTION,
	PALETTE_DATA,
	PALETTE_LINE,
	PALETTE_KINDS
};

struct palette_item {
	enum palette_kind kind;
	char *name, *help; /* owned */
	char *run;         /* what Enter runs; owned */
	char *line;        /* what Tab puts on the prompt; owned */
	const char *also;  /* other names, "": none; borrowed */
	int less;          /* points that it gets less than others */
	int points;        /* for what is typed, FUZZY_NONE: it is something else */
};

struct palette {
	struct palette_item *items; /* [count], owned */
	unsigned count, room;
	/* [found_count], owned: for what is typed, as the box has them */
	struct palette_item **found;
	unsigned found_count;
};

/* ---- the tab bar: tabs.h ---- */
struct tabs {
	bool crowded;  /* panes of the layout have found no room */
	struct rect r; /* h = 0: there is none */
};

/* ---- the timeline: timeline.h ---- */
enum timeline_shown { TIMELINE_AUTO, TIMELINE_ON, TIMELINE_OFF };

/* What a person looks at; all zero: the whole run, without the focus. */
struct timeline {
	enum timeline_shown shown;
	bool focused;
	struct rect r; /* h = 0: there is no room for it, or nobody wants it */
	bool zoomed;   /* to from..to; else all that is recorded */
	uint64_t from, to;
	bool pointed;    /* the cursor is at `cursor`; else where the machine is */
	uint64_t cursor; /* cycle */
	bool anchored;   /* a range goes from here to the cursor */
	uint64_t anchor;
	bool extending;            /* the last thing done was to make it longer */
	bool dragging;             /* the mouse was pressed on it */
	struct timeline_bins bins; /* of the window, when it was built, */
	bool close;                /* as closely as one can look, */
	uint64_t cuts;             /* of what was recorded then, */
	const struct machine *of;  /* of this machine */
};

/* ---- a tour: narration.h ---- */
/* Where a person has brought the machine. */
enum narration_away {
	NARRATION_HERE,
	NARRATION_MOVED,  /* to another cycle of what is recorded */
	NARRATION_CHANGED /* what the next beat would do may differ */
};

struct narration_line {
	char *text;       /* owned */
	unsigned meaning; /* a role or INK_* */
};

struct narration {
	struct tour_place *place; /* borrowed; in no tour its .tour is NULL */
	struct node *stage;       /* the views of the last beat that had some; owned */
	/* those are shown, and not a layout that a person has chosen */
	bool on_stage;
	enum narration_away away;
	bool playing; /* commands that run are the tour's */
	/* where the last beat ended: cycles, and what stop points had counted */
	uint64_t cycle, newest, stops;
	/* what the last beat answered, as it came; owned; [said_count] */
	struct narration_line *said;
	unsigned said_count;
	/* all that the pane has to show, in lines of its width; owned; [shown_count] */
	struct narration_line *shown;
	unsigned shown_count;
	unsigned wrapped; /* that width in cells; 0: to be made anew */
	unsigned top;     /* the first line in sight */
	struct rect r;    /* of the pane with its title; h = 0: there is none */
};

#endif
