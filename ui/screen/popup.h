/* A box over the panes: a long text to read, a menu to choose from, or one with a line to type what
 * is looked for. It takes all keys until it is closed. */
#ifndef CYCLOPS_UI_SCREEN_POPUP_H
#define CYCLOPS_UI_SCREEN_POPUP_H

#include <stdbool.h>

#include "ui/screen/draw.h"

enum { POPUP_TITLE = 96, POPUP_TYPED = 64 };

struct popup {
	bool open;
	bool menu;
	bool finds;       /* a menu whose items follow what is typed */
	char title[POPUP_TITLE];
	char typed[POPUP_TYPED];
	unsigned long of; /* of a menu that finds: how many things its items are the best of */
	char **lines;     /* owned; [count] */
	char **commands;  /* of a menu, owned; [count] */
	int count, room;
	char *text;       /* of a text, owned: as it was given */
	int wrapped;      /* cells that it was broken into lines for; 0: it has yet to be */
	int top, chosen;
	struct rect r;    /* where it was drawn last */
};

/* A text of many lines; opens at its beginning, or at its end. What is longer than the box is wide
 * goes on below, under what it belongs to. */
void popup_text(struct popup *p, const char *title, const char *text, bool at_end);
/* Cells inside the box of a text, on a screen of so many columns. */
static inline int popup_inside(int columns)
{
	return columns - 6 > 16 ? columns - 6 : 16;
}
/* Breaks a text into lines for a box of so many cells inside, at least 16, as popup_draw() does. */
void popup_wrap(struct popup *p, unsigned cells);
/* An empty menu, then its items. */
void popup_menu(struct popup *p, const char *title);
void popup_item(struct popup *p, const char *text, const char *command);
/* The same with a line to type in, for whoever puts other items in when `typed` has changed;
 * nothing is in it. */
void popup_find(struct popup *p, const char *title);
void popup_empty(struct popup *p);
/* Types letters into that line, as far as there is room. */
void popup_type(struct popup *p, const char *text);
void popup_close(struct popup *p);
void popup_deinit(struct popup *p);
/* Handles a key or the wheel; returns the command of a chosen item (borrowed until the popup opens
 * again), or NULL. */
const char *popup_key(struct popup *p, int key);
void popup_scroll(struct popup *p, int lines);
/* A click at a place; returns as popup_key(). Outside, it closes. */
const char *popup_click(struct popup *p, int y, int x);
/* Within the given area. */
void popup_draw(struct popup *p, struct canvas *c, const struct rect *area);

#endif
