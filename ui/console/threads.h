/* The threads of the program, as commands name them: `thread 2`, `break find thread 2`. */
#ifndef CYCLOPS_UI_CONSOLE_THREADS_H
#define CYCLOPS_UI_CONSOLE_THREADS_H

#include "core/os/thread.h"
#include "ui/console/command.h"

/* Parses "2", even before the thread exists: threads have the same numbers in each run. False with
 * c->err. */
bool threads_number(struct console *c, const char *text, unsigned *number);
/* Finds the thread of this number. NULL with c->err. */
const struct os_thread *threads_find(struct console *c, unsigned number);
/* Selects the thread and its innermost frame until the machine moves. */
void threads_look_at(struct console *c, const struct os_thread *t);
bool threads_is_looked_at(const struct console *c, const struct os_thread *t);
/* Describes its state: "runs", "is ready", "waits for the lock at 0x12340". Returns buf. */
char *threads_state(const struct console *c, const struct os_thread *t, char *buf, size_t n);
/* Its pc: after its last commit, or where it gave the hart away. */
uint64_t threads_pc(const struct console *c, const struct os_thread *t);

#endif
