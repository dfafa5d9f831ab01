/* What meanings look like on this terminal: 256 colours down to attributes alone. */
#ifndef CYCLOPS_UI_SCREEN_THEME_H
#define CYCLOPS_UI_SCREEN_THEME_H

#include <stdbool.h>

#include "core/base/err.h"
#include "hwviews/grid/grid.h"

/* Meanings that only the screen has, behind the roles of grids. */
enum {
	INK_LINE = ROLE_COUNT, /* lines between panes */
	INK_TITLE,             /* of a pane */
	INK_FOCUS,             /* title of the focused pane, what a person is at */
	INK_KEY,               /* names of keys */
	INK_PAST,              /* being earlier than the newest cycle */
	INK_BRAND,             /* the program's own name */
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
	struct ink inks[GROUND_COUNT][INK_COUNT];
};

/* After ncurses has begun. The named theme, or, for NULL, what CYCLOPS_THEME names, or the default.
 * A terminal without colours and NO_COLOR get `mono` whatever is asked for. False with *err:
 * nothing changed. */
bool theme_load(struct theme *t, const char *name, struct err *err);
/* Name of the i-th theme and what it is for; NULL behind the last. */
const char *theme_name(unsigned i, const char **help);

static inline struct ink theme_ink(const struct theme *t, unsigned meaning, enum ground ground)
{
	return t->inks[ground][meaning];
}

#endif
