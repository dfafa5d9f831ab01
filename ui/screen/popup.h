/* A box over the panes: a long text, a menu, or a menu with a search line. An open box gets all
 * keys. */
#ifndef CYCLOPS_UI_SCREEN_POPUP_H
#define CYCLOPS_UI_SCREEN_POPUP_H

#include <stdbool.h>

#include "ui/screen/draw.h"

enum { POPUP_TITLE = 96, POPUP_TYPED = 64 };

struct popup {
	bool open;
	bool menu;
	bool finds;       /* a menu whose items depend on the typed text */
	char title[POPUP_TITLE];
	char typed[POPUP_TYPED];
	unsigned long of; /* with a search line: matches; the best are shown */
	char **lines;     /* owned; [count] */
	char **commands;  /* of a menu, owned; [count] */
	int count, room;
	char *text;       /* of a text, owned: unwrapped */
	int wrapped;      /* width in cells of `lines`; 0: not wrapped yet */
	int top, chosen;
	struct rect r;    /* its place when last drawn */
};

/* Opens a text of many lines, at its beginning or end. Lines wider than the box are wrapped with a
 * hanging indent. */
void popup_text(struct popup *p, const char *title, const char *text, bool at_end);
/* Cells inside the box of a text, on a screen of `columns` columns. */
static inline int popup_inside(int columns)
{
	return columns - 6 > 16 ? columns - 6 : 16;
}
/* Wraps the text for a box with `cells` cells inside, at least 16, as popup_draw() does. */
void popup_wrap(struct popup *p, unsigned cells);
/* Opens an empty menu; popup_item() adds items. */
void popup_menu(struct popup *p, const char *title);
void popup_item(struct popup *p, const char *text, const char *command);
/* Opens an empty menu with a line to type in; the caller replaces the items when `typed` changes.
 */
void popup_find(struct popup *p, const char *title);
void popup_empty(struct popup *p);
/* Appends text to that line, as far as there is room. */
void popup_type(struct popup *p, const char *text);
void popup_close(struct popup *p);
void popup_deinit(struct popup *p);
/* Handles a key or the wheel; returns the command of a chosen item (borrowed until the popup opens
 * again), or NULL. */
const char *popup_key(struct popup *p, int key);
void popup_scroll(struct popup *p, int lines);
/* Handles a click; returns as popup_key() does. A click outside closes the popup. */
const char *popup_click(struct popup *p, int y, int x);
/* Draws it within the given area. */
void popup_draw(struct popup *p, struct canvas *c, const struct rect *area);

#endif
