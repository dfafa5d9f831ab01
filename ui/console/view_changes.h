/* Views that were shown as text: what they looked like at the last stop, to mark what has changed.
 */
#ifndef CYCLOPS_UI_CONSOLE_VIEW_CHANGES_H
#define CYCLOPS_UI_CONSOLE_VIEW_CHANGES_H

#include "hwviews/grid/grid.h"
#include "ui/console/command.h"

/* Before the machine moves: remembers the views shown so far as they are now. */
void view_changes_keep(struct console *c);
/* Builds a view from its words ("mem sp 64") with changes marked. False with c->err; *out is
 * initialised only on success. */
bool shown_build(struct console *c, const char *words, struct grid *out);

#endif
