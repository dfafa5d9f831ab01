/* Parallel processes in which `sweep` and `compare` run their machines.
 *
 * Jobs start in the order of the array, as soon as there is room. A job ends by itself, by its time
 * limit, or when an interrupt ends jobs_run(). Each job has its own process group, so that Ctrl-C
 * reaches only this process; jobs die with this process. jobs_run() waits for SIGCHLD and the
 * interrupting signals without handlers or global state. It borrows strings and arrays until it
 * returns, and prints nothing. Times are seconds of the host. */
#ifndef CYCLOPS_UI_CLI_JOBS_H
#define CYCLOPS_UI_CLI_JOBS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct sandbox;

enum job_state {
	JOB_WAITING,     /* for its turn; also never started because of an interrupt */
	JOB_RUNNING,
	JOB_EXITED,      /* code is its exit status */
	JOB_SIGNALLED,   /* code is the fatal signal */
	JOB_TIMED_OUT,   /* ended by its time limit */
	JOB_NOT_STARTED, /* code is errno, `what` the file concerned */
	JOB_INTERRUPTED, /* ended because of an interrupt */
};

struct job {
	/* argv[0] is the program's path, or a name to look up in PATH; NULL at the end */
	char *const *argv;
	const char *in;       /* opened as launch_open_input() does; NULL: /dev/null */
	const char *out;      /* created or truncated; NULL: /dev/null */
	const char *err;      /* likewise; equal to out: the same file */
	bool keeps_err;       /* err can be read later, by `log` */
	double timeout;       /* seconds; 0: none */
	void *ctx;            /* the caller's */
	const struct sandbox *sandbox; /* entered before it is executed; NULL: none */

	/* Results, set by jobs_run(). */
	enum job_state state;
	int code;
	const char *what;     /* of JOB_NOT_STARTED: the file that could not be opened or run */
	double seconds;       /* from start to end */
	double cpu_seconds;
	long peak_kib;        /* peak resident memory */
	unsigned confined;    /* enum sandbox_means that took effect */

	/* Descriptor of the file that err named when the job started; the caller closes it. -1:
	 * none. */
	int log;

	/* jobs_run()'s own. */
	pid_t pid;
	double began, kill_at;
	bool told;            /* was sent a signal to end */
};

struct jobs_watcher {
	void (*began)(void *ctx, struct job *j);
	void (*ended)(void *ctx, struct job *j);                     /* result in state */
	/* after every change, and each second */
	void (*tick)(void *ctx, const struct job *jobs, size_t count);
	void *ctx;
	/* read after callbacks, NULL: never; once set, acts like SIGTERM */
	const bool *stop;
};

double jobs_now(void);

/* Runs all JOB_WAITING jobs, `at_once` at a time; returns when none is running. Callbacks may be
 * NULL. Returns the interrupting signal (SIGINT, SIGTERM, SIGHUP; ignored signals stay ignored), or
 * 0 if every job has ended. */
int jobs_run(struct job *jobs, size_t count, unsigned at_once, const struct jobs_watcher *w);

/* Writes how the job ended: "exit status 3", "killed by SIGKILL", "took over 60 s". Returns buf. */
const char *job_end_text(const struct job *j, char *buf, size_t n);

#endif
