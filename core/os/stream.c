/* Descriptors within the guest, without offsets: pipes, pairs of sockets, eventfd, timerfd and
 * epoll. Readiness, and the choice of the implementation. */
#include <sys/stat.h>

#include "core/os/descriptors.h"
#include "core/os/host_questions.h"
#include "core/os/os_priv.h"

bool file_is_stream(const struct os_file *f)
{
	return f->kind >= OS_FILE_PIPE_READ;
}

/* Returns poll's bits. Standard input counts as readable: a read of it goes to the host. */
int file_ready(struct call *c, const struct os_file *f)
{
	enum { IN = LX_POLLIN | LX_POLLRDNORM, OUT = LX_POLLOUT | LX_POLLWRNORM };
	switch (f->kind) {
	case OS_FILE_STDIN:
		return IN;
	case OS_FILE_STDOUT:
	case OS_FILE_STDERR:
		return OUT;
	case OS_FILE_PIPE_READ:
		return pipe_readable(c->st, f->pipe);
	case OS_FILE_PIPE_WRITE:
		return pipe_writable(c->st, f->pipe);
	case OS_FILE_SOCKET: {
		/* a socket whose other end is closed is readable (end of file) and writable
		 * (EPIPE) */
		const int in = pipe_readable(c->st, f->pipe);
		const int out = pipe_writable(c->st, f->out);
		return in & LX_POLLHUP ? in | IN | OUT : in | (out & OUT);
	}
	case OS_FILE_EVENT:
	case OS_FILE_TIMER:
		return event_ready(c, f);
	case OS_FILE_EPOLL:
		return epoll_ready(c, f);
	default:
		return IN | OUT;
	}
}

uint64_t file_stamp(struct call *c, const struct os_file *f)
{
	const struct os_state *st = c->st;
	const uint64_t in = st->pipe[f->pipe].stamp, out = st->pipe[f->out].stamp;
	switch (f->kind) {
	case OS_FILE_PIPE_READ:
	case OS_FILE_PIPE_WRITE:
		return in;
	case OS_FILE_SOCKET:
		return in > out ? in : out;
	case OS_FILE_EVENT:
	case OS_FILE_TIMER:
		return event_stamp(c, f);
	default:
		return 1;
	}
}

int64_t stream_read(struct call *c, struct os_file *f, const struct lx_iovec *v, unsigned count,
                    uint64_t total)
{
	switch (f->kind) {
	case OS_FILE_EVENT:
	case OS_FILE_TIMER:
		return event_read(c, f, v, count);
	case OS_FILE_EPOLL:
		return -EINVAL;
	default:
		return total ? pipe_read(c, f->pipe, !(f->flags & LX_O_NONBLOCK), v, count) : 0;
	}
}

int64_t stream_write(struct call *c, struct os_file *f, const struct lx_iovec *v, unsigned count,
                     uint64_t total)
{
	switch (f->kind) {
	case OS_FILE_EVENT:
	case OS_FILE_TIMER:
		return event_write(c, f, v, count);
	case OS_FILE_EPOLL:
		return -EINVAL;
	default:
		return total ? pipe_write(c, f->kind == OS_FILE_SOCKET ? f->out : f->pipe,
		                          !(f->flags & LX_O_NONBLOCK), v, count, total)
		             : 0;
	}
}

void stream_stat(const struct os *os, const struct os_file *f, struct host_stat *out)
{
	*out = (struct host_stat){.dev = STREAM_DEV, .ino = 100u + f->pipe, .nlink = 1};
	out->mode = f->kind == OS_FILE_SOCKET ? S_IFSOCK | 0777
	            : f->kind == OS_FILE_PIPE_READ || f->kind == OS_FILE_PIPE_WRITE ? S_IFIFO | 0600
	                                                                            : 0600;
	out->atime = out->mtime = out->ctime = (struct lx_timespec){.sec = (int64_t)os->epoch};
}

/* ---- sockets ---- */
enum { AF_UNIX_ = 1, SOCK_STREAM_ = 1, SOCK_DGRAM_ = 2, SOCK_TYPE = 0xf };

int64_t sys_socket(struct call *c)
{
	os_warnf(c->os,
	         "the guest requests a socket: refused (EAFNOSUPPORT), Cyclops has no network; "
	         "socketpair() within the program works");
	return -EAFNOSUPPORT;
}

static void stream_drop_first_fd(struct call *c, int64_t first)
{
	if (first >= 0)
		fd_drop(c->st, (int)first);
}

