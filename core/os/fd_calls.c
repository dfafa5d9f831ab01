/* System calls on descriptors of every kind. */
#include "core/os/descriptors.h"
#include "core/os/os_priv.h"
#include "core/os/space.h"

int64_t sys_close(struct call *c)
{
	int fd = (int)c->a[0];
	if (!fd_named_file(c->st, fd))
		return -EBADF;
	if (!memfd_close(c))
		return 0;
	fd_drop(c->st, fd);
	memfd_closed(c);
	return 0;
}

int64_t sys_close_range(struct call *c)
{
	uint32_t first = (uint32_t)c->a[0], last = (uint32_t)c->a[1];
	enum { UNSHARE = 2 }; /* all threads share their descriptors: nothing to separate */
	const uint32_t flags = (uint32_t)c->a[2];
	if (first > last || (flags & ~(uint32_t)(LX_CLOSE_RANGE_CLOEXEC | UNSHARE)))
		return -EINVAL;
	if (!memfd_close(c))
		return 0;
	for (uint32_t fd = first; fd <= last && fd < OS_FDS; fd++) {
		if (!fd_named_file(c->st, (int)fd))
			continue;
		if (flags & LX_CLOSE_RANGE_CLOEXEC)
			c->st->fd[fd].flags = LX_FD_CLOEXEC;
		else
			fd_drop(c->st, (int)fd);
	}
	memfd_closed(c);
	return 0;
}

static int64_t fd_duplicate_file(struct os_state *st, struct os_file *f, int from, bool cloexec)
{
	if (from < 0 || from >= OS_FDS)
		return -EINVAL;
	int fd = fd_lowest(st, from);
	if (fd < 0)
		return -EMFILE;
	fd_install(st, fd, f, cloexec);
	return fd;
}

int64_t sys_dup(struct call *c)
{
	struct os_file *f = fd_named_file(c->st, (int)c->a[0]);
	return f ? fd_duplicate_file(c->st, f, 0, false) : -EBADF;
}

int64_t sys_dup3(struct call *c)
{
	int from = (int)c->a[0], to = (int)c->a[1];
	if ((c->a[2] & ~(uint64_t)LX_O_CLOEXEC) || from == to)
		return -EINVAL;
	struct os_file *f = fd_named_file(c->st, from);
	if (!f || to < 0 || to >= OS_FDS)
		return -EBADF;
	if (!memfd_close(c))
		return 0;
	fd_install(c->st, to, f, c->a[2] & LX_O_CLOEXEC);
	memfd_closed(c);
	return to;
}

/* Tests or sets a lock. Every lock is free: no other process competes for advisory locks. */
static int64_t fd_lock(struct call *c, const struct os_file *f, bool test)
{
	enum { F_RDLCK, F_WRLCK };
	struct lx_flock lock;
	const uint32_t access = f->flags & LX_O_ACCMODE;
	if (!mem_read(c->mem, c->a[2], &lock, sizeof lock))
		return -EFAULT;
	if (lock.type != F_RDLCK && lock.type != F_WRLCK && (test || lock.type != LX_F_UNLCK))
		return -EINVAL;
	if (!test)
		return (lock.type == F_RDLCK && access == LX_O_WRONLY) ||
		                       (lock.type == F_WRLCK && access == LX_O_RDONLY)
		               ? -EBADF
		               : 0;
	lock.type = LX_F_UNLCK;
	return mem_write(c->mem, c->a[2], &lock, sizeof lock) ? 0 : -EFAULT;
}

/* fcntl()'s commands on an open file, which an O_PATH descriptor refuses. */
static int64_t fd_control_file(struct call *c, struct os_file *f)
{
	enum { SETTABLE = LX_O_APPEND | LX_O_NONBLOCK, GETPIPE_SZ = 1032 };
	switch ((int)c->a[1]) {
	case LX_F_SETFL:
		f->flags = (f->flags & ~(uint32_t)SETTABLE) | ((uint32_t)c->a[2] & SETTABLE);
		return 0;
	case LX_F_ADD_SEALS:
	case LX_F_GET_SEALS:
		return f->kind != OS_FILE_MEMORY
		               ? -EINVAL
		               : memfd_seals(c, f, (int)c->a[1] == LX_F_ADD_SEALS, c->a[2]);
	case LX_F_GETLK:
		return fd_lock(c, f, true);
	case LX_F_SETLK:
	case LX_F_SETLKW:
		return fd_lock(c, f, false);
	case GETPIPE_SZ:
		return f->kind == OS_FILE_PIPE_READ || f->kind == OS_FILE_PIPE_WRITE ? PIPE_BYTES
		                                                                     : -EBADF;
	default:
		return -EINVAL;
	}
}

