/* The traces that a session is writing. */
#ifndef CYCLOPS_UI_CONSOLE_TRACES_H
#define CYCLOPS_UI_CONSOLE_TRACES_H

#include "ui/console/command.h"
#include "ui/trace/trace.h"

/* Takes over a trace that listens. False with c->err if there are too many. */
bool traces_add(struct console *c, struct trace *t);
/* These end traces and say so; false with c->err if a file was not written in full. Each file is
 * told of once. */
/* Those with this path, NULL: all. *ended receives their number. */
bool traces_end(struct console *c, const char *path, unsigned *ended);
/* Another run takes the place of this one: those that have begun. */
bool traces_new_run(struct console *c);
/* A motion is over: those whose range is complete, and those that can't be written. */
bool traces_poll(struct console *c);
/* The session is over: all. False with *err. */
bool traces_finish(struct console *c, struct err *err);
/* A motion begins. */
void traces_motion(struct console *c);
/* Finishes the file, says how many instructions it has. */
enum command_result traces_close(struct console *c, struct trace *t);

#endif
