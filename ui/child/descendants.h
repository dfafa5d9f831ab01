/* The processes below a process, and how they are signalled. */
#ifndef CYCLOPS_UI_DESCENDANTS_H
#define CYCLOPS_UI_DESCENDANTS_H

#include <stdbool.h>
#include <sys/types.h>

/* fork() for a child that calls exec: caught signals have their default action in it from the
 * beginning, so that a signal sent before exec ends it instead of running a handler of ours. An
 * interrupt since child_attend() is sent to it, which was not there to get it. */
pid_t child_fork_for_exec(void);

/* Sends a signal to all descendants of a process, to a process before its children;
 * async-signal-safe. Stopped ones go on. */
void child_signal_descendants(pid_t of, int number);
/* Sends SIGTERM once to every descendant of this process, also to those that are born meanwhile and
 * lose their parent, which this process adopts; waits a tenth of a second at most for them to end.
 * For a process that ends: it also reaps its children. Async-signal-safe. */
void child_end_descendants(void);
/* True if a process or one of its descendants waits to open a named pipe. */
bool child_waits_for_pipe(pid_t pid);

/* Ctrl-C and Ctrl-\ are the child's while we wait for one, to which Ctrl-C may be a key; a SIGINT
 * that was sent to us alone is sent on to it. Afterwards, if Ctrl-C has ended the child, or was
 * sent on, it counts as ours: what follows the child stops, too. One child at a time. */
void child_attend(void);
void child_attended(int status); /* as waitpid() returns it */

#endif
