#include "ui/cli/jobs.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/base/output_file.h"
#include "loader/launch.h"
#include "ui/child/descendants.h"
#include "ui/child/sandbox.h"
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

unsigned jobs_cores(void)
{
	cpu_set_t set;
	int n = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
	return n > 0 ? (unsigned)n : 1;
}

double jobs_now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- one child ---- */

/* Runs in the child; never returns. Writes to `report` the means of the sandbox that took effect,
 * if there is a sandbox; then errno on failure. */
static void jobs_exec_child(const struct job *j, const int fd[3], const sigset_t *mask,
                            pid_t parent, int report)
{
	setpgid(0, 0);
	/* If this process gets SIGKILL, its children end, too. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(127);
	if (j->sandbox) {
		const unsigned held = sandbox_enter(j->sandbox);
		if (write(report, &held, sizeof held) != sizeof held)
			_exit(126);
	}
	for (int i = 0; i < 3; i++)
		if (dup2(fd[i], i) < 0)
			goto failed;
	sigprocmask(SIG_SETMASK, mask, NULL);
	execvp(j->argv[0], j->argv);
failed:;
	int why = errno;
	ssize_t n = write(report, &why, sizeof why);
	_exit(n == sizeof why ? 127 : 126);
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

/* Reads an int of a report; false at its end. */
static bool take_report(int report, void *word)
{
	ssize_t n;
	do
		n = read(report, word, sizeof(int));
	while (n < 0 && errno == EINTR);
	return n == sizeof(int);
}

/* Forks and executes; false with errno. The pipe closes on exec: nothing to read means success. */
static bool start_process(struct job *j, const int fd[3], const sigset_t *mask)
{
	int report[2], why = 0;
	if (pipe2(report, O_CLOEXEC) < 0)
		return false;
	pid_t parent = getpid();
	j->pid = child_fork_for_exec();
	if (j->pid == 0)
		jobs_exec_child(j, fd, mask, parent, report[1]);
	if (j->pid < 0)
		why = errno;
	close(report[1]);
	if (j->pid > 0) {
		if (j->sandbox)
			take_report(report[0], &j->confined);
		if (take_report(report[0], &why))
			waitpid(j->pid, NULL, 0);
		else
			why = 0;
	}
	close(report[0]);
	errno = why;
	return !why;
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
		ok = start_process(j, fd, mask);
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
	kill(-j->pid, sig);
	kill(-j->pid, SIGCONT); /* a stopped process doesn't handle signals */
}

static void jobs_record_exit(struct pool *p, struct job *j, int status, const struct rusage *u)
{
	j->seconds = jobs_now() - j->began;
	j->cpu_seconds = (double)(u->ru_utime.tv_sec + u->ru_stime.tv_sec) +
	                 (double)(u->ru_utime.tv_usec + u->ru_stime.tv_usec) * 1e-6;
	j->peak_kib = u->ru_maxrss;
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
		struct rusage u = {0};
		int status = 0;
		if (j->state == JOB_RUNNING && wait4(j->pid, &status, WNOHANG, &u) == j->pid)
			jobs_record_exit(p, j, status, &u);
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
			kill(-j->pid, SIGKILL);
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
		double wait = watch_time(&p);
		struct timespec t = {.tv_sec = (time_t)wait,
		                     .tv_nsec = (long)((wait - (double)(time_t)wait) * 1e9)};
		int sig = sigtimedwait(&p.waited, NULL, &t);
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
	const char *name = j->state == JOB_SIGNALLED ? sigabbrev_np(j->code) : NULL;
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
			snprintf(buf, n, "killed by SIG%s", name);
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
