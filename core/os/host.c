/* Questions about what open files hold. Every answer is one entry of the journal, repeated on
 * re-execution. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/os/host.h"
#include "core/os/host_questions.h"
#include "core/os/inode.h"
#include "core/os/inode_priv.h"
#include "core/os/tree.h"

uint32_t ask_key(const char *path, const void *args, size_t n)
{
	uint32_t h = UINT32_C(2166136261);
	for (const char *p = path ? path : ""; *p; p++)
		h = (h ^ (uint8_t)*p) * UINT32_C(16777619);
	for (const uint8_t *p = args; n > 0; p++, n--)
		h = (h ^ *p) * UINT32_C(16777619);
	return h;
}

int may_write(const struct os *os, const char *path)
{
	const struct tree own = own_tree(os);
	const struct folder *f = folder_of(&own, path);
	const bool writing = !path_is_sysroot(path) && (f ? f->writing : os->writing);
	return writing ? 0 : -EROFS;
}

static void host_close(struct host_file *hf)
{
	if (hf->fd >= 0)
		close(hf->fd);
	listing_drop(hf->listing);
	*hf = (struct host_file){.fd = -1};
}

void host_close_all(struct os *os)
{
	for (unsigned i = 0; i < OS_FILES; i++)
		host_close(&os->host[i]);
}

int host_flags(uint32_t flags)
{
	static const int access[4] = {O_RDONLY, O_WRONLY, O_RDWR, O_RDONLY};
	/* O_NONBLOCK: a pipe or device that took the file's place must not block. */
	return access[flags & LX_O_ACCMODE] | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW;
}

/* Opens again by path. The path may come from a checkpoint: so it is refused as by open(), and
 * opened for reading only where writing is not allowed. */
int host_descriptor(struct os *os, unsigned file)
{
	const struct host_file *hf = &os->host[file];
	const struct os_file *f = &os->st->file[file];
	if (hf->fd >= 0 && hf->serial == f->serial)
		return hf->fd;
	struct located at;
	struct stat st;
	int err = path_locate_known(os, f->path, &at);
	if (err)
		return err;
	int flags = host_flags(may_write(os, f->path) ? LX_O_RDONLY : f->flags) |
	            (f->kind == OS_FILE_DIR ? O_DIRECTORY : 0);
	int fd = at.device == DEVICE_NONE ? open_name(at.dir, at.last, flags, 0) : -1;
	err = at.device == DEVICE_NONE ? -errno : -ENXIO;
	close(at.dir);
	if (fd < 0)
		return err;
	fd = host_check_opened(fd, &st);
	if (fd < 0)
		return fd;
	host_adopt(os, file, fd);
	return fd;
}

void host_adopt(struct os *os, unsigned file, int fd)
{
	host_close(&os->host[file]);
	os->host[file] = (struct host_file){.serial = os->st->file[file].serial, .fd = fd};
}

/* The same, for changing the file's bytes. */
static int host_fd_to_write(struct os *os, unsigned file)
{
	int err = may_write(os, os->st->file[file].path);
	return err ? err : host_descriptor(os, file);
}

/* Bytes worth reserving for a read: a regular file's rest, or a page where sizes are meaningless
 * (as in /sys). Or -errno. */
static int64_t read_room(int fd, int64_t offset, uint64_t n)
{
	struct stat st;
	uint64_t rest = PAGE_BYTES;
	if (fd < 0 || fstat(fd, &st) != 0)
		return fd < 0 ? fd : -errno;
	if (st.st_size > 0)
		rest = offset < st.st_size ? (uint64_t)(st.st_size - offset) : 0;
	return (int64_t)(n < rest ? n : rest);
}

static ssize_t read_once(int fd, void *bytes, size_t n, int64_t offset)
{
	ssize_t got;
	do {
		got = pread(fd, bytes, n, offset);
	} while (got < 0 && errno == EINTR);
	return got < 0 ? -errno : got;
}

/* Answers with a copy of the bytes read. */
static const struct journal_entry *read_copy(struct os *os, enum journal_kind kind, uint32_t key,
                                             int fd, int64_t offset, size_t room)
{
	struct journal_entry *e = log_open(os, kind, key, room);
	if (!e)
		return NULL;
	e->ret = fd < 0 ? fd : read_once(fd, log_payload(e), room, offset);
	e->n = e->ret > 0 ? (uint64_t)e->ret : 0;
	log_close(os, e);
	return e;
}

