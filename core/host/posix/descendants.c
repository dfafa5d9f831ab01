#include "core/host/descendants.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Global, because signal handlers take no context. */
static struct {
	struct sigaction interrupt, quit; /* as they were */
	volatile sig_atomic_t sent_on, came;
} attention;

pid_t child_fork_for_exec(void)
{
	enum { SIGNALS = 65 /* numbers 1 to 64 */ };
	struct sigaction was, usual = {.sa_handler = SIG_DFL};
	sigset_t all, before;
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	const bool came = attention.came;
	const pid_t pid = fork();
	const int why = errno;
	if (came && pid > 0)
		kill(pid, SIGINT);
	for (int i = 1; pid == 0 && i < SIGNALS; i++)
		if (sigaction(i, NULL, &was) == 0 && was.sa_handler != SIG_IGN)
			sigaction(i, &usual, NULL);
	sigprocmask(SIG_SETMASK, &before, NULL);
	errno = why;
	return pid;
}

/* Writes a number, and a text after it. */
static char *child_append_number(char *to, unsigned n, const char *behind)
{
	char digits[12], *at = digits + sizeof digits;
	do
		*--at = (char)('0' + n % 10);
	while (n /= 10);
	const size_t length = (size_t)(digits + sizeof digits - at);
	memcpy(to, at, length);
	return stpcpy(to + length, behind);
}

/* Reads a file of /proc/PID; returns the bytes read, 0 on failure. */
static size_t child_read_proc(unsigned pid, const char *name, char *out, size_t room)
{
	char path[96];
	char *at = child_append_number(stpcpy(path, "/proc/"), pid, "/task/");
	stpcpy(child_append_number(at, pid, "/"), name);
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	const ssize_t n = fd >= 0 ? read(fd, out, room) : 0;
	if (fd >= 0)
		close(fd);
	return n > 0 ? (size_t)n : 0;
}

struct child_list {
	unsigned pid[1024], count;
};

/* Appends all descendants, each process before its children; async-signal-safe. */
static void child_list_below(unsigned of, int depth, struct child_list *all)
{
	enum { DEPTH_MAX = 8 };
	char list[4096];
	const size_t n = child_read_proc(of, "children", list, sizeof list);
	unsigned child = 0;
	for (size_t i = 0; i < n; i++) {
		if (list[i] >= '0' && list[i] <= '9') {
			child = 10 * child + (unsigned)(list[i] - '0');
			continue;
		}
		if (child && depth < DEPTH_MAX && all->count < sizeof all->pid / sizeof *all->pid) {
			all->pid[all->count++] = child;
			child_list_below(child, depth + 1, all);
		}
		child = 0;
	}
}

/* Calls fn for all descendants, a process before its children: a shell whose command ends first
 * goes on to the next one, and may lose the signal that is sent to it meanwhile. */
static void child_each_below(unsigned of, void (*fn)(unsigned pid, void *ctx), void *ctx)
{
	struct child_list all = {.count = 0};
	child_list_below(of, 0, &all);
	for (unsigned i = 0; i < all.count; i++)
		fn(all.pid[i], ctx);
}

static void child_signal_one(unsigned pid, void *number)
{
	kill((pid_t)pid, *(const int *)number);
	kill((pid_t)pid, SIGCONT); /* a stopped process doesn't handle signals */
}

void child_signal_descendants(pid_t of, int number)
{
	child_each_below((unsigned)of, child_signal_one, &number);
}

/* Processes that got SIGTERM: a second SIGTERM would end some at once. Global, because signal
 * handlers take no context. */
static struct child_list requested;

static void child_end_one(unsigned pid, void *ctx)
{
	int number = SIGTERM;
	(void)ctx;
	for (unsigned i = 0; i < requested.count; i++)
		if (requested.pid[i] == pid)
			return;
	if (requested.count < sizeof requested.pid / sizeof *requested.pid)
		requested.pid[requested.count++] = pid;
	child_signal_one(pid, &number);
}

void child_request_end(void)
{
	child_each_below((unsigned)getpid(), child_end_one, NULL);
}

void child_end_descendants(void)
{
	enum { ROUNDS = 100 };
	const struct timespec pause = {.tv_nsec = 1000000};
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	for (int i = 0; i < ROUNDS; i++) {
		pid_t pid;
		child_request_end();
		while ((pid = waitpid(-1, NULL, WNOHANG)) > 0)
			;
		if (pid < 0)
			break;
		nanosleep(&pause, NULL);
	}
}

static void child_note_pipe(unsigned pid, void *met)
{
	static const char place[] = "wait_for_partner"; /* of Linux: open() of a named pipe */
	char text[64];
	const size_t n = child_read_proc(pid, "wchan", text, sizeof text);
	*(bool *)met |= n == sizeof place - 1 && !memcmp(text, place, n);
}

bool child_waits_for_pipe(pid_t pid)
{
	bool met = false;
	child_note_pipe((unsigned)pid, &met);
	child_each_below((unsigned)pid, child_note_pipe, &met);
	return met;
}

static void child_on_interrupt(int sig, siginfo_t *info, void *context)
{
	const int error = errno;
	(void)context;
	attention.came = 1;
	/* the terminal has sent it to the child, too */
	if (info->si_code <= 0) {
		attention.sent_on = 1;
		child_signal_descendants(getpid(), sig);
	}
	errno = error;
}

void child_attend(void)
{
	struct sigaction take = {.sa_sigaction = child_on_interrupt,
	                         .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK},
			 ignore = {.sa_handler = SIG_IGN};
	attention.sent_on = attention.came = 0;
	sigaction(SIGQUIT, &ignore, &attention.quit);
	sigaction(SIGINT, NULL, &attention.interrupt);
	if (attention.interrupt.sa_handler != SIG_IGN)
		sigaction(SIGINT, &take, NULL);
}

void child_attended(int status)
{
	const bool ended = (WIFSIGNALED(status) && WTERMSIG(status) == SIGINT) ||
	                   (WIFEXITED(status) && WEXITSTATUS(status) == 128 + SIGINT);
	sigaction(SIGINT, &attention.interrupt, NULL);
	sigaction(SIGQUIT, &attention.quit, NULL);
	attention.came = 0;
	if (ended || attention.sent_on)
		raise(SIGINT);
}
