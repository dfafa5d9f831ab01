#include "ui/cli/jobs.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/base/output_file.h"
#include "core/host/process.h"
#include "core/host/sandbox.h"
#include "core/os/os.h"
#include "loader/launch.h"
#include "ui/console/ending.h"

/* Seconds between asking a process to end and killing it. */
static const double GRACE = 2, LAST_GRACE = 0.5;

struct pool {
	struct job *jobs;
	size_t count, next; /* next: first that may be waiting */
	unsigned running, at_once;
	const struct jobs_watcher *w;
	sigset_t waited;    /* signals taken by jobs_run() */
	sigset_t old;       /* the previous mask, for children */
	int interrupted;    /* signal, or 0 */
	bool stopped;       /* by the watcher, not by a signal */
};

double jobs_now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- one child ---- */

static unsigned jobs_enter_sandbox(void *sandbox)
{
	return sandbox_enter(sandbox);
}

/* Moves fd above the standard streams: the child replaces those one after the other. */
static int above_streams(int fd)
{
	if (fd < 0 || fd > 2)
		return fd;
	int high = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	int why = errno;
	close(fd);
	errno = why;
	return high;
}

static bool jobs_start_child(struct job *j, const sigset_t *mask)
{
	const char *names[3] = {j->in, j->out, j->err};
	int fd[3] = {-1, -1, -1};
	bool ok = true;
	struct err err;
	for (int i = 0; i < 3 && ok; i++) {
		j->what = names[i] ? names[i] : "/dev/null";
		if (i == 2 && j->out && j->err && !strcmp(j->out, j->err))
			fd[2] = fcntl(fd[1], F_DUPFD_CLOEXEC, 3);
		else if (i)
			fd[i] = above_streams(names[i] ? output_create(j->what)
			                               : open(j->what, O_CLOEXEC | O_WRONLY));
		else
			fd[i] = above_streams(launch_open_input(j->what, &err));
		ok = fd[i] >= 0;
	}
	if (ok) {
		j->what = j->argv[0];
		const struct process p = {.program = j->argv[0],
		                          .argv = j->argv,
		                          .stream = {fd[0], fd[1], fd[2]},
		                          .apart = true,
		                          .mask = mask,
		                          .enter = j->sandbox ? jobs_enter_sandbox : NULL,
		                          .ctx = (void *)(uintptr_t)j->sandbox};
		ok = process_start(&p, &j->pid, &j->confined);
	}
	j->code = ok ? 0 : errno;
	if (j->keeps_err) {
		j->log = fd[2];
		fd[2] = -1;
	}
	for (int i = 0; i < 3; i++)
		if (fd[i] >= 0)
			close(fd[i]);
	return ok;
}

/* ---- the pool ---- */

static void jobs_notify_tick(const struct pool *p)
{
	if (p->w->tick)
		p->w->tick(p->w->ctx, p->jobs, p->count);
}

static void jobs_notify_end(struct pool *p, struct job *j)
{
	if (p->w->ended)
		p->w->ended(p->w->ctx, j);
}

static void jobs_start_waiting(struct pool *p)
{
	for (; p->next < p->count && p->running < p->at_once && !p->interrupted; p->next++) {
		struct job *j = &p->jobs[p->next];
		if (j->state != JOB_WAITING)
			continue;
		j->began = jobs_now();
		j->told = false;
		j->kill_at = 0;
		if (!jobs_start_child(j, &p->old)) {
			j->state = JOB_NOT_STARTED;
			jobs_notify_end(p, j);
			continue;
		}
		j->state = JOB_RUNNING;
		p->running++;
		if (p->w->began)
			p->w->began(p->w->ctx, j);
		jobs_notify_tick(p);
	}
}

static void tell_to_end(struct job *j, int sig, double grace)
{
	j->told = true;
	j->kill_at = jobs_now() + grace;
	process_signal_group(j->pid, sig);
}

static void jobs_record_exit(struct pool *p, struct job *j, const struct process_end *end)
{
	const int status = end->status;
	j->seconds = jobs_now() - j->began;
	j->cpu_seconds = end->cpu_seconds;
	j->peak_kib = end->peak_kib;
	if (j->told)
		j->state = p->interrupted ? JOB_INTERRUPTED : JOB_TIMED_OUT;
	else
		j->state = WIFEXITED(status) ? JOB_EXITED : JOB_SIGNALLED;
	j->code = WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status);
	j->pid = 0;
	p->running--;
	jobs_notify_end(p, j);
	jobs_notify_tick(p);
}

