/* Displays: commands that run after every stop. */
#ifndef CYCLOPS_UI_CONSOLE_DISPLAY_H
#define CYCLOPS_UI_CONSOLE_DISPLAY_H

#include "ui/console/command.h"

/* Runs a display's line: values are printed with the display's number, or with their names for a
 * pane, and stay out of the value history. */
enum { DISPLAY_PANE = -1 };
enum command_result display_run(struct console *c, int id, const char *line);
/* Runs each display; prints errors of failing ones. */
void displays_show(struct console *c);
/* Passes the displays of expressions and memory to fn, for the view of displays. ctx: the console.
 */
void displays_tell(void *ctx, session_display_fn *fn, void *to);
/* Number of displays that displays_tell() passes. */
size_t displays_count(const struct console *c);
/* Adds a display and returns its number, 0 with c->err. */
int display_add(struct console *c, const char *line);
/* Removes a display; id 0: all. False with c->err if it does not exist. */
bool display_remove(struct console *c, int id);

#endif
