/* Moving bytes through open files. */
#include <string.h>
#include <sys/stat.h>

#include "core/os/descriptors.h"
#include "core/os/host_questions.h"
#include "core/os/os_priv.h"
#include "core/os/space.h"
#include "core/os/tree.h"

enum { CHUNK = 1 << 16, PIECE = 1 << 20 }; /* bytes written, and read, at a time */

/* The guest's buffers of one call, clipped to what it may access. */
struct buffers {
	struct lx_iovec v[LX_IOV_MAX];
	unsigned count;
	uint64_t total; /* bytes */
	uint64_t asked; /* bytes that the call names */
	bool fault;     /* the first byte can't be accessed: -EFAULT once a byte would be moved */
};

/* Fills *b with the buffers of the call's arguments: 0 or -errno. */
typedef int64_t gather_fn(const struct call *c, struct buffers *b, unsigned prot);

/* Adds one buffer; false if it had to be cut short: then the caller must add no more. */
static bool add_buffer(const struct call *c, struct buffers *b, uint64_t base, uint64_t len,
                       unsigned prot)
{
	uint64_t room = LX_RW_MAX - b->total;
	if (len > room)
		len = room;
	uint64_t ok = guest_span(c->mem, base, len, prot);
	b->v[b->count++] = (struct lx_iovec){base, ok};
	b->total += ok;
	return ok == len;
}

/* Reads a[2] elements from a[1]; in RV32 they are pairs of words. */
static bool read_vector(const struct call *c, struct lx_iovec *v)
{
	uint32_t words[2];
	if (c->h->isa != ISA_RV32GC)
		return mem_read(c->mem, c->a[1], v, c->a[2] * sizeof *v);
	for (uint64_t i = 0; i < c->a[2]; i++) {
		if (!mem_read(c->mem, c->a[1] + i * sizeof words, words, sizeof words))
			return false;
		v[i] = (struct lx_iovec){words[0], (uint64_t)(int32_t)words[1]};
	}
	return true;
}

/* Makes one buffer of the call's arguments: 0 or -errno. A range that no process can have is
 * -EFAULT; an access fault in a later byte than the first shortens the transfer. */
static int64_t one_buffer(const struct call *c, struct buffers *b, unsigned prot)
{
	b->count = 0;
	b->total = 0;
	b->fault = false;
	if (!space_holds(c->a[1], c->a[2]))
		return -EFAULT;
	b->asked = c->a[2];
	b->fault = !add_buffer(c, b, c->a[1], c->a[2], prot) && b->total == 0;
	return 0;
}

static int64_t many_buffers(const struct call *c, struct buffers *b, unsigned prot)
{
	b->count = 0;
	b->total = 0;
	b->fault = false;
	if (c->a[2] > LX_IOV_MAX)
		return -EINVAL;
	struct lx_iovec v[LX_IOV_MAX];
	if (!read_vector(c, v))
		return -EFAULT;
	for (uint64_t i = 0; i < c->a[2]; i++)
		if ((int64_t)v[i].len < 0)
			return -EINVAL;
	for (uint64_t i = 0; i < c->a[2]; i++)
		if (!space_holds(v[i].base,
		                 c->a[2] > 1 || v[i].len < LX_RW_MAX ? v[i].len : LX_RW_MAX))
			return -EFAULT;
	b->asked = 0;
	for (uint64_t i = 0; i < c->a[2]; i++)
		b->asked += v[i].len < LX_RW_MAX ? v[i].len : LX_RW_MAX;
	for (uint64_t i = 0; i < c->a[2]; i++) {
		if (add_buffer(c, b, v[i].base, v[i].len, prot))
			continue;
		b->fault = b->total == 0;
		return 0;
	}
	return 0;
}

