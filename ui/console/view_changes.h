/* Views that were shown as text, with their contents at the last stop where they were, to mark
 * changes. */
#ifndef CYCLOPS_UI_CONSOLE_VIEW_CHANGES_H
#define CYCLOPS_UI_CONSOLE_VIEW_CHANGES_H

#include "hwviews/grid/grid.h"
#include "ui/console/command.h"

/* Keeps the contents of the views shown at this stop. Call before the machine moves. */
void view_changes_keep(struct console *c);
/* Builds a view from its words ("mem sp 64") with changes marked. False with c->err; *out is
 * initialised only on success. */
bool shown_build(struct console *c, const char *words, struct grid *out);

#endif
