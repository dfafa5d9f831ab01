/* The palette: whatever there is, found by a few letters of its name. Commands, keys, views,
 * layouts, panes, parameters, statistics, words of the field, tours, and the program's symbols and
 * source lines; they are collected when it opens. */
#ifndef CYCLOPS_UI_SCREEN_PALETTE_H
#define CYCLOPS_UI_SCREEN_PALETTE_H

#include <stdbool.h>
#include <stdint.h>

#include "ui/screen/fuzzy.h"

struct screen;

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

void palette_deinit(struct palette *p);
/* Handles a key while it is open; returns the command of what was chosen, or NULL. */
const char *palette_key(struct screen *s, int key);
/* Text as if it was typed there. */
void palette_type(struct screen *s, const char *text);

/* ---- between palette.c and palette_items.c ---- */
void palette_collect(struct screen *s, struct palette *p);

#endif
