/* SIGTERM and SIGHUP end cyclops within a second, whatever it is doing.
 *
 * An operation with an orderly end is requested to end (ending_by()), repeatedly every few
 * milliseconds, because one request could be lost between two legs of a run, or in a script that
 * catches its errors. Child processes are ended as soon as the process stands still, because it may
 * wait for them. If it has not ended after a second, or after half a second of computing or of
 * standing still, or has no orderly end, the signal's default action ends the process; before that,
 * child processes are ended, temporary folders removed and the terminal restored
 * (ui/console/fatal_signals.h). Output files are complete or absent at any moment
 * (core/base/output_file.h).
 *
 * SIGINT ends it at once in the same way, where no operation takes it for a request of its own.
 *
 * A signal that is ignored at the start stays ignored. */
#ifndef CYCLOPS_UI_CONSOLE_ENDING_H
#define CYCLOPS_UI_CONSOLE_ENDING_H

#include <stdbool.h>

/* Installs the handlers. Call at the program's beginning. */
void ending_catch(void);

/* Sets the function that requests the current operation to end; it is called in the signal handler.
 * NULL: no operation, and the next signal ends the process at once; if a signal has already come,
 * the rest of the orderly end is still waited for. */
void ending_by(void (*ask)(int number));

/* Reports a signal that was taken elsewhere: the process then has as long to end as after a
 * request. */
void ending_begin(int number);
/* Returns the signal that came, 0: none. */
int ending_came(void);

/* Calls mkdtemp(). ending_remove_folder(), or a fatal signal before that, removes the folder with
 * its contents; `name` is borrowed until then. One folder at a time. */
bool ending_make_folder(char *name);
void ending_remove_folder(void);

/* A fatal signal removes the socket file at `path`, borrowed; NULL: none. */
void ending_removes_socket(const char *path);

#endif
