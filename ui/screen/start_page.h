/* The page that `cyclops` without arguments opens on a terminal: things to start. */
#ifndef CYCLOPS_UI_SCREEN_START_PAGE_H
#define CYCLOPS_UI_SCREEN_START_PAGE_H

#include "core/base/err.h"

enum { START_ITEMS = 128 };

struct start_item {
	char *name, *help; /* owned */
	char *words[4];    /* owned: the command line's words after "cyclops", NULL at the end */
};

struct start_list {
	const char *name, *help;             /* borrowed */
	const char *about; /* lines of the preview of a list that shows no items; borrowed */
	struct start_item item[START_ITEMS]; /* [count] */
	unsigned count;
	/* prompt of a list without items: the line typed is the command's last word */
	const char *asks;
	bool direct; /* its first item is started directly, without a list */
};

/* Position on the page, kept for the next time, and the typed text. */
struct start_place {
	unsigned list, item;
	bool inside; /* in the list's items */
	char typed[1024];
	char wrong[160]; /* why typed can't be opened; "": it can */
};

/* Shows the page until the user chooses. *item: the choice, or NULL: place->typed names a program.
 * *leave: the user quits. False with *err: this terminal can't show it. */
bool start_page(const struct start_list *lists, unsigned count, struct start_place *place,
                const struct start_item **item, bool *leave, struct err *err);

#endif
