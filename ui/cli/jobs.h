/* Processes, a number of them at once: what `sweep` and `compare` run their machines as.
 *
 * A job is started when there is room for it, in the order of the array, and ends by itself, by its
 * time limit or because somebody interrupts us. Each is in a process group of its own, so that
 * Ctrl-C reaches only us, and dies with us. While jobs_run() runs, SIGCHLD and the signals that
 * interrupt are taken by it: no handler, nothing global. Strings and arrays are borrowed until it
 * returns; it prints nothing. Times are seconds of the host. */
#ifndef CYCLOPS_UI_CLI_JOBS_H
#define CYCLOPS_UI_CLI_JOBS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct sandbox;

enum job_state {
	JOB_WAITING,     /* for its turn; also what was never begun because of an interrupt */
	JOB_RUNNING,
	JOB_EXITED,      /* code is its exit status */
	JOB_SIGNALLED,   /* code is the signal that ended it */
	JOB_TIMED_OUT,   /* we ended it */
	JOB_NOT_STARTED, /* code is the errno, `what` what it was about */
	JOB_INTERRUPTED, /* we ended it, because somebody interrupted us */
};

struct job {
	/* argv[0] is the program's path, or a name to look up in PATH; NULL at the end */
	char *const *argv;
	const char *in;       /* opened as launch_open_input() does; NULL: /dev/null */
	const char *out;      /* made anew; NULL: /dev/null */
	const char *err;      /* the same; the same name as out: both into one file */
	bool keeps_err;       /* err can be read afterwards, by `log` */
	double timeout;       /* seconds; 0: none */
	void *ctx;            /* the caller's */
	const struct sandbox *sandbox; /* entered before it is executed; NULL: none */

	/* What became of it. */
	enum job_state state;
	int code;
	const char *what;     /* of JOB_NOT_STARTED: the file that could not be opened or run */
	double seconds;       /* from start to end */
	double cpu_seconds;
	long peak_kib;        /* most memory that was resident at once */
	unsigned confined;    /* enum sandbox_means that held */

	/* A descriptor of what err names, whatever has taken that name since: for the caller to
	 * close. -1: none. */
	int log;

	/* jobs_run()'s own. */
	pid_t pid;
	double began, kill_at;
	bool told;            /* was asked to end */
};

struct jobs_watcher {
	void (*began)(void *ctx, struct job *j);
	void (*ended)(void *ctx, struct job *j);                     /* state says how */
	/* after every change, and each second */
	void (*tick)(void *ctx, const struct job *jobs, size_t count);
	void *ctx;
	/* looked at after callbacks, NULL: never; once it is set, it is as if SIGTERM had come */
	const bool *stop;
};

/* How many processes this one may run at the same time, at least 1. */
unsigned jobs_cores(void);
double jobs_now(void);

/* Runs all that are JOB_WAITING, `at_once` at a time; returns when none runs any more. Callbacks
 * may be NULL. Returns the signal that interrupted it (SIGINT, SIGTERM, SIGHUP; those that are
 * ignored stay so), or 0: then every job has ended. */
int jobs_run(struct job *jobs, size_t count, unsigned at_once, const struct jobs_watcher *w);

/* How it ended, in words: "exit status 3", "killed by SIGKILL", "took over 60 s". Returns buf. */
const char *job_end_text(const struct job *j, char *buf, size_t n);

#endif
