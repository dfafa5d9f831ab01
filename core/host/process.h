/* Other programs as children of this process: starting them, and how they end. */
#ifndef CYCLOPS_CORE_HOST_PROCESS_H
#define CYCLOPS_CORE_HOST_PROCESS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct process {
	const char *program;  /* its path; without a slash it is looked up in PATH */
	char *const *argv;    /* NULL after the last */
	int stream[3];        /* become its standard input, output and error; -1: ours */
	bool apart;           /* in a process group of its own, which ends with this process */
	bool closes;          /* closes all other descriptors; false: those closed on exec */
	const sigset_t *mask; /* signals that it blocks; NULL: those that we do */
	/* Prepares the child before it executes, with its streams in place: environment, sandbox;
	 * NULL: nothing. A host whose children are no copies of this process does not call it. */
	unsigned (*enter)(void *ctx);
	void *ctx;
};

/* Why no program but this one can be started, for messages: "not in ..."; NULL: others can. */
const char *process_lack(void);
/* Starts it. *entered: what enter() has returned; may be NULL. False with errno: it could not be
 * executed, and there is no child. */
bool process_start(const struct process *p, pid_t *pid, unsigned *entered);

struct process_end {
	int status;         /* as waitpid() returns it */
	double cpu_seconds;
	long peak_kib;      /* peak resident memory */
};

/* Waits for a child's end, over signals. False: there is no such child. */
bool process_wait(pid_t pid, int *status);
/* The same, and returns when it is stopped, too. */
bool process_wait_or_stop(pid_t pid, int *status);
/* A descriptor that can be read once the child has ended, for wait_ready.h; -1: there is none. */
int process_descriptor(pid_t pid);
/* Takes the end of a child, if it has ended; false: not yet. */
bool process_has_ended(pid_t pid, struct process_end *end);
/* Sends a signal to the group of a child that is `apart`; a stopped one goes on. */
void process_signal_group(pid_t pid, int number);
void process_signal(pid_t pid, int number);
/* Waits for one of the signals, which are blocked. -1: the seconds are over, or another came. */
int process_wait_signal(const sigset_t *signals, double seconds);

/* ---- a copy of this process, which goes on from here ---- */
/* Returns 0 in the copy, which ends when this process does; -1 with errno if there is none. */
pid_t process_copy(void);
/* n bytes, all 0, that later copies share with this process. NULL with errno on failure. */
void *process_share(size_t n);
void process_unshare(void *memory, size_t n);

/* Processors that this process may use, at least 1. */
unsigned process_cores(void);

#endif
