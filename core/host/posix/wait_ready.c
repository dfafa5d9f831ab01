#include "core/host/wait_ready.h"

#include <poll.h>
#include <signal.h>
#include <stddef.h>

int wait_input(int fd, int ms)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	return poll(&p, 1, ms);
}

int wait_output(int fd, int ms)
{
	struct pollfd p = {.fd = fd, .events = POLLOUT};
	return poll(&p, 1, ms);
}

int wait_either_input(int a, int b, int ms)
{
	struct pollfd p[2] = {{.fd = a, .events = POLLIN}, {.fd = b, .events = POLLIN}};
	const int ready = poll(p, 2, ms);
	return ready <= 0 ? ready : (p[0].revents ? 1 : 0) | (p[1].revents ? 2 : 0);
}

bool wait_input_unless(int fd, bool (*came)(void))
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	sigset_t all, before;
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	const bool ready = !came() && ppoll(&p, 1, NULL, &before) > 0;
	sigprocmask(SIG_SETMASK, &before, NULL);
	return ready;
}

bool wait_end_is_gone(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	return poll(&p, 1, 0) > 0 && (p.revents & (POLLHUP | POLLERR | POLLNVAL));
}