int64_t sys_fcntl(struct call *c)
{
	struct os_file *f = fd_named_file(c->st, (int)c->a[0]);
	if (!f)
		return -EBADF;
	struct os_fd *d = &c->st->fd[(int)c->a[0]];
	switch ((int)c->a[1]) {
	case LX_F_DUPFD:
	case LX_F_DUPFD_CLOEXEC:
		return fd_duplicate_file(c->st, f, (int)c->a[2],
		                         (int)c->a[1] == LX_F_DUPFD_CLOEXEC);
	case LX_F_GETFD:
		return d->flags;
	case LX_F_SETFD:
		d->flags = c->a[2] & LX_FD_CLOEXEC;
		return 0;
	case LX_F_GETFL:
		return f->flags;
	default:
		return f->flags & LX_O_PATH ? -EBADF : fd_control_file(c, f);
	}
}

int64_t sys_flock(struct call *c)
{
	enum { SHARED = 1, EXCLUSIVE = 2, NONBLOCK = 4, UNLOCK = 8, MANDATORY = 32 };
	const uint32_t how = (uint32_t)c->a[1] & ~(uint32_t)NONBLOCK;
	if (how & MANDATORY)
		return 0; /* Linux ignores the call since 5.18 */
	if (how != SHARED && how != EXCLUSIVE && how != UNLOCK)
		return -EINVAL;
	return fd_file(c->st, (int)c->a[0]) ? 0 : -EBADF;
}

bool file_is_terminal(const struct os *os, const struct os_file *f)
{
	return os->terminal && (f->kind == OS_FILE_STDOUT || f->kind == OS_FILE_STDERR ||
	                        (f->kind == OS_FILE_STDIN && !os->stdin_regular));
}

/* Bytes that a read gets at once; negative: unknown for this kind. */
static int64_t fd_readable_bytes(struct call *c, const struct os_file *f)
{
	struct host_stat st;
	switch (f->kind) {
	case OS_FILE_REGULAR: {
		const int64_t err = host_stat_file(c->os, file_index(c->st, f), &st);
		return err ? err : st.size - f->offset;
	}
	case OS_FILE_MEMORY:
		memfd_stat(c->os, f, &st);
		return st.size - f->offset;
	case OS_FILE_PIPE_READ:
	case OS_FILE_PIPE_WRITE:
	case OS_FILE_SOCKET:
		return (int64_t)c->st->pipe[f->pipe].count;
	default:
		return -ENOTTY;
	}
}

/* Requests that any descriptor takes; -ENOTTY: another request. */
static int64_t fd_ioctl_any(struct call *c, struct os_file *f, uint32_t request)
{
	enum { FIONCLEX = 0x5450, FIOCLEX = 0x5451, FIONBIO = 0x5421, FIONREAD = 0x541b };
	int32_t word;
	struct os_fd *d = &c->st->fd[(int)c->a[0]];
	switch (request) {
	case FIOCLEX:
		d->flags |= LX_FD_CLOEXEC;
		return 0;
	case FIONCLEX:
		d->flags &= (uint8_t)~LX_FD_CLOEXEC;
		return 0;
	case FIONBIO:
		if (!mem_read(c->mem, c->a[2], &word, sizeof word))
			return -EFAULT;
		f->flags = word ? f->flags | LX_O_NONBLOCK : f->flags & ~(uint32_t)LX_O_NONBLOCK;
		return 0;
	case FIONREAD: {
		const int64_t n = fd_readable_bytes(c, f);
		word = (int32_t)n;
		return n < 0 ? n : mem_write(c->mem, c->a[2], &word, sizeof word) ? 0 : -EFAULT;
	}
	default:
		return -ENOTTY;
	}
}

/* Answers as a terminal in its usual state: settings (isatty() asks for them), size, echo. */
int64_t sys_ioctl(struct call *c)
{
	enum { ECHOES = 8 };
	struct lx_termios usual = {.iflag = 0x500, .oflag = 5, .cflag = 0xbf, .lflag = 0x8a3b};
	static const struct lx_winsize size = {.rows = 24, .cols = 80};
	static const uint32_t group = GUEST_PID;
	struct os_file *f = fd_file(c->st, (int)c->a[0]);
	const uint32_t request = (uint32_t)c->a[1];
	if (!f)
		return -EBADF;
	const int64_t any = fd_ioctl_any(c, f, request);
	if (any != -ENOTTY || !file_is_terminal(c->os, f))
		return any;
	if (request == LX_TCGETS) {
		usual.lflag &= c->st->silent ? ~(uint32_t)ECHOES : ~UINT32_C(0);
		return mem_write(c->mem, c->a[2], &usual, sizeof usual) ? 0 : -EFAULT;
	}
	if (request == LX_TIOCGWINSZ)
		return mem_write(c->mem, c->a[2], &size, sizeof size) ? 0 : -EFAULT;
	if (request == LX_TIOCGPGRP)
		return mem_write(c->mem, c->a[2], &group, sizeof group) ? 0 : -EFAULT;
	if (request >= LX_TCSETS && request <= LX_TCSETSF) {
		if (!mem_read(c->mem, c->a[2], &usual, sizeof usual))
			return -EFAULT;
		c->st->silent = !(usual.lflag & ECHOES); /* other settings have no effect */
		return 0;
	}
	return -ENOTTY;
}
