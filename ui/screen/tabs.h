/* The tab bar: views that belong to what is shown and have no room, by name, in a row above the
 * panes. One of them takes the place of the last pane when it is asked for. Layout `profilers` has
 * one always: what a tour speaks of, what the machine's devices show, and where the time goes;
 * others where panes of theirs find no room. */
#ifndef CYCLOPS_UI_SCREEN_TABS_H
#define CYCLOPS_UI_SCREEN_TABS_H

#include "ui/screen/pane.h"
#include "ui/screen/parts.h"

struct screen;

/* Takes its row of the area of panes; returns the rest. */
struct rect tabs_place(struct screen *s, struct rect area);
/* Places the panes of the layout, and the bar if one is needed. */
void tabs_arrange(struct screen *s);
/* In a tour, what its last step showed is in sight in a layout that has tabs. */
void tabs_follow_tour(struct screen *s);
void tabs_draw(struct screen *s);
/* The view at a place on the screen; NULL if none is there. */
const char *tabs_at(struct screen *s, int y, int x);
/* Shows a view of the bar in the last pane, and focuses that. False: it is none of the bar's. */
bool tabs_show(struct screen *s, const char *view);

#endif
