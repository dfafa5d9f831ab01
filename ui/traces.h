/* The traces that a session is writing. */
#ifndef CYCLOPS_UI_TRACES_H
#define CYCLOPS_UI_TRACES_H

#include "ui/command.h"
#include "ui/trace/trace.h"

/* Takes over a trace that listens. False with c->err if there are too many. */
bool traces_add(struct console *c, struct trace *t);
/* Ends those with this path, NULL: all; says so. Their number. */
unsigned traces_end(struct console *c, const char *path);
/* Another run takes the place of this one: ends those that have begun. */
void traces_new_run(struct console *c);
/* A motion begins. */
void traces_motion(struct console *c);
/* A motion is over: ends those whose range is complete. */
void traces_poll(struct console *c);
/* Finishes the file, says how many instructions it has. */
enum command_result traces_close(struct console *c, struct trace *t);

#endif