/* Copies n bytes into the buffers, from byte `at` of their concatenation. */
static int64_t file_scatter_bytes(const struct call *c, const struct buffers *b, uint64_t at,
                                  const uint8_t *bytes, uint64_t n)
{
	uint64_t done = 0;
	for (unsigned i = 0; i < b->count && done < n; i++) {
		const uint64_t skip = at < b->v[i].len ? at : b->v[i].len;
		const uint64_t len = b->v[i].len - skip < n - done ? b->v[i].len - skip : n - done;
		at -= skip;
		if (!mem_write(c->mem, b->v[i].base + skip, bytes + done, len))
			return done ? (int64_t)done : -EFAULT;
		done += len;
	}
	return (int64_t)done;
}

/* 0 if f has an offset; -ESPIPE: it is a pipe. */
static int64_t need_offset(struct call *c, const struct os_file *f)
{
	struct host_stat st;
	if (f->kind == OS_FILE_STDOUT || f->kind == OS_FILE_STDERR || file_is_stream(f))
		return -ESPIPE;
	if (f->kind != OS_FILE_STDIN)
		return 0;
	if (file_is_terminal(c->os, f))
		return -ESPIPE;
	int64_t err = host_stat_file(c->os, file_index(c->st, f), &st);
	return err ? err : S_ISREG(st.mode) ? 0 : -ESPIPE;
}

static int64_t file_check_readable(const struct os_file *f)
{
	const uint32_t access = f ? f->flags & LX_O_ACCMODE : LX_O_WRONLY;
	if ((access != LX_O_RDONLY && access != LX_O_RDWR) || f->kind == OS_FILE_STDOUT ||
	    f->kind == OS_FILE_STDERR)
		return -EBADF;
	return f->kind == OS_FILE_EPOLL ? -EINVAL : 0;
}

static int64_t file_check_writable(const struct os_file *f)
{
	const uint32_t access = f ? f->flags & LX_O_ACCMODE : LX_O_RDONLY;
	if ((access != LX_O_WRONLY && access != LX_O_RDWR) || f->kind == OS_FILE_STDIN ||
	    f->kind == OS_FILE_DIR)
		return -EBADF;
	return f->kind == OS_FILE_EPOLL || f->kind == OS_FILE_TIMER ? -EINVAL : 0;
}

/* Weight of a transfer for undo_begin(): buffers lie anywhere, so each may touch pages and tree
 * nodes of its own. */
static uint64_t file_undo_weight(const struct buffers *b)
{
	return b->total + b->count * (uint64_t)(UNDO_ALWAYS / 16);
}

/* Reads any number of bytes, a chunk at a time. */
static int64_t read_device(struct call *c, const struct os_file *f, const struct buffers *b)
{
	int64_t total = 0;
	uint8_t *bytes = os_scratch(c->os, CHUNK);
	if (!bytes)
		return -ENOMEM;
	for (unsigned i = 0; i < b->count; i++) {
		for (uint64_t done = 0; done < b->v[i].len;) {
			uint64_t want = b->v[i].len - done < CHUNK ? b->v[i].len - done : CHUNK;
			int64_t n = device_read(c->st, f, bytes, (size_t)want);
			if (n == 0)
				return total;
			if (!mem_write(c->mem, b->v[i].base + done, bytes, (size_t)n))
				return total ? total : -EFAULT;
			done += (uint64_t)n;
			total += n;
			if (undo_wanted(c))
				return total;
		}
	}
	return total;
}

/* Reads a file or standard input, a piece at a time. A pipe or terminal gives one piece only. */
static int64_t read_pieces(struct call *c, const struct os_file *f, const struct buffers *b,
                           int64_t offset)
{
	uint64_t done = 0;
	while (done < b->total) {
		const void *bytes;
		const uint64_t want = b->total - done < PIECE ? b->total - done : PIECE;
		const int64_t from = offset + (int64_t)done;
		int64_t n = f->kind == OS_FILE_STDIN
		                    ? host_stdin(c->os, from, want, &bytes)
		                    : host_read(c->os, file_index(c->st, f), from, want, &bytes);
		if (n == -EINTR)
			c->again = true;
		if (n > 0 && f->kind == OS_FILE_STDIN && host_stdin_is_typed(c->os))
			out_echo(c->os, bytes, (size_t)n);
		if (n > 0)
			n = file_scatter_bytes(c, b, done, bytes, (uint64_t)n);
		if (n <= 0)
			return done ? (int64_t)done : n;
		done += (uint64_t)n;
		if ((uint64_t)n < want || undo_wanted(c))
			break;
	}
	return (int64_t)done;
}

