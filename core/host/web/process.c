/* Children: this program again, in an instance of its own on the same files, from its beginning to
 * its end while it is started. Other programs cannot be had. */
#include "core/host/process.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/host/own_program.h"
#include "core/host/web/error_number.h"
#include "core/host/web/page.h"
#include "core/host/web/sandbox_limit.h"
#include "core/host/web/signals.h"

enum { CHILDREN_MAX = 64, FIRST_PID = 100 };

/* Ended children that nothing has waited for. */
static struct {
	pid_t pid;
	struct process_end end;
} ended[CHILDREN_MAX];
static pid_t process_last_pid = FIRST_PID;

const char *process_lack(void)
{
	return ERROR_NUMBER_NOT_HERE_TEXT;
}

bool process_start(const struct process *p, pid_t *pid, unsigned *entered)
{
	char own[PATH_MAX], folder[PATH_MAX];
	unsigned slot = 0;
	own_program(own, sizeof own);
	if (strcmp(p->program, own) != 0)
		return errno = ENOPKG, false; /* with a text of its own in error_numbers.c */
	while (slot < CHILDREN_MAX && ended[slot].pid)
		slot++;
	if (slot == CHILDREN_MAX)
		return errno = EAGAIN, false;
	/* A sandbox sets the folder, which both have, and a limit. */
	const bool here = getcwd(folder, sizeof folder);
	sandbox_seconds = 0;
	const unsigned means = p->enter ? p->enter(p->ctx) : 0;
	const int status = page_run(p->argv, environ, p->stream, sandbox_seconds);
	if (here && chdir(folder) != 0)
		return false;
	if (entered)
		*entered = means;
	*pid = ended[slot].pid = ++process_last_pid;
	ended[slot].end = (struct process_end){.status = status};
	raise(SIGCHLD);
	return true;
}

static bool process_take(pid_t pid, struct process_end *end)
{
	for (unsigned i = 0; i < CHILDREN_MAX; i++)
		if (pid > 0 && ended[i].pid == pid) {
			*end = ended[i].end;
			ended[i].pid = 0;
			return true;
		}
	return false;
}

bool process_wait(pid_t pid, int *status)
{
	struct process_end end;
	if (!process_take(pid, &end))
		return errno = ECHILD, false;
	if (status)
		*status = end.status;
	return true;
}

bool process_wait_or_stop(pid_t pid, int *status)
{
	return process_wait(pid, status);
}

int process_descriptor(pid_t pid)
{
	(void)pid;
	return -1;
}

bool process_has_ended(pid_t pid, struct process_end *end)
{
	*end = (struct process_end){0};
	return process_take(pid, end);
}

void process_signal_group(pid_t pid, int number)
{
	(void)pid;
	(void)number;
}

void process_signal(pid_t pid, int number)
{
	(void)pid;
	(void)number;
}

int process_wait_signal(const sigset_t *set, double seconds)
{
	uint64_t numbers = 0;
	for (int i = 1; i <= 64; i++)
		if (sigismember(set, i) == 1)
			numbers |= UINT64_C(1) << (i - 1);
	return signals_wait_for(numbers, seconds);
}

pid_t process_copy(void)
{
	errno = ENOPKG;
	return -1;
}

void *process_share(size_t n)
{
	return alloc_try_zeroed(1, n);
}

void process_unshare(void *memory, size_t n)
{
	(void)n;
	free(memory);
}

unsigned process_cores(void)
{
	return 1;
}
