/* A preloaded library. Each call that restores the terminal fails the first time:
 *
 *   FAILS="write ERRNO"   writing that leaves the other screen
 *   FAILS="modes ERRNO"   setting modes in which lines are read
 *
 * FAILS="wait N": SIGINT is raised just before the wait for the Nth key. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static int fails_fails(const char *what)
{
	static int failed;
	char wanted[16];
	int error;
	const char *text = getenv("FAILS");
	if (!text || sscanf(text, "%15s %d", wanted, &error) != 2 || strcmp(wanted, what))
		return 0;
	failed = !failed;
	errno = error;
	return failed;
}

static void interrupt_wait(void)
{
	static int waits;
	int wanted;
	const char *text = getenv("FAILS");
	if (text && sscanf(text, "wait %d", &wanted) == 1 && ++waits == wanted)
		raise(SIGINT);
}

int poll(struct pollfd *fds, nfds_t n, int timeout)
{
	if (timeout < 0)
		interrupt_wait();
	return REAL(poll)(fds, n, timeout);
}

int ppoll(struct pollfd *fds, nfds_t n, const struct timespec *timeout, const sigset_t *mask)
{
	if (!timeout)
		interrupt_wait();
	return REAL(ppoll)(fds, n, timeout, mask);
}

ssize_t write(int fd, const void *bytes, size_t n)
{
	return isatty(fd) && memmem(bytes, n, "\033[?1049l", 8) && fails_fails("write") ? -1 : REAL(write)(fd, bytes, n);
}

int tcsetattr(int fd, int when, const struct termios *modes)
{
	return (modes->c_lflag & ICANON) && fails_fails("modes") ? -1 : REAL(tcsetattr)(fd, when, modes);
}
