/* The C library's functions on terminals, and on files that are waited for. */
#include <poll.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/select.h>
#include <signal.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "core/host/web/error_number.h"
#include "core/host/web/page.h"
#include "core/host/web/signals.h"

int tcgetattr(int fd, struct termios *t)
{
	const unsigned modes = page_modes();
	if (!page_is_terminal(fd))
		return error_number_set(__WASI_ERRNO_NOTTY);
	*t = (struct termios){
		.c_iflag = modes & PAGE_RETURNS ? ICRNL : 0,
		.c_oflag = modes & PAGE_NEWLINES ? OPOST | ONLCR : 0,
		.c_cflag = CS8 | CREAD | B38400,
		.c_lflag = (modes & PAGE_SIGNALS ? ISIG : 0) | (modes & PAGE_LINES ? ICANON : 0) |
	                   (modes & PAGE_ECHO ? ECHO | ECHOE | ECHOK : 0) | IEXTEN,
	};
	t->c_cc[VINTR] = 3;
	t->c_cc[VQUIT] = 28;
	t->c_cc[VERASE] = 127;
	t->c_cc[VKILL] = 21;
	t->c_cc[VEOF] = 4;
	t->c_cc[VMIN] = 1;
	t->c_cc[VSUSP] = 26;
	t->c_cc[VWERASE] = 23;
	return 0;
}

int tcsetattr(int fd, int when, const struct termios *t)
{
	(void)when;
	if (!page_is_terminal(fd))
		return error_number_set(__WASI_ERRNO_NOTTY);
	page_set_modes((t->c_iflag & ICRNL ? PAGE_RETURNS : 0) |
	               (t->c_oflag & OPOST && t->c_oflag & ONLCR ? PAGE_NEWLINES : 0) |
	               (t->c_lflag & ISIG ? PAGE_SIGNALS : 0) |
	               (t->c_lflag & ICANON ? PAGE_LINES : 0) |
	               (t->c_lflag & ECHO ? PAGE_ECHO : 0));
	return 0;
}

int tcflush(int fd, int which)
{
	(void)which;
	return page_is_terminal(fd) ? 0 : error_number_set(__WASI_ERRNO_NOTTY);
}

int tcflow(int fd, int action)
{
	return tcflush(fd, action);
}

int tcdrain(int fd)
{
	return tcflush(fd, 0);
}

pid_t tcgetpgrp(int fd)
{
	return page_is_terminal(fd) ? getpgrp() : error_number_set(__WASI_ERRNO_NOTTY);
}

int ioctl(int fd, int request, ...)
{
	va_list rest;
	va_start(rest, request);
	void *const to = va_arg(rest, void *);
	va_end(rest);
	if (!page_is_terminal(fd))
		return error_number_set(__WASI_ERRNO_NOTTY);
	if (request == TIOCGWINSZ) {
		const unsigned both = page_terminal_size();
		*(struct winsize *)to = (struct winsize){.ws_col = (unsigned short)(both & 0xffff),
		                                         .ws_row = (unsigned short)(both >> 16)};
		return 0;
	}
	if (request == FIONREAD) {
		*(int *)to = page_ready(fd) & POLLIN ? 1 : 0;
		return 0;
	}
	return error_number_set(__WASI_ERRNO_INVAL);
}

static int terminal_poll_now(struct pollfd *files, nfds_t n)
{
	int ready = 0;
	for (nfds_t i = 0; i < n; i++) {
		files[i].revents = 0;
		if (files[i].fd < 0)
			continue;
		files[i].revents = (short)(page_ready(files[i].fd) &
		                           (files[i].events | POLLERR | POLLHUP | POLLNVAL));
		ready += files[i].revents != 0;
	}
	return ready;
}

static double terminal_now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

int poll(struct pollfd *files, nfds_t n, int ms)
{
	const double end = terminal_now_ms() + ms;
	for (;;) {
		if (signals_take())
			return error_number_set(__WASI_ERRNO_INTR);
		const int ready = terminal_poll_now(files, n);
		const double left = ms < 0 ? -1 : end - terminal_now_ms();
		if (ready || (ms >= 0 && left <= 0))
			return ready;
		if (!page_wait(signals_wait_limit(ms < 0 ? -1 : (int)left + 1)))
			return 0;
	}
}

/* Milliseconds for poll(); NULL: without an end. */
static int terminal_ms(const struct timespec *time)
{
	return time ? (int)(time->tv_sec * 1000 + time->tv_nsec / 1000000) : -1;
}

int ppoll(struct pollfd *files, nfds_t n, const struct timespec *time, const sigset_t *mask)
{
	sigset_t before;
	sigprocmask(SIG_SETMASK, mask, &before);
	const int ready = poll(files, n, terminal_ms(time));
	sigprocmask(SIG_SETMASK, &before, NULL);
	return ready;
}

int select(int n, fd_set *restrict in, fd_set *restrict out, fd_set *restrict bad,
           struct timeval *restrict time)
{
	struct pollfd files[FD_SETSIZE];
	nfds_t used = 0;
	for (int fd = 0; fd < n && fd < FD_SETSIZE; fd++) {
		const short events = (short)((in && FD_ISSET(fd, in) ? POLLIN : 0) |
		                             (out && FD_ISSET(fd, out) ? POLLOUT : 0));
		if (events)
			files[used++] = (struct pollfd){.fd = fd, .events = events};
	}
	const struct timespec limit = {.tv_sec = time ? time->tv_sec : 0,
	                               .tv_nsec = time ? time->tv_usec * 1000 : 0};
	const int ready = poll(files, used, terminal_ms(time ? &limit : NULL));
	int bits = 0;
	if (ready < 0)
		return -1;
	if (in)
		FD_ZERO(in);
	if (out)
		FD_ZERO(out);
	if (bad)
		FD_ZERO(bad);
	for (nfds_t i = 0; i < used; i++) {
		if (files[i].revents & (POLLIN | POLLHUP | POLLERR) && files[i].events & POLLIN) {
			FD_SET(files[i].fd, in);
			bits++;
		}
		if (files[i].revents & POLLOUT && files[i].events & POLLOUT) {
			FD_SET(files[i].fd, out);
			bits++;
		}
	}
	return bits;
}

int pselect(int n, fd_set *restrict in, fd_set *restrict out, fd_set *restrict bad,
            const struct timespec *restrict time, const sigset_t *restrict mask)
{
	struct timeval t;
	sigset_t before;
	if (time)
		t = (struct timeval){time->tv_sec, time->tv_nsec / 1000};
	if (mask)
		sigprocmask(SIG_SETMASK, mask, &before);
	const int ready = select(n, in, out, bad, time ? &t : NULL);
	if (mask)
		sigprocmask(SIG_SETMASK, &before, NULL);
	return ready;
}