/* Answers with a reference to the bytes; NULL: not possible, and nothing happened. */
static const struct journal_entry *read_reference(struct os *os, enum journal_kind kind,
                                                  uint32_t key, int fd, const char *name,
                                                  int64_t offset, size_t room, const void **bytes)
{
	uint8_t *read = os_scratch(os, room);
	const ssize_t got = read ? read_once(fd, read, room, offset) : 0;
	if (!reference_wanted(os, got > 0 ? (size_t)got : 0))
		return NULL;
	struct journal_entry *e = log_open(os, kind, key, REFERENCE_BYTES);
	if (!e)
		return NULL;
	e->ret = got;
	if (!reference_make(os, fd, name, offset, read, e))
		return NULL;
	log_close(os, e);
	*bytes = read;
	return e;
}

/* Asks the host for bytes of a regular file; -ENOMEM: try again. */
static int64_t read_regular(struct os *os, enum journal_kind kind, uint32_t key, int fd,
                            const char *name, int64_t offset, uint64_t n, const void **bytes)
{
	const int64_t most = read_room(fd, offset, n);
	const size_t room = most < 0 ? 0 : (size_t)most;
	const struct journal_entry *e =
		reference_wanted(os, room)
			? read_reference(os, kind, key, fd, name, offset, room, bytes)
			: NULL;
	if (e)
		return e->ret;
	e = read_copy(os, kind, key, most < 0 ? (int)most : fd, offset, room);
	if (!e)
		return -ENOMEM;
	*bytes = journal_payload(e);
	return e->ret;
}

/* Repeats a recorded answer. */
static int64_t read_again(struct os *os, const struct journal_entry *done, const void **bytes)
{
	*bytes = reference_is(done) ? reference_bytes(os, done) : journal_payload(done);
	return *bytes ? done->ret : -ENOMEM;
}

int64_t host_read(struct os *os, unsigned file, int64_t offset, uint64_t n, const void **bytes)
{
	const uint64_t args[] = {file, (uint64_t)offset, n};
	uint32_t key = ask_key(NULL, args, sizeof args);
	const struct journal_entry *done = log_replay(os, JOURNAL_READ, key);
	if (done)
		return read_again(os, done, bytes);
	return read_regular(os, JOURNAL_READ, key, host_descriptor(os, file),
	                    os->st->file[file].path, offset, n, bytes);
}

bool host_stdin_is_typed(const struct os *os)
{
	return os->typed;
}

/* Reads standard input. The question's key records whether a person typed the answer. */
int64_t host_stdin(struct os *os, int64_t offset, uint64_t n, const void **bytes)
{
	const uint64_t args[] = {(uint64_t)offset, n, 1};
	uint32_t key = ask_key(NULL, args, 2 * sizeof *args);
	const uint32_t typed = ask_key(NULL, args, sizeof args);
	const struct journal_entry *next = journal_at(os->journal, os->journal->st->pos);
	os->typed = next ? next->key == typed : os->stdin_terminal || os->input_typed;
	key = os->typed ? typed : key;
	const struct journal_entry *done = log_replay(os, JOURNAL_STDIN, key);
	if (done)
		return read_again(os, done, bytes);
	if (os->stdin_regular)
		return read_regular(os, JOURNAL_STDIN, key, os->stdin_fd, "", offset, n, bytes);
	const size_t room = n < STDIN_MAX ? (size_t)n : STDIN_MAX;
	struct journal_entry *e = log_open(os, JOURNAL_STDIN, key, room);
	if (!e)
		return -ENOMEM;
	e->ret = stdin_read(os, log_payload(e), room);
	if (e->ret == -EINTR)
		return -EINTR;
	e->n = e->ret > 0 ? (uint64_t)e->ret : 0;
	log_close(os, e);
	*bytes = journal_payload(e);
	return e->ret;
}

/* The result of an operation that may make a file longer. EFBIG is a failure of the host
 * (FILE_BYTES_MAX), and handled as such. */
static int64_t not_too_long(struct os *os, int64_t ret)
{
	if (ret != -EFBIG || !os->scarce)
		return ret;
	host_refuse(os, ret);
	return -ENOMEM;
}

static int64_t write_live(struct os *os, int fd, int64_t offset, const uint8_t *bytes, size_t n,
                          int64_t *end)
{
	struct stat st;
	if (fd < 0)
		return fd;
	if (!inodes_reserve(os, 1, 0))
		return -ENOMEM;
	if (fstat(fd, &st) != 0)
		return -errno;
	const bool appends = offset < 0;
	if (appends)
		offset = st.st_size;
	if (n && offset >= FILE_BYTES_MAX)
		return -EFBIG;
	if ((int64_t)n > FILE_BYTES_MAX - offset)
		n = (size_t)(FILE_BYTES_MAX - offset);
	size_t done = 0;
	while (done < n) {
		ssize_t put = pwrite(fd, bytes + done, n - done, offset + (int64_t)done);
		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0) {
			const int64_t err = not_too_long(os, -errno);
			/* The whole write will be repeated, over the bytes written so far. An
			 * append must cut those off first. */
			if (done == 0 || (os->scarce && (host_failed(err) || err == -ENOMEM) &&
			                  (!appends || ftruncate(fd, offset) == 0)))
				return err;
			break;
		}
		if (put == 0)
			break;
		done += (size_t)put;
	}
	if (done)
		inode_written(os, &st);
	*end = offset + (int64_t)done;
	return (int64_t)done;
}

