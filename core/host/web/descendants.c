/* Children have ended before anything could signal them. */
#include "core/host/descendants.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

pid_t child_fork_for_exec(void)
{
	errno = ENOSYS;
	return -1;
}

void child_signal_descendants(pid_t of, int number)
{
	(void)of;
	(void)number;
}

void child_request_end(void)
{
}

void child_end_descendants(void)
{
}

bool child_waits_for_pipe(pid_t pid)
{
	(void)pid;
	return false;
}

void child_attend(void)
{
}

/* The child has taken the Ctrl-C that came while it ran. */
void child_attended(int status)
{
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGINT)
		raise(SIGINT);
}
