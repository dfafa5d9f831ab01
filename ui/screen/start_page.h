/* The page that `cyclops` alone opens on a terminal: what there is to begin with. */
#ifndef CYCLOPS_UI_SCREEN_START_PAGE_H
#define CYCLOPS_UI_SCREEN_START_PAGE_H

#include "core/base/err.h"

enum { START_ITEMS = 128 };

struct start_item {
	char *name, *help; /* owned */
	char *words[4];    /* owned: the command line's words behind "cyclops", NULL at the end */
};

struct start_list {
	const char *name, *help;             /* borrowed */
	struct start_item item[START_ITEMS]; /* [count] */
	unsigned count;
	/* it has no items: a line is asked for with these words, and is the command's last word */
	const char *asks;
	bool direct; /* its first item is what is begun, without a list */
};

/* Where a person was on the page, for the next time; and what was typed. */
struct start_place {
	unsigned list, item;
	bool inside; /* in the list's items */
	char typed[1024];
};

/* Shows the page until something is chosen. *item: that, or NULL: place->typed names a program.
 * *leave: a person wants to go. False with *err: this terminal can't show it. */
bool start_page(const struct start_list *lists, unsigned count, struct start_place *place,
                const struct start_item **item, bool *leave, struct err *err);

#endif
