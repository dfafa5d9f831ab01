/* The traces that a session is writing. */
#ifndef CYCLOPS_UI_CONSOLE_TRACES_H
#define CYCLOPS_UI_CONSOLE_TRACES_H

#include "ui/console/command.h"
#include "ui/trace/trace.h"

/* Takes over a listening trace. False with c->err if there are too many. */
bool traces_add(struct console *c, struct trace *t);
/* The functions below end traces and report each file once; false with c->err if a file is
 * incomplete. */
/* Ends traces to this path, NULL: all. *ended receives their number. */
bool traces_end(struct console *c, const char *path, unsigned *ended);
/* Call when another run replaces this one: ends traces that have begun. */
bool traces_new_run(struct console *c);
/* Call after a motion: ends traces whose range is complete or whose file can't be written. */
bool traces_poll(struct console *c);
/* Call when the session ends: ends all. False with *err. */
bool traces_finish(struct console *c, struct err *err);
/* Call before a motion. */
void traces_motion(struct console *c);
/* Finishes the file and prints the number of its instructions. */
enum command_result traces_close(struct console *c, struct trace *t);

#endif
