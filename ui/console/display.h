/* Displays: commands that run after every stop. */
#ifndef CYCLOPS_UI_CONSOLE_DISPLAY_H
#define CYCLOPS_UI_CONSOLE_DISPLAY_H

#include "ui/console/command.h"

/* Runs a display's line: its values are told with its number, of a pane's with what they are, and
 * are not in the history of values. */
enum { DISPLAY_PANE = -1 };
enum command_result display_run(struct console *c, int id, const char *line);
/* Runs each; one that fails says so. */
void displays_show(struct console *c);
/* For the view of displays: those that are expressions or memory. ctx: the console. */
void displays_tell(void *ctx, session_display_fn *fn, void *to);
/* How many that tells. */
size_t displays_count(const struct console *c);
/* The number given to it, 0 with c->err. */
int display_add(struct console *c, const char *line);
/* id 0: all. False with c->err if there is none. */
bool display_remove(struct console *c, int id);

#endif
