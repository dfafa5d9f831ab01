/* Pipes within the guest. Their bytes lie in guest memory that the guest may not access, so that
 * snapshots share them. */
#include <string.h>

#include "core/os/descriptors.h"
#include "core/os/os_priv.h"
#include "core/os/scheduling.h"
#include "core/os/signals.h"

enum { PIPE_ATOMIC = 4096, CHUNK = 4096 };

static bool has_reader(const struct os_state *st, unsigned pipe)
{
	for (unsigned i = 0; i < OS_FILES; i++)
		if ((st->file[i].kind == OS_FILE_PIPE_READ || st->file[i].kind == OS_FILE_SOCKET) &&
		    st->file[i].pipe == pipe)
			return true;
	return false;
}

static bool has_writer(const struct os_state *st, unsigned pipe)
{
	for (unsigned i = 0; i < OS_FILES; i++) {
		const struct os_file *f = &st->file[i];
		if ((f->kind == OS_FILE_PIPE_WRITE && f->pipe == pipe) ||
		    (f->kind == OS_FILE_SOCKET && f->out == pipe))
			return true;
	}
	return false;
}

int pipe_take(struct call *c)
{
	struct os_state *st = c->st;
	unsigned n = 0;
	while (n < OS_PIPES && (has_reader(st, n) || has_writer(st, n)))
		n++;
	if (n == OS_PIPES)
		return -1;
	struct os_pipe *p = &st->pipe[n];
	uint64_t at = p->at ? p->at : mem_find_free(c->mem, PIPE_BYTES, st->mmap_below);
	if (!at || (!p->at && !mem_map(c->mem, at, PIPE_BYTES, 0, "pipe")))
		return -1;
	*p = (struct os_pipe){.at = at};
	return (int)n;
}

static bool os_pipe_open_end(struct os_state *st, unsigned pipe, uint8_t kind, uint64_t flags,
                             int *fd)
{
	struct os_file *f = file_take(st);
	*fd = fd_lowest(st, 0);
	if (*fd < 0 || !f)
		return false;
	f->kind = kind;
	f->pipe = (uint8_t)pipe;
	f->serial = ++st->next_serial;
	f->flags = (kind == OS_FILE_PIPE_READ ? LX_O_RDONLY : LX_O_WRONLY) |
	           ((uint32_t)flags & LX_O_NONBLOCK);
	fd_install(st, *fd, f, flags & LX_O_CLOEXEC);
	return true;
}

int64_t sys_pipe2(struct call *c)
{
	struct os_state *st = c->st;
	int fd[2];
	if (c->a[1] & ~(uint64_t)(LX_O_CLOEXEC | LX_O_NONBLOCK))
		return -EINVAL;
	if (guest_span(c->mem, c->a[0], sizeof fd, PROT_R | PROT_W) != sizeof fd)
		return -EFAULT;
	const int n = pipe_take(c);
	if (n < 0)
		return -ENFILE;
	if (!os_pipe_open_end(st, (unsigned)n, OS_FILE_PIPE_READ, c->a[1], &fd[0]))
		return -EMFILE;
	if (!os_pipe_open_end(st, (unsigned)n, OS_FILE_PIPE_WRITE, c->a[1], &fd[1])) {
		fd_drop(st, fd[0]);
		return -EMFILE;
	}
	return mem_write(c->mem, c->a[0], fd, sizeof fd) ? 0 : -EFAULT;
}

int pipe_writable(const struct os_state *st, unsigned pipe)
{
	const struct os_pipe *p = &st->pipe[pipe];
	int now = PIPE_BYTES - p->count >= PIPE_ATOMIC ? LX_POLLOUT | LX_POLLWRNORM : 0;
	return now | (has_reader(st, pipe) ? 0 : LX_POLLERR);
}

int pipe_readable(const struct os_state *st, unsigned pipe)
{
	int now = st->pipe[pipe].count ? LX_POLLIN | LX_POLLRDNORM : 0;
	return now | (has_writer(st, pipe) ? 0 : LX_POLLHUP);
}

/* Moves n bytes between the guest's buffer and the ring, whose first byte is number `first`. False
 * on a fault. */
static bool os_pipe_copy_bytes(struct call *c, const struct os_pipe *p, uint32_t first,
                               uint64_t guest, uint64_t n, bool in)
{
	uint8_t bytes[CHUNK];
	for (uint64_t done = 0; done < n;) {
		uint32_t place = (first + (uint32_t)done) % PIPE_BYTES;
		size_t len = PIPE_BYTES - place < CHUNK ? PIPE_BYTES - place : CHUNK;
		len = n - done < len ? (size_t)(n - done) : len;
		bool ok = in ? mem_read(c->mem, guest + done, bytes, len) &&
		                          mem_poke(c->mem, p->at + place, bytes, len)
		             : mem_peek(c->mem, p->at + place, bytes, len) &&
		                          mem_write(c->mem, guest + done, bytes, len);
		if (!ok)
			return false;
		done += len;
	}
	return true;
}

int64_t pipe_read(struct call *c, unsigned pipe, bool waits, const struct lx_iovec *v,
                  unsigned count)
{
	struct os_pipe *p = &c->st->pipe[pipe];
	int64_t total = 0;
	if (p->count == 0) {
		if (!has_writer(c->st, pipe))
			return 0;
		return waits ? thread_wait_again(c, OS_WAIT_PIPE_READ, c->a[0], 0, OS_NEVER)
		             : -EAGAIN;
	}
	for (unsigned i = 0; i < count; i++) {
		uint32_t n = v[i].len < p->count ? (uint32_t)v[i].len : p->count;
		if (!os_pipe_copy_bytes(c, p, p->first, v[i].base, n, false))
			return total ? total : -EFAULT;
		p->first = (p->first + n) % PIPE_BYTES;
		p->count -= n;
		total += n;
	}
	p->stamp = ++c->st->fd_changes;
	return total;
}

int64_t pipe_write(struct call *c, unsigned pipe, bool waits, const struct lx_iovec *v,
                   unsigned count, uint64_t total)
{
	struct os_pipe *p = &c->st->pipe[pipe];
	uint64_t room = PIPE_BYTES - p->count;
	if (!has_reader(c->st, pipe)) {
		signal_send_self(c, c->thread, LX_SIGPIPE, LX_SI_USER);
		return -EPIPE;
	}
	if (total > room && waits)
		return thread_wait_again(c, OS_WAIT_PIPE_WRITE, c->a[0], total, OS_NEVER);
	if (total > room && (room == 0 || total <= PIPE_ATOMIC))
		return -EAGAIN;
	int64_t done = 0;
	for (unsigned i = 0; i < count && room > 0; i++) {
		uint32_t n = v[i].len < room ? (uint32_t)v[i].len : (uint32_t)room;
		if (!os_pipe_copy_bytes(c, p, p->first + p->count, v[i].base, n, true))
			return done ? done : -EFAULT;
		p->count += n;
		room -= n;
		done += n;
	}
	p->stamp = ++c->st->fd_changes;
	return done;
}
