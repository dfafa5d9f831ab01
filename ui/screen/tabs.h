/* The tab bar: names of views that belong to the layout but have no room, in a row above the panes.
 * Choosing a tab shows its view in the last pane. Layout `profilers` always has a tab bar: views of
 * the tour, of the machine's devices, and of time spent; other layouts have a tab bar if panes have
 * no room. */
#ifndef CYCLOPS_UI_SCREEN_TABS_H
#define CYCLOPS_UI_SCREEN_TABS_H

#include "ui/screen/pane.h"
#include "ui/screen/parts.h"

struct screen;

/* Takes its row of the area for panes; returns the rest. */
struct rect tabs_place(struct screen *s, struct rect area);
/* Places the panes of the layout, and the bar if one is needed. */
void tabs_arrange(struct screen *s);
/* In a layout that always has tabs, shows the view that the tour showed last. */
void tabs_follow_tour(struct screen *s);
void tabs_draw(struct screen *s);
/* The view at a place on the screen; NULL if none is there. */
const char *tabs_at(struct screen *s, int y, int x);
/* Shows a view of the bar in the last pane, and focuses that. False: the bar does not have it. */
bool tabs_show(struct screen *s, const char *view);

#endif
