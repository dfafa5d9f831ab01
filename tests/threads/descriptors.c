/* Results of system calls on descriptors that wait, and on signals and timers, for wrong arguments,
 * or just right ones: a line each, to be compared with qemu's. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define NOWHERE ((void *)8)

static void descriptors_say(const char *what, long ret)
{
	printf("%s: %s\n", what, ret < 0 ? strerror(errno) : ret ? "more" : "0");
}

#define SAY(call) descriptors_say(#call, call)
#define CALL(name, ...) SAY(syscall(SYS_##name, __VA_ARGS__))

static struct timespec soon = {0, 1000}, wrong = {0, 1000000000}, past = {-1, 0}, now = {0, 0};

static void descriptors_eventfds(void)
{
	uint64_t value = 3, most = UINT64_MAX, nearly = UINT64_MAX - 1;
	int fd = eventfd(0, EFD_NONBLOCK);
	CALL(eventfd2, 0, 7);
	CALL(eventfd2, 5, 0);
	CALL(read, fd, &value, 8);
	CALL(read, fd, &value, 7);
	CALL(write, fd, &value, 7);
	CALL(write, fd, &most, 8);
	CALL(write, fd, &nearly, 8);
	CALL(write, fd, &value, 8);
	CALL(write, fd, NOWHERE, 8);
	CALL(read, fd, NOWHERE, 8);
	CALL(lseek, fd, 0, 0);
	CALL(ftruncate, fd, 0);
	CALL(pread64, fd, &value, 8, 0);
	close(fd);
	CALL(read, fd, &value, 8);
}

static void descriptors_timerfds(void)
{
	struct itimerspec set = {{0, 0}, {0, 1000}}, bad = {{0, 0}, {0, 1000000000}}, worse = {{-1, 0}, {0, 1}};
	uint64_t value;
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK), plain = open("/dev/null", O_RDONLY);
	CALL(timerfd_create, 77, 0);
	CALL(timerfd_create, CLOCK_THREAD_CPUTIME_ID, 0);
	CALL(timerfd_create, CLOCK_MONOTONIC, 1);
	CALL(timerfd_settime, fd, 0, &bad, NULL);
	CALL(timerfd_settime, fd, 0, &worse, NULL);
	CALL(timerfd_settime, fd, 0, NOWHERE, NULL);
	CALL(timerfd_settime, fd, 99, &set, NULL);
	CALL(timerfd_settime, plain, 0, &set, NULL);
	CALL(timerfd_settime, -1, 0, &set, NULL);
	CALL(timerfd_gettime, plain, &set);
	CALL(timerfd_gettime, -1, &set);
	CALL(timerfd_gettime, fd, NOWHERE);
	CALL(read, fd, &value, 8);
	CALL(read, fd, &value, 4);
	CALL(write, fd, &value, 8);
	close(fd);
	close(plain);
}

static void descriptors_epolls(void)
{
	struct epoll_event ev = {.events = EPOLLIN}, out[4];
	int ends[2], ep = epoll_create1(0), plain = open("/dev/null", O_RDONLY);
	if (pipe(ends))
		return;
	CALL(epoll_create1, 1);
	CALL(epoll_ctl, ep, EPOLL_CTL_ADD, ends[0], &ev);
	CALL(epoll_ctl, ep, EPOLL_CTL_ADD, ends[0], &ev);
	CALL(epoll_ctl, ep, EPOLL_CTL_MOD, ends[1], &ev);
	CALL(epoll_ctl, ep, EPOLL_CTL_DEL, ends[1], NULL);
	CALL(epoll_ctl, ep, EPOLL_CTL_ADD, -1, &ev);
	CALL(epoll_ctl, ep, EPOLL_CTL_ADD, ep, &ev);
	CALL(epoll_ctl, -1, EPOLL_CTL_ADD, ends[0], &ev);
	CALL(epoll_ctl, plain, EPOLL_CTL_ADD, ends[0], &ev);
	CALL(epoll_ctl, ep, EPOLL_CTL_ADD, ends[1], NOWHERE);
	CALL(epoll_ctl, ep, 9, ends[0], &ev);
	CALL(epoll_pwait, ep, out, 0, 0, NULL, 8);
	CALL(epoll_pwait, ep, out, -1, 0, NULL, 8);
	CALL(epoll_pwait, plain, out, 4, 0, NULL, 8);
	CALL(epoll_pwait, -1, out, 4, 0, NULL, 8);
	CALL(epoll_pwait, ep, out, 4, 0, NULL, 8);
	if (write(ends[1], "x", 1) != 1)
		return;
	CALL(epoll_pwait, ep, NOWHERE, 4, 0, NULL, 8);
	CALL(epoll_pwait, ep, out, 4, 0, &ev, 7);
	CALL(epoll_pwait, ep, out, 4, 0, NULL, 8);
	CALL(read, ep, out, 8);
	close(ends[0]);
	close(ends[1]);
	close(ep);
	close(plain);
}

static void pairs(void)
{
	int two[2];
	CALL(socketpair, AF_INET, SOCK_STREAM, 0, two);
	CALL(socketpair, AF_UNIX, SOCK_STREAM, 99, two);
	CALL(socketpair, AF_UNIX, SOCK_STREAM, 0, NOWHERE);
	CALL(socketpair, 999, SOCK_STREAM, 0, two);
	CALL(socketpair, AF_UNIX, SOCK_STREAM, 0, two);
	CALL(write, two[0], "ab", 2);
	CALL(read, two[1], NOWHERE, 2);
	CALL(lseek, two[0], 0, 0);
	close(two[1]);
	signal(SIGPIPE, SIG_IGN);
	CALL(write, two[0], "ab", 2);
	close(two[0]);
	CALL(pipe2, two, 0x7fffffff);
	CALL(pipe2, NOWHERE, 0);
	CALL(pipe2, two, O_CLOEXEC | O_NONBLOCK);
	CALL(read, two[0], &two, 1);
	CALL(read, two[1], &two, 1);
	CALL(write, two[0], "a", 1);
	CALL(lseek, two[0], 0, 0);
	close(two[0]);
	CALL(write, two[1], "a", 1);
	close(two[1]);
}

static void descriptors_polls(void)
{
	int ends[2];
	if (pipe(ends))
		return;
	struct pollfd p = {ends[0], POLLIN, 0}, none = {-1, POLLIN, 0}, gone = {77, POLLIN, 0};
	fd_set set;
	struct timespec wait = {0, 1000}, left = {50, 0};
	sigset_t mask;
	sigemptyset(&mask);
	CALL(ppoll, &p, 1, &now, NULL, 8);
	CALL(ppoll, &p, 1, &wrong, NULL, 8);
	CALL(ppoll, &p, 1, &past, NULL, 8);
	CALL(ppoll, &p, 1, &now, &mask, 7);
	CALL(ppoll, &p, 1, &now, NOWHERE, 8);
	CALL(ppoll, NOWHERE, 1, &now, NULL, 8);
	CALL(ppoll, &p, 0x7fffffff, &now, NULL, 8);
	CALL(ppoll, &p, 1, NOWHERE, NULL, 8);
	CALL(ppoll, &none, 1, &now, NULL, 8);
	CALL(ppoll, &gone, 1, &now, NULL, 8);
	printf("%x\n", (unsigned)gone.revents);
	CALL(ppoll, &p, 1, &wait, NULL, 8);
	printf("left %ld %ld\n", (long)wait.tv_sec, wait.tv_nsec);
	FD_ZERO(&set);
	FD_SET(ends[0], &set);
	CALL(pselect6, ends[0] + 1, &set, NULL, NULL, &now, NULL);
	CALL(pselect6, -1, &set, NULL, NULL, &now, NULL);
	CALL(pselect6, ends[0] + 1, NOWHERE, NULL, NULL, &now, NULL);
	CALL(pselect6, ends[0] + 1, &set, NULL, NULL, &wrong, NULL);
	CALL(pselect6, ends[0] + 1, &set, NULL, NULL, &past, NULL);
	CALL(pselect6, ends[0] + 1, &set, NULL, NULL, NOWHERE, NULL);
	FD_ZERO(&set);
	FD_SET(30, &set);
	CALL(pselect6, 31, &set, NULL, NULL, &now, NULL);
	if (write(ends[1], "x", 1) != 1)
		return;
	FD_ZERO(&set);
	FD_SET(ends[0], &set);
	CALL(pselect6, ends[0] + 1, &set, NULL, NULL, &left, NULL);
	printf("left %d\n", left.tv_sec >= 48 && left.tv_sec <= 50);
	left = (struct timespec){50, 0};
	CALL(ppoll, &p, 1, &left, NULL, 8);
	printf("left %d\n", left.tv_sec >= 48 && left.tv_sec <= 50);
	close(ends[0]);
	close(ends[1]);
}

static void signals(void)
{
	struct sigaction act = {.sa_handler = SIG_IGN};
	sigset_t set;
	siginfo_t info;
	stack_t small = {&set, 0, 16}, odd = {&set, 99, 65536};
	sigemptyset(&set);
	SAY(sigaction(SIGKILL, &act, NULL));
	SAY(sigaction(SIGSTOP, &act, NULL));
	SAY(sigaction(0, &act, NULL));
	SAY(sigaction(65, &act, NULL));
	CALL(rt_sigaction, SIGUSR1, NOWHERE, NULL, 8);
	CALL(rt_sigaction, SIGUSR1, NULL, NULL, 7);
	CALL(rt_sigprocmask, 9, &set, NULL, 8);
	CALL(rt_sigprocmask, SIG_BLOCK, &set, NULL, 7);
	CALL(rt_sigprocmask, SIG_BLOCK, NOWHERE, NULL, 8);
	CALL(rt_sigprocmask, 9, NULL, &set, 8);
	CALL(rt_sigpending, &set, 9);
	CALL(rt_sigtimedwait, &set, &info, &now, 8);
	CALL(rt_sigtimedwait, &set, &info, &wrong, 8);
	CALL(rt_sigtimedwait, &set, &info, &now, 7);
	CALL(rt_sigtimedwait, NOWHERE, &info, &now, 8);
	CALL(rt_sigsuspend, &set, 7);
	CALL(rt_sigsuspend, NOWHERE, 8);
	SAY(sigaltstack(&small, NULL));
	SAY(sigaltstack(&odd, NULL));
	SAY(sigaltstack(NOWHERE, NULL));
	CALL(kill, getpid(), 65);
	CALL(kill, getpid(), 0);
	CALL(tgkill, getpid(), getpid(), 65);
	CALL(tgkill, getpid(), -1, 0);
}

static void descriptors_timers(void)
{
	struct itimerval bad = {{0, 0}, {0, 1000000}}, got;
	struct itimerspec set = {{0, 0}, {10, 0}}, wrong_set = {{0, 0}, {0, 1000000000}};
	struct sigevent odd = {.sigev_notify = 99}, sig = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = 99};
	int id = 0;
	CALL(setitimer, 9, &bad, NULL);
	CALL(setitimer, ITIMER_REAL, &bad, NULL);
	CALL(getitimer, 9, &got);
	CALL(getitimer, ITIMER_REAL, NOWHERE);
	CALL(timer_create, 77, NULL, &id);
	CALL(timer_create, CLOCK_MONOTONIC, &odd, &id);
	CALL(timer_create, CLOCK_MONOTONIC, &sig, &id);
	CALL(timer_create, CLOCK_MONOTONIC, NULL, &id);
	CALL(timer_settime, id, 0, &wrong_set, NULL);
	CALL(timer_settime, id, 0, &set, NULL);
	CALL(timer_gettime, id, &set);
	CALL(timer_getoverrun, id);
	CALL(timer_delete, id);
	CALL(timer_delete, id);
	CALL(timer_settime, id, 0, &set, NULL);
	CALL(timer_gettime, id, &set);
	CALL(timer_getoverrun, id);
	CALL(nanosleep, &soon, NULL);
}

int main(int argc, char **argv)
{
	static void (*const all[])(void) = {descriptors_eventfds, descriptors_timerfds, descriptors_epolls, pairs, descriptors_polls, signals, descriptors_timers};
	for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
		if (argc < 2 || argv[1][0] == (char)('0' + i))
			all[i]();
	return 0;
}