int64_t sys_socketpair(struct call *c)
{
	const uint32_t flags = (uint32_t)c->a[1] & ~(uint32_t)SOCK_TYPE;
	const uint32_t type = (uint32_t)c->a[1] & SOCK_TYPE;
	if (flags & ~(uint32_t)(LX_O_CLOEXEC | LX_O_NONBLOCK))
		return -EINVAL;
	if (guest_span(c->mem, c->a[3], 8, PROT_R | PROT_W) != 8)
		return -EFAULT;
	if ((int)c->a[0] != AF_UNIX_)
		return (int)c->a[0] == 2 || (int)c->a[0] == 10 ? -EOPNOTSUPP : -EAFNOSUPPORT;
	if ((uint32_t)c->a[2] > 1)
		return -EPROTONOSUPPORT;
	if (type != SOCK_STREAM_) {
		os_warnf(c->os, "the guest requests a pair of sockets that aren't streams: refused "
		                "(ESOCKTNOSUPPORT)");
		return -ESOCKTNOSUPPORT;
	}
	const int64_t one = file_new(c, OS_FILE_SOCKET, flags);
	if (one < 0)
		return one;
	struct os_file *a = fd_file(c->st, (int)one);
	a->pipe = a->out = OS_PIPES; /* none yet */
	const int in = pipe_take(c);
	if (in >= 0)
		a->pipe = (uint8_t)in;
	const int out = in >= 0 ? pipe_take(c) : -1;
	const int64_t two = out >= 0 ? file_new(c, OS_FILE_SOCKET, flags) : -ENFILE;
	if (two < 0) {
		a->pipe = a->out = 0;
		stream_drop_first_fd(c, one);
		return two;
	}
	struct os_file *b = fd_file(c->st, (int)two);
	a->out = b->pipe = (uint8_t)out;
	b->out = (uint8_t)in;
	const int32_t fd[2] = {(int32_t)one, (int32_t)two};
	return mem_write(c->mem, c->a[3], fd, sizeof fd) ? 0 : -EFAULT;
}

static struct os_file *socket_of(struct call *c, int64_t *wrong)
{
	struct os_file *f = fd_file(c->st, (int)c->a[0]);
	*wrong = !f ? -EBADF : -ENOTSOCK;
	return f && f->kind == OS_FILE_SOCKET ? f : NULL;
}

enum { MSG_DONTWAIT_ = 0x40, MSG_NOSIGNAL_ = 0x4000 };

int64_t sys_sendto(struct call *c)
{
	int64_t wrong;
	const struct os_file *f = socket_of(c, &wrong);
	const struct lx_iovec v = {c->a[1], c->a[2]};
	if (!f)
		return wrong;
	if (c->a[4])
		return -EISCONN;
	if (c->a[3] & ~(uint64_t)(MSG_DONTWAIT_ | MSG_NOSIGNAL_))
		return -EOPNOTSUPP;
	if (guest_span(c->mem, v.base, v.len, PROT_R) != v.len)
		return -EFAULT;
	if ((c->a[3] & MSG_NOSIGNAL_) && (pipe_writable(c->st, f->out) & LX_POLLERR))
		return -EPIPE;
	const bool waits = !(f->flags & LX_O_NONBLOCK) && !(c->a[3] & MSG_DONTWAIT_);
	return v.len ? pipe_write(c, f->out, waits, &v, 1, v.len) : 0;
}

int64_t sys_recvfrom(struct call *c)
{
	int64_t wrong;
	const struct os_file *f = socket_of(c, &wrong);
	const struct lx_iovec v = {c->a[1], c->a[2]};
	if (!f)
		return wrong;
	if (c->a[3] & ~(uint64_t)(MSG_DONTWAIT_ | MSG_NOSIGNAL_))
		return -EOPNOTSUPP;
	if (guest_span(c->mem, v.base, v.len, PROT_R | PROT_W) != v.len)
		return -EFAULT;
	const bool waits = !(f->flags & LX_O_NONBLOCK) && !(c->a[3] & MSG_DONTWAIT_);
	return v.len ? pipe_read(c, f->pipe, waits, &v, 1) : 0;
}

/* Refuses socket calls that need a network. */
int64_t sys_no_socket(struct call *c)
{
	int64_t wrong;
	return socket_of(c, &wrong) ? -EOPNOTSUPP : wrong;
}