/* Reaps the jobs' processes only: the caller may have other children. */
static void jobs_reap_children(struct pool *p)
{
	for (size_t i = 0; i < p->next; i++) {
		struct job *j = &p->jobs[i];
		struct process_end end;
		if (j->state == JOB_RUNNING && process_has_ended(j->pid, &end))
			jobs_record_exit(p, j, &end);
	}
}

/* Ends jobs that have run for too long; returns the seconds until the next limit, at most 1. */
static double watch_time(struct pool *p)
{
	double now = jobs_now(), wait = 1;
	for (size_t i = 0; i < p->next; i++) {
		struct job *j = &p->jobs[i];
		if (j->state != JOB_RUNNING)
			continue;
		if (!j->told && j->timeout > 0 && now - j->began >= j->timeout)
			tell_to_end(j, SIGTERM, GRACE);
		if (j->told && now >= j->kill_at)
			process_signal_group(j->pid, SIGKILL);
		double left = j->told          ? j->kill_at - now
		              : j->timeout > 0 ? j->timeout - (now - j->began)
		                               : 1;
		if (left < wait)
			wait = left;
	}
	return wait > 0.01 ? wait : 0.01;
}

/* The first interrupt asks every child to end, a second one kills them. After SIGTERM and SIGHUP
 * children have little time (ui/console/ending.h). */
static void jobs_interrupt_children(struct pool *p, int sig)
{
	for (size_t i = 0; i < p->next; i++) {
		struct job *j = &p->jobs[i];
		if (j->state == JOB_RUNNING)
			tell_to_end(j, p->interrupted ? SIGKILL : SIGTERM,
			            sig == SIGINT ? GRACE : LAST_GRACE);
	}
	p->interrupted = sig;
}

static void jobs_block_signals(struct pool *p)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction old;
	sigemptyset(&p->waited);
	sigaddset(&p->waited, SIGCHLD);
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
			sigaddset(&p->waited, signals[i]);
	sigprocmask(SIG_BLOCK, &p->waited, &p->old);
}

int jobs_run(struct job *jobs, size_t count, unsigned at_once, const struct jobs_watcher *w)
{
	static const struct jobs_watcher no_watcher = {0};
	struct pool p = {.jobs = jobs,
	                 .count = count,
	                 .at_once = at_once ? at_once : 1,
	                 .w = w ? w : &no_watcher};
	/* If SIGCHLD were ignored, children could not be waited for. */
	struct sigaction usual = {.sa_handler = SIG_DFL}, before;
	sigaction(SIGCHLD, &usual, &before);
	jobs_block_signals(&p);
	jobs_start_waiting(&p);
	while (p.running) {
		const int sig = process_wait_signal(&p.waited, watch_time(&p));
		if (sig == SIGINT || sig == SIGTERM || sig == SIGHUP)
			jobs_interrupt_children(&p, sig);
		jobs_reap_children(&p);
		if (p.w->stop && *p.w->stop && !p.interrupted) {
			p.stopped = true;
			jobs_interrupt_children(&p, SIGTERM);
		}
		jobs_start_waiting(&p);
		if (sig < 0)
			jobs_notify_tick(&p);
	}
	sigprocmask(SIG_SETMASK, &p.old, NULL);
	sigaction(SIGCHLD, &before, NULL);
	if (p.interrupted && p.interrupted != SIGINT && !p.stopped)
		ending_begin(p.interrupted);
	return p.interrupted;
}

const char *job_end_text(const struct job *j, char *buf, size_t n)
{
	const char *name = j->state == JOB_SIGNALLED ? os_signal_name((unsigned)j->code) : NULL;
	switch (j->state) {
	case JOB_WAITING:
		snprintf(buf, n, "not begun");
		break;
	case JOB_RUNNING:
		snprintf(buf, n, "running");
		break;
	case JOB_EXITED:
		snprintf(buf, n, "exit status %d", j->code);
		break;
	case JOB_SIGNALLED:
		if (name)
			snprintf(buf, n, "killed by %s", name);
		else
			snprintf(buf, n, "killed by signal %d", j->code);
		break;
	case JOB_TIMED_OUT:
		snprintf(buf, n, "took over %g s", j->timeout);
		break;
	case JOB_NOT_STARTED:
		snprintf(buf, n, "not started: %s: %s", j->what, strerror(j->code));
		break;
	case JOB_INTERRUPTED:
		snprintf(buf, n, "interrupted");
		break;
	}
	return buf;
}