static int64_t file_read_at_offset(struct call *c, const struct os_file *f, const struct buffers *b,
                                   int64_t offset)
{
	if (b->total == 0)
		return 0;
	if (!undo_begin(c, file_undo_weight(b)))
		return 0;
	return f->kind == OS_FILE_MEMORY ? memfd_read(c, f, b->v, b->count, offset)
	       : file_is_device(f)       ? read_device(c, f, b)
	                                 : read_pieces(c, f, b, offset);
}

/* Result of a read into an inaccessible buffer: -EFAULT where there is a byte to store. */
static int64_t file_read_fault(struct call *c, const struct os_file *f, int64_t offset)
{
	struct host_stat st;
	int64_t err = 0;
	switch (f->kind) {
	case OS_FILE_REGULAR:
		err = host_stat_file(c->os, file_index(c->st, f), &st);
		return err ? err : offset >= st.size ? 0 : -EFAULT;
	case OS_FILE_MEMORY:
		memfd_stat(c->os, f, &st);
		return offset >= st.size ? 0 : -EFAULT;
	case OS_FILE_EVENT:
	case OS_FILE_TIMER:
		return !(event_ready(c, f) & LX_POLLIN) && (f->flags & LX_O_NONBLOCK) ? -EAGAIN
		                                                                      : -EFAULT;
	case OS_FILE_PIPE_READ:
	case OS_FILE_SOCKET:
		if (c->st->pipe[f->pipe].count)
			return -EFAULT;
		return pipe_readable(c->st, f->pipe) ? 0
		       : f->flags & LX_O_NONBLOCK    ? -EAGAIN
		                                     : -EFAULT;
	default:
		return -EFAULT;
	}
}

static int64_t read_here(struct call *c, gather_fn *gather)
{
	struct buffers b;
	struct os_file *f = fd_file(c->st, (int)c->a[0]);
	int64_t err = file_check_readable(f);
	err = err ? err : gather(c, &b, PROT_R | PROT_W);
	if (err)
		return err;
	if (f->kind == OS_FILE_DIR)
		return gather == many_buffers && !b.total && !b.fault ? 0 : -EISDIR;
	const bool counts = f->kind == OS_FILE_EVENT || f->kind == OS_FILE_TIMER;
	if (counts && b.asked < sizeof(uint64_t))
		return gather == many_buffers && !b.asked ? 0 : -EINVAL;
	if (b.fault)
		return file_read_fault(c, f, f->offset);
	if (file_is_stream(f))
		return undo_begin(c, file_undo_weight(&b))
		               ? stream_read(c, f, b.v, b.count, b.total)
		               : 0;
	int64_t n = file_read_at_offset(c, f, &b, f->offset);
	if (n > 0 && !call_repeats(c) && !file_is_device(f))
		f->offset += n;
	return n;
}

int64_t sys_read(struct call *c)
{
	return read_here(c, one_buffer);
}

int64_t sys_readv(struct call *c)
{
	return read_here(c, many_buffers);
}

/* -EINVAL: the transfer would end at an offset that no file has. */
static int64_t file_check_end(const struct buffers *b, int64_t offset)
{
	return b->asked > (uint64_t)(INT64_MAX - offset) ? -EINVAL : 0;
}

