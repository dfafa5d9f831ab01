/* The threads of the program, as commands name them: `thread 2`, `break find thread 2`. */
#ifndef CYCLOPS_UI_CONSOLE_THREADS_H
#define CYCLOPS_UI_CONSOLE_THREADS_H

#include "core/machine/change.h"
#include "core/os/thread.h"
#include "ui/console/command.h"

/* "2", whether there is such a thread or not: they have the same numbers in each run. False with
 * c->err. */
bool threads_number(struct console *c, const char *text, unsigned *number);
/* The one that is called so. NULL with c->err. */
const struct os_thread *threads_find(struct console *c, unsigned number);
/* It is looked at from now on, from its innermost frame, until the machine moves. */
void threads_look_at(struct console *c, const struct os_thread *t);
bool threads_is_looked_at(const struct console *c, const struct os_thread *t);
/* "runs", "is ready", "waits for the lock at 0x12340". Returns buf. */
char *threads_state(const struct console *c, const struct os_thread *t, char *buf, size_t n);
/* Where it is: as it has committed, or as it gave the hart away. */
uint64_t threads_pc(const struct console *c, const struct os_thread *t);
/* Registers are those of the thread that runs: false with *err if a change is about one of another
 * that is looked at. */
bool threads_may_set(const struct session *s, const struct change *what, struct err *err);

#endif
