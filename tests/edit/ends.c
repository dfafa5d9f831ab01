/* Ends in the way that its argument names, right after work(5): by exit or abort, by exec, by a signal of its own
 * or the kernel's, by stack overflow, or with child processes. For contexts.sh. */
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define noinline __attribute__((noinline))

static volatile int never, kept;

static noinline int work(int n)
{
	return n > 1 ? work(n - 1) + 1 : 1;
}

/* Recurses until the stack overflows. */
static noinline int deeper(int n)
{
	volatile char room[4096];
	room[n & 4095] = (char)n;
	return never ? n : deeper(n + 1) + room[n & 4095];
}

static void back_to_default(int s)
{
	work(2);
	signal(s, SIG_DFL);
	raise(s);
}

static void leaves(int s)
{
	work(2);
	_exit(s);
}

/* Queries return the program's own handlers; the additional one is invisible. */
static int is_default(int s)
{
	struct sigaction a;
	return sigaction(s, NULL, &a) == 0 && a.sa_handler == SIG_DFL;
}

static int ignores(void)
{
	struct sigaction a = {.sa_handler = SIG_IGN}, before;
	if (!is_default(SIGTERM) || sigaction(SIGTERM, &a, &before) || before.sa_handler != SIG_DFL || before.sa_flags)
		return 1;
	raise(SIGTERM);
	if (is_default(SIGTERM) || sigaction(SIGTERM, &before, &a) || a.sa_handler != SIG_IGN || !is_default(SIGTERM))
		return 2;
	return raise(SIGTERM);
}

static int spawn(const char *what)
{
	char *words[] = {(char *)what, NULL}, *none[] = {NULL};
	pid_t child;
	int status = 0;
	if (posix_spawn(&child, what, NULL, NULL, words, none))
		return 9;
	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}

static int fork_and(void (*child)(void))
{
	int status = 0;
	if (fork() == 0)
		child();
	wait(&status);
	return WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status);
}

static void child_exits(void)
{
	exit(work(7) - 7);
}

static void child_dies(void)
{
	work(7);
	raise(SIGTERM);
}

static void on_alarm(void)
{
	const struct itimerval soon = {.it_value = {.tv_usec = 1000}};
	setitimer(ITIMER_REAL, &soon, NULL);
	pause();
}

/* The number of a signal, or 0. */
static int signal_named(const char *how)
{
	return strncmp(how, "raise-", 6) == 0 ? atoi(how + 6) : 0;
}

int main(int count, char **arguments)
{
	const char *how = count > 1 ? arguments[1] : "exit";
	int n = work(5);
	if (signal_named(how))
		return raise(signal_named(how));
	if (!strcmp(how, "abort"))
		abort();
	if (!strcmp(how, "exec"))
		execl("/bin/true", "true", (char *)NULL);
	if (!strcmp(how, "fork"))
		return fork_and(child_exits);
	if (!strcmp(how, "child-dies"))
		return fork_and(child_dies);
	if (!strcmp(how, "spawn"))
		return spawn("/bin/true");
	if (!strcmp(how, "spawn-nothing"))
		return spawn("/no/such/file");
	if (!strcmp(how, "system"))
		return WEXITSTATUS(system("exit 3"));
	if (!strcmp(how, "vfork")) {
		if (vfork() == 0)
			_exit(4);
		wait(NULL); /* emulators fork */
	}
	if (!strcmp(how, "segv"))
		*(volatile int *)(long)never = 1;
	if (!strcmp(how, "ill"))
		asm volatile(".half 0\n .half 0");
	if (!strcmp(how, "trap"))
		asm volatile("ebreak");
	if (!strcmp(how, "full"))
		kept = deeper(0);
	if (!strcmp(how, "alarm"))
		on_alarm();
	if (!strcmp(how, "own")) {
		signal(SIGSEGV, back_to_default);
		*(volatile int *)(long)never = 1;
	}
	if (!strcmp(how, "own-exit")) {
		signal(SIGTERM, leaves);
		raise(SIGTERM);
	}
	if (!strcmp(how, "ignores"))
		return ignores();
	if (!strcmp(how, "blocked")) {
		sigset_t all;
		sigfillset(&all);
		sigprocmask(SIG_BLOCK, &all, NULL);
		raise(SIGTERM);
		work(3);
		sigprocmask(SIG_UNBLOCK, &all, NULL);
	}
	return n - 5;
}
