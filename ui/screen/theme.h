/* Looks of meanings on this terminal, from 256 colours down to attributes alone. */
#ifndef CYCLOPS_UI_SCREEN_THEME_H
#define CYCLOPS_UI_SCREEN_THEME_H

#include <stdbool.h>

#include "core/base/err.h"
#include "hwviews/grid/grid.h"

/* Meanings that only the screen has, numbered after the roles of grids. */
enum {
	INK_LINE = ROLE_COUNT, /* lines between panes */
	INK_TITLE,             /* of a pane */
	INK_FOCUS,             /* title of the focused pane */
	INK_KEY,               /* names of keys */
	INK_PAST,              /* position before the newest cycle */
	INK_BRAND,             /* the program's own name */
	INK_CAUSE_L2,          /* causes on the timeline that have no role of their own */
	INK_CAUSE_L1D,
	INK_CAUSE_DEPENDENCY,
	INK_RANK_1,            /* the function with most of the run, on the timeline */
	INK_RANK_2,
	INK_RANK_3,
	INK_RANK_4,
	INK_RANK_5,
	INK_COUNT
};

enum ground {
	GROUND_NONE,
	GROUND_SELECTED, /* row under the cursor in the focused pane */
	GROUND_RESTING,  /* the same in other panes */
	GROUND_BAR,      /* the top line */
	GROUND_POPUP,
	GROUND_MATCH,    /* text that a search found */
	GROUND_COUNT
};

struct ink {
	unsigned attr; /* attr_t of ncurses, without colour */
	int pair;      /* colour pair */
};

struct theme {
	const char *name;
	bool automatic; /* chosen by the terminal's background */
	bool on_paper;  /* has its own background: the terminal's is of the other kind */
	struct ink inks[GROUND_COUNT][INK_COUNT];
};

/* Loads the named theme, or, for NULL, that of CYCLOPS_THEME, or the one for the terminal's
 * background; call after ncurses has started. Cells erased after that have the theme's
 * background. A terminal without colours and NO_COLOR always get `mono`. False with *err:
 * unchanged. */
bool theme_load(struct theme *t, const char *name, struct err *err);
/* Loads the theme again, or the fitting one if it is automatic, if the terminal has answered since
 * that its background is of the other kind. True if it did. */
bool theme_follow(struct theme *t);
/* Name of the i-th theme and its help; NULL: there are fewer. */
const char *theme_name(unsigned i, const char **help);

static inline struct ink theme_ink(const struct theme *t, unsigned meaning, enum ground ground)
{
	return t->inks[ground][meaning];
}

/* The ink of text that has changed since the last stop: the same with a mark. */
static inline struct ink theme_changed(const struct theme *t, struct ink ink)
{
	ink.attr |= t->inks[GROUND_NONE][ROLE_CHANGED].attr;
	return ink;
}

#endif
