#include "core/host/process.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/close_range.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/host/descendants.h"

/* Runs in the child; never returns. Writes to `report` what enter() has returned, if there is one;
 * then errno on failure. */
static void process_become(const struct process *p, pid_t parent, int report)
{
	static const int usual[] = {SIGINT, SIGQUIT, SIGPIPE};
	if (p->apart) {
		setpgid(0, 0);
		/* If this process gets SIGKILL, its children end, too. */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(127);
	}
	for (unsigned i = 0; i < sizeof usual / sizeof *usual && !p->apart; i++)
		signal(usual[i], SIG_DFL);
	bool ok = true;
	for (int i = 0; i < 3 && ok; i++)
		ok = p->stream[i] < 0 || dup2(p->stream[i], i) >= 0;
	if (ok && p->enter) {
		const unsigned entered = p->enter(p->ctx);
		if (write(report, &entered, sizeof entered) != sizeof entered)
			_exit(126);
	}
	if (ok && p->closes)
		close_range(STDERR_FILENO + 1, UINT_MAX, CLOSE_RANGE_CLOEXEC);
	if (p->mask)
		sigprocmask(SIG_SETMASK, p->mask, NULL);
	if (ok)
		execvp(p->program, p->argv);
	const int why = errno;
	const ssize_t n = write(report, &why, sizeof why);
	_exit(n == sizeof why ? 127 : 126);
}

/* Reads an int of a report; false at its end. */
static bool process_take_report(int report, void *word)
{
	ssize_t n;
	do
		n = read(report, word, sizeof(int));
	while (n < 0 && errno == EINTR);
	return n == sizeof(int);
}

/* A pipe whose ends are not among the standard streams, which the child replaces. */
static bool process_open_report(int report[2])
{
	if (pipe2(report, O_CLOEXEC) < 0)
		return false;
	for (unsigned i = 0; i < 2; i++) {
		const int low = report[i];
		if (low > STDERR_FILENO)
			continue;
		report[i] = fcntl(low, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
		const int why = errno;
		close(low);
		if (report[i] < 0) {
			close(report[!i]);
			return errno = why, false;
		}
	}
	return true;
}

/* The pipe closes on exec: nothing to read means success. */
bool process_start(const struct process *p, pid_t *pid, unsigned *entered)
{
	int report[2], why = 0;
	unsigned none;
	if (!process_open_report(report))
		return false;
	const pid_t parent = getpid();
	*pid = child_fork_for_exec();
	if (*pid == 0)
		process_become(p, parent, report[1]);
	if (*pid < 0)
		why = errno;
	close(report[1]);
	if (*pid > 0) {
		if (p->enter)
			process_take_report(report[0], entered ? entered : &none);
		if (process_take_report(report[0], &why))
			process_wait(*pid, NULL);
		else
			why = 0;
	}
	close(report[0]);
	errno = why;
	return !why;
}

const char *process_lack(void)
{
	return NULL;
}

bool process_wait(pid_t pid, int *status)
{
	while (waitpid(pid, status, 0) < 0)
		if (errno != EINTR)
			return false;
	return true;
}

bool process_wait_or_stop(pid_t pid, int *status)
{
	while (waitpid(pid, status, WUNTRACED) < 0)
		if (errno != EINTR)
			return false;
	return true;
}

int process_descriptor(pid_t pid)
{
	return (int)syscall(SYS_pidfd_open, pid, 0);
}

bool process_has_ended(pid_t pid, struct process_end *end)
{
	struct rusage u = {0};
	*end = (struct process_end){0};
	if (wait4(pid, &end->status, WNOHANG, &u) != pid)
		return false;
	end->cpu_seconds = (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
	                   (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1e-6;
	end->peak_kib = u.ru_maxrss;
	return true;
}

void process_signal_group(pid_t pid, int number)
{
	kill(-pid, number);
	kill(-pid, SIGCONT); /* a stopped process doesn't handle signals */
}

void process_signal(pid_t pid, int number)
{
	kill(pid, number);
}

int process_wait_signal(const sigset_t *signals, double seconds)
{
	const time_t whole = (time_t)seconds;
	const struct timespec t = {.tv_sec = whole,
	                           .tv_nsec = (long)((seconds - (double)whole) * 1e9)};
	return sigtimedwait(signals, NULL, &t);
}

pid_t process_copy(void)
{
	const pid_t parent = getpid(), pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(127);
	}
	return pid;
}

void *process_share(size_t n)
{
	void *memory =
		mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return memory != MAP_FAILED ? memory : NULL;
}

void process_unshare(void *memory, size_t n)
{
	munmap(memory, n);
}

unsigned process_cores(void)
{
	cpu_set_t set;
	const int n = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
	return n > 0 ? (unsigned)n : 1;
}