static int64_t read_there(struct call *c, gather_fn *gather)
{
	struct buffers b;
	const struct os_file *f = fd_file(c->st, (int)c->a[0]);
	const int64_t offset = (int64_t)c->a[3];
	int64_t err = offset < 0 ? -EINVAL : !f ? -EBADF : need_offset(c, f);
	err = err ? err : file_check_readable(f);
	err = err ? err : gather(c, &b, PROT_R | PROT_W);
	err = err ? err : file_check_end(&b, offset);
	if (err)
		return err;
	if (f->kind == OS_FILE_DIR)
		return gather == many_buffers && !b.total && !b.fault ? 0 : -EISDIR;
	return b.fault ? file_read_fault(c, f, offset) : file_read_at_offset(c, f, &b, offset);
}

int64_t sys_pread64(struct call *c)
{
	return read_there(c, one_buffer);
}

int64_t sys_preadv(struct call *c)
{
	return read_there(c, many_buffers);
}

/* Writes one piece of at most CHUNK bytes: bytes written or -errno. *offset < 0 appends; *offset
 * advances. */
static int64_t write_piece(struct call *c, const struct os_file *f, uint64_t addr, size_t n,
                           int64_t *offset)
{
	uint8_t *bytes = os_scratch(c->os, CHUNK);
	if (!bytes)
		return -ENOMEM;
	if (!mem_read(c->mem, addr, bytes, n))
		return -EFAULT;
	if (f->kind != OS_FILE_REGULAR) {
		c->again |= !out_write(c->os, f->kind == OS_FILE_STDOUT ? 1 : 2, bytes, n);
		return (int64_t)n;
	}
	int64_t end;
	int64_t put = host_write(c->os, file_index(c->st, f), *offset, bytes, n, &end);
	if (put >= 0)
		*offset = end;
	return put;
}

/* Writes all buffers, from *offset on. */
static int64_t write_at(struct call *c, struct os_file *f, const struct buffers *b, int64_t *offset)
{
	int64_t total = 0;
	if (file_is_device(f))
		return (int64_t)b->total; /* a device discards it */
	if (!undo_begin(c, file_undo_weight(b)))
		return 0;
	if (file_is_stream(f))
		return stream_write(c, f, b->v, b->count, b->total);
	if (f->kind == OS_FILE_MEMORY)
		return memfd_write(c, f, b->v, b->count, offset);
	const uint64_t out_bytes[] = {c->st->out_bytes[0], c->st->out_bytes[1]};
	for (unsigned i = 0; i < b->count; i++) {
		for (uint64_t done = 0; done < b->v[i].len;) {
			uint64_t n = b->v[i].len - done < CHUNK ? b->v[i].len - done : CHUNK;
			int64_t put = write_piece(c, f, b->v[i].base + done, n, offset);
			if (put < 0)
				return total ? total : put;
			total += put;
			done += (uint64_t)put;
			if (undo_wanted(c)) {
				memcpy(c->st->out_bytes, out_bytes, sizeof out_bytes);
				return total;
			}
			if ((uint64_t)put < n)
				return total;
		}
	}
	return total;
}

static int64_t write_here(struct call *c, gather_fn *gather)
{
	struct buffers b;
	struct os_file *f = fd_file(c->st, (int)c->a[0]);
	int64_t err = file_check_writable(f);
	err = err ? err : gather(c, &b, PROT_R);
	if (err)
		return err;
	if (f->kind == OS_FILE_EVENT && b.asked < sizeof(uint64_t))
		return gather == many_buffers && !b.asked ? 0 : -EINVAL;
	if (b.fault || (file_is_stream(f) && b.total < b.asked && b.asked <= PAGE_BYTES))
		return -EFAULT;
	int64_t offset = f->flags & LX_O_APPEND ? -1 : f->offset;
	int64_t n = write_at(c, f, &b, &offset);
	if (n > 0 && !call_repeats(c) && (f->kind == OS_FILE_REGULAR || f->kind == OS_FILE_MEMORY))
		f->offset = offset;
	return n;
}

int64_t sys_write(struct call *c)
{
	return write_here(c, one_buffer);
}