int64_t host_write(struct os *os, unsigned file, int64_t offset, const void *bytes, size_t n,
                   int64_t *end)
{
	const uint64_t args[] = {file, (uint64_t)offset, n};
	uint32_t key = ask_key(NULL, args, sizeof args);
	const struct journal_entry *done = log_replay(os, JOURNAL_WRITE, key);
	if (!done) {
		struct journal_entry *e = log_open(os, JOURNAL_WRITE, key, sizeof *end);
		if (!e)
			return -ENOMEM;
		int64_t at = 0;
		e->ret = write_live(os, host_fd_to_write(os, file), offset, bytes, n, &at);
		e->n = e->ret >= 0 ? sizeof at : 0;
		memcpy(log_payload(e), &at, sizeof at);
		log_close(os, e);
		done = e;
	}
	if (done->ret >= 0)
		memcpy(end, journal_payload(done), sizeof *end);
	return done->ret;
}

int cut_open(struct os *os, int fd, int64_t size)
{
	struct stat st;
	if (fd < 0)
		return fd;
	if (!inodes_reserve(os, 1, 0))
		return -ENOMEM;
	if (size > FILE_BYTES_MAX)
		return -EFBIG;
	int failed;
	do
		failed = ftruncate(fd, size);
	while (failed && errno == EINTR);
	if (failed || fstat(fd, &st) != 0)
		return (int)not_too_long(os, -errno);
	inode_written(os, &st);
	return 0;
}

int64_t host_truncate(struct os *os, unsigned file, int64_t size)
{
	const uint64_t args[] = {file, (uint64_t)size};
	uint32_t key = ask_key(NULL, args, sizeof args);
	const struct journal_entry *done = log_replay(os, JOURNAL_TRUNCATE, key);
	if (!done) {
		struct journal_entry *e = log_open(os, JOURNAL_TRUNCATE, key, 0);
		if (!e)
			return -ENOMEM;
		e->ret = cut_open(os, host_fd_to_write(os, file), size);
		log_close(os, e);
		done = e;
	}
	return done->ret;
}

/* Describes standard input as a pipe; as a regular file it has a length, too. 0 or -errno. */
static int stat_stdin(const struct os *os, struct host_stat *out)
{
	struct stat st;
	*out = (struct host_stat){
		.dev = STREAM_DEV, .ino = OS_FILE_STDIN, .nlink = 1, .mode = S_IFIFO | 0600};
	out->atime = out->mtime = out->ctime = (struct lx_timespec){.sec = (int64_t)os->epoch};
	if (!os->stdin_regular)
		return 0;
	if (fstat(os->stdin_fd, &st) != 0)
		return -errno;
	out->mode = S_IFREG | 0644;
	out->size = st.st_size;
	return 0;
}

int64_t told(struct os *os, const struct journal_entry *e, struct host_stat *out)
{
	if (e->ret == 0) {
		memcpy(out, journal_payload(e), sizeof *out);
		if (out->dev == GUEST_DEV)
			inode_seen(os, out->ino);
	}
	return e->ret;
}

int64_t host_stat_file(struct os *os, unsigned file, struct host_stat *out)
{
	/* no path begins so: the key differs from host_stat_path()'s */
	uint32_t key = ask_key("\n", &file, sizeof file);
	const struct journal_entry *done = log_replay(os, JOURNAL_STAT, key);
	if (!done) {
		struct journal_entry *e = log_open(os, JOURNAL_STAT, key, sizeof *out);
		if (!e)
			return -ENOMEM;
		struct stat st;
		if (os->st->file[file].kind == OS_FILE_STDIN) {
			e->ret = stat_stdin(os, log_payload(e));
		} else {
			int fd = inodes_reserve(os, 1, 0) ? host_descriptor(os, file) : -ENOMEM;
			e->ret = fd < 0 ? fd : fstat(fd, &st) < 0 ? -errno : 0;
			if (e->ret == 0)
				inode_fill(os, &st, NULL, log_payload(e));
		}
		e->n = e->ret == 0 ? sizeof *out : 0;
		log_close(os, e);
		done = e;
	}
	return told(os, done, out);
}
