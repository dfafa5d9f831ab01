/* The processes below a process, and how they are signalled. */
#ifndef CYCLOPS_CORE_HOST_DESCENDANTS_H
#define CYCLOPS_CORE_HOST_DESCENDANTS_H

#include <stdbool.h>
#include <sys/types.h>

/* fork() for a child that calls exec. In the child, caught signals have their default action from
 * the beginning, so that a signal before exec ends it and runs no handler of ours. Forwards to it
 * an interrupt that came after child_attend() and before the fork. */
pid_t child_fork_for_exec(void);

/* Sends a signal to all descendants of a process, to a process before its children;
 * async-signal-safe. Stopped ones go on. */
void child_signal_descendants(pid_t of, int number);
/* Sends SIGTERM to every descendant of this process that has not got it from here or from
 * child_end_descendants(). Async-signal-safe. */
void child_request_end(void);
/* Sends SIGTERM once to every descendant of this process, and waits a tenth of a second at most for
 * their end. Adopts descendants that lose their parent meanwhile, and reaps all children: call only
 * when this process ends. Async-signal-safe. */
void child_end_descendants(void);
/* True if a process or one of its descendants waits to open a named pipe. */
bool child_waits_for_pipe(pid_t pid);

/* Ctrl-C and Ctrl-\ are the child's while we wait for one, to which Ctrl-C may be a key; a SIGINT
 * that was sent to us alone is sent on to it. Afterwards, if Ctrl-C has ended the child, or was
 * sent on, it counts as ours: what follows the child stops, too. One child at a time. */
void child_attend(void);
void child_attended(int status); /* as waitpid() returns it */

#endif