int64_t sys_writev(struct call *c)
{
	return write_here(c, many_buffers);
}

static int64_t write_there(struct call *c, gather_fn *gather)
{
	struct buffers b;
	struct os_file *f = fd_file(c->st, (int)c->a[0]);
	int64_t offset = (int64_t)c->a[3];
	int64_t err = offset < 0 ? -EINVAL : !f ? -EBADF : need_offset(c, f);
	err = err ? err : file_check_writable(f);
	err = err ? err : gather(c, &b, PROT_R);
	if (err)
		return err;
	if (b.fault)
		return -EFAULT;
	if (f->flags & LX_O_APPEND)
		offset = -1; /* like Linux, unlike POSIX */
	return write_at(c, f, &b, &offset);
}

int64_t sys_pwrite64(struct call *c)
{
	return write_there(c, one_buffer);
}

int64_t sys_pwritev(struct call *c)
{
	return write_there(c, many_buffers);
}

int64_t sys_lseek(struct call *c)
{
	struct os_file *f = fd_file(c->st, (int)c->a[0]);
	int64_t offset = (int64_t)c->a[1], base = 0;
	if (!f)
		return -EBADF;
	if ((uint32_t)c->a[2] > LX_SEEK_HOLE)
		return -EINVAL;
	const bool nowhere = f->kind >= OS_FILE_EVENT || file_is_device(f);
	int64_t err = nowhere ? 0 : need_offset(c, f);
	if (err)
		return err;
	if (nowhere)
		return 0; /* they have no offset */
	struct host_stat st;
	switch ((int)c->a[2]) {
	case LX_SEEK_SET:
		break;
	case LX_SEEK_CUR:
		base = f->offset;
		break;
	case LX_SEEK_END:
	case LX_SEEK_DATA:
	case LX_SEEK_HOLE:
		if (f->kind == OS_FILE_DIR)
			return -EINVAL;
		if (f->kind == OS_FILE_MEMORY)
			memfd_stat(c->os, f, &st);
		else
			err = host_stat_file(c->os, file_index(c->st, f), &st);
		if (err)
			return err;
		base = st.size;
		break;
	default:
		return -EINVAL;
	}
	/* All of a file is data, and a hole follows its end. */
	if ((int)c->a[2] >= LX_SEEK_DATA && (uint64_t)offset >= (uint64_t)base)
		return -ENXIO;
	if ((int)c->a[2] == LX_SEEK_DATA)
		base = 0;
	else if ((int)c->a[2] == LX_SEEK_HOLE)
		offset = 0;
	if (__builtin_add_overflow(base, offset, &base) || base < 0)
		return -EINVAL;
	f->offset = base;
	if (f->kind == OS_FILE_DIR && base == 0)
		f->listing = 0; /* rewound: read afresh */
	return base;
}

int64_t sys_ftruncate(struct call *c)
{
	const struct os_file *f = fd_file(c->st, (int)c->a[0]);
	if ((int64_t)c->a[1] < 0)
		return -EINVAL;
	if (!f)
		return -EBADF;
	if ((f->kind != OS_FILE_REGULAR && f->kind != OS_FILE_MEMORY) ||
	    file_check_writable(f) != 0)
		return -EINVAL;
	if (f->kind == OS_FILE_MEMORY)
		return memfd_truncate(c, f, (int64_t)c->a[1]);
	return host_truncate(c->os, file_index(c->st, f), (int64_t)c->a[1]);
}

/* Does nothing: written bytes are with the host already, and surviving a power cut is not
 * promised. */
int64_t sys_fsync(struct call *c)
{
	const struct os_file *f = fd_file(c->st, (int)c->a[0]);
	if (!f)
		return -EBADF;
	return f->kind == OS_FILE_REGULAR || f->kind == OS_FILE_DIR || f->kind == OS_FILE_MEMORY
	               ? 0
	               : -EINVAL;
}

int64_t sys_fdatasync(struct call *c)
{
	return sys_fsync(c);
}
