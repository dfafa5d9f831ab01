/* Questions about open files: every answer is one log entry, given again on re-execution. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "core/os/host.h"

uint32_t ask_key(const char *path, const void *args, size_t n)
{
	uint32_t h = UINT32_C(2166136261);
	for (const char *p = path ? path : ""; *p; p++)
		h = (h ^ (uint8_t)*p) * UINT32_C(16777619);
	for (const uint8_t *p = args; n > 0; p++, n--)
		h = (h ^ *p) * UINT32_C(16777619);
	return h;
}

int host_open_folder(const char *folder)
{
	const int fd =
		folder ? open_name(AT_FDCWD, folder, O_PATH | O_DIRECTORY | O_CLOEXEC, 0) : -1;
	return fd >= 0 ? fd : folder ? -errno : -ENOENT;
}

int may_write(const struct os *os, const char *path)
{
	const struct tree own = own_tree(os);
	const struct folder *f = folder_of(&own, path);
	const bool writing = !path_is_sysroot(path) && (f ? f->writing : os->writing);
	return writing ? 0 : -EROFS;
}

int may_change_entries(int dir)
{
	struct stat st;
	return fstat(dir, &st) != 0 ? -errno : owner_may(st.st_mode, W_OK | X_OK);
}

static void host_close(struct host_file *hf)
{
	if (hf->fd >= 0)
		close(hf->fd);
	*hf = (struct host_file){.fd = -1};
}

void host_close_all(struct os *os)
{
	for (unsigned i = 0; i < OS_FILES; i++)
		host_close(&os->host[i]);
}

static int host_flags(uint32_t flags)
{
	static const int access[4] = {O_RDONLY, O_WRONLY, O_RDWR, O_RDONLY};
	/* O_NONBLOCK: a pipe or device that took the file's place must not make us wait. */
	return access[flags & LX_O_ACCMODE] | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW;
}

/* /proc is in a tree only if that is the whole host: through it we could be read and written
 * ourselves. */
int host_check_opened(int fd, struct stat *st)
{
	struct statfs fs;
	int err = fstat(fd, st) != 0 || fstatfs(fd, &fs) != 0 ? -errno : 0;
	if (!err && (S_ISREG(st->st_mode) || S_ISDIR(st->st_mode)) && fs.f_type != PROC_SUPER_MAGIC)
		return fd;
	close(fd);
	return host_failed(err) || err == -ENOMEM ? err : -ENXIO;
}

/* The host's descriptor of description `file`, opened again if it is not at hand; or -errno. What
 * is opened again may be what a checkpoint says: it is refused as open() would refuse it, and is
 * for reading alone where nothing may be written. */
static int host_fd(struct os *os, unsigned file)
{
	struct host_file *hf = &os->host[file];
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
	host_close(hf);
	*hf = (struct host_file){.serial = f->serial, .fd = fd};
	return fd;
}

/* The same, to change what it holds. */
static int host_fd_to_write(struct os *os, unsigned file)
{
	int err = may_write(os, os->st->file[file].path);
	return err ? err : host_fd(os, file);
}

/* ---- opening ---- */

/* What a read-only tree says to an openat that Linux would otherwise try; 0 = go on. */
static int refuse_to_write(uint32_t flags, bool exists, mode_t mode)
{
	if (exists && (flags & LX_O_CREAT) && (flags & LX_O_EXCL))
		return -EEXIST;
	bool writes = (flags & LX_O_ACCMODE) != LX_O_RDONLY || (flags & LX_O_TRUNC);
	if (exists && writes)
		return S_ISDIR(mode) ? -EISDIR : -EROFS;
	return !exists && (flags & LX_O_CREAT) ? -EROFS : 0;
}

/* Whether the owner may open a file so, or make it. */
static int may_open(const struct located *at, uint32_t flags, bool exists, mode_t mode)
{
	if (!exists)
		return flags & LX_O_CREAT ? may_change_entries(at->dir) : 0;
	if (S_ISLNK(mode))
		return 0;
	const uint32_t access = flags & LX_O_ACCMODE; /* 3 asks for both, and gives neither */
	const bool writes = access != LX_O_RDONLY || (flags & LX_O_TRUNC);
	if (writes && S_ISDIR(mode))
		return -EISDIR;
	return owner_may(mode, (access != LX_O_WRONLY ? R_OK : 0) | (writes ? W_OK : 0));
}

/* A file that was just made is the guest's as it asked for it, whatever umask we have; others than
 * its owner get no more than that leaves. 0 or -errno. */
static int make_as_asked(int fd, uint32_t mode, struct stat *st)
{
	const mode_t lost = (mode & ~st->st_mode) & S_IRWXU;
	if (!lost)
		return 0;
	if (fchmod(fd, (st->st_mode & 07777) | lost) == 0)
		st->st_mode |= lost;
	else if (host_failed(-errno))
		return -errno;
	return 0;
}

/* *exists: it did before. */
static int open_located(const struct os *os, const struct located *at, uint32_t flags,
                        uint32_t mode, bool *exists_before)
{
	struct stat st;
	bool exists = fstatat(at->dir, at->last, &st, AT_SYMLINK_NOFOLLOW) == 0;
	*exists_before = exists;
	if (!exists && errno != ENOENT)
		return -errno;
	if (may_write(os, at->path)) {
		int err = refuse_to_write(flags, exists, exists ? st.st_mode : 0);
		if (err)
			return err;
		flags &= ~(uint32_t)(LX_O_CREAT | LX_O_EXCL | LX_O_TRUNC);
	}
	if (exists && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode) && !S_ISLNK(st.st_mode))
		return -ENXIO;
	if (!(exists && (flags & LX_O_CREAT) && (flags & LX_O_EXCL))) {
		int err = may_open(at, flags, exists, exists ? st.st_mode : 0);
		if (err)
			return err;
	}
	int host = host_flags(flags);
	host |= flags & LX_O_CREAT ? O_CREAT : 0;
	host |= flags & LX_O_EXCL ? O_EXCL : 0;
	host |= flags & LX_O_TRUNC ? O_TRUNC : 0;
	host |= (flags & LX_O_DIRECTORY) || at->slash ? O_DIRECTORY : 0;
	if ((host & O_CREAT) && (host & O_DIRECTORY))
		return at->slash ? -EISDIR : -EINVAL;
	int fd = open_name(at->dir, at->last, host, (mode_t)mode);
	return fd < 0 ? -errno : fd;
}

static void note_opened(struct os *os, const struct located *at, uint32_t flags, uint32_t mode,
                        bool existed, struct stat *st)
{
	if (!existed) {
		inode_created(os, st, at->path, mode);
		inode_touch_parent(os, at);
		return;
	}
	inode_named(os, st, at->path);
	if ((flags & LX_O_TRUNC) && !may_write(os, at->path))
		inode_written(os, st);
}

static int64_t open_live(struct os *os, unsigned file, const char *path, uint32_t flags,
                         uint32_t mode, struct host_opened *out)
{
	struct located at;
	bool follow = !(flags & LX_O_NOFOLLOW) && !((flags & LX_O_CREAT) && (flags & LX_O_EXCL)),
	     existed = true;
	if (!inodes_reserve(os, 2, 2 * LX_PATH_MAX))
		return -ENOMEM;
	const bool reads =
		(flags & LX_O_ACCMODE) == LX_O_RDONLY && !(flags & (LX_O_CREAT | LX_O_TRUNC));
	int err = reads ? path_to_read(os, path, follow, &at)
	                : path_to_change(os, path, follow, false, &at);
	if (err)
		return err;
	if (at.device != DEVICE_NONE) {
		close(at.dir);
		strcpy(out->path, at.path);
		return device_open(at.device, flags, at.slash, &out->kind);
	}
	struct stat st;
	int fd = strlen(at.path) < sizeof out->path
	                 ? open_located(os, &at, flags, mode & MODE_BITS, &existed)
	                 : -ENAMETOOLONG;
	const bool opened = fd >= 0;
	if (opened)
		fd = host_check_opened(fd, &st);
	int failed = fd >= 0 && !existed ? make_as_asked(fd, mode & MODE_BITS, &st) : 0;
	if (failed) {
		close(fd);
		fd = failed;
	}
	if (fd >= 0)
		note_opened(os, &at, flags, mode & MODE_BITS, existed, &st);
	else if (opened && !existed)
		unlinkat(at.dir, at.last, 0); /* it is made when the call comes again */
	close(at.dir);
	if (fd < 0)
		return fd;
	out->kind = S_ISDIR(st.st_mode) ? OS_FILE_DIR : OS_FILE_REGULAR;
	strcpy(out->path, at.path);
	host_close(&os->host[file]);
	os->host[file] = (struct host_file){.serial = os->st->file[file].serial, .fd = fd};
	return 0;
}

int os_open_for_ended(const struct os *os, const char *path)
{
	char from_root[LX_PATH_MAX];
	struct located at;
	struct stat st;
	bool existed;
	const char *base = *path == '/' ? "" : os->st->cwd;
	if (snprintf(from_root, sizeof from_root, "%s%s%s", base, *base ? "/" : "",
	             path + strspn(path, "/")) >= LX_PATH_MAX)
		return -ENAMETOOLONG;
	const int err = path_to_change(os, from_root, true, false, &at);
	if (err)
		return err;
	int fd = at.device == DEVICE_NONE
	                 ? open_located(os, &at, LX_O_WRONLY | LX_O_CREAT | LX_O_TRUNC, 0644,
	                                &existed)
	                 : -ENXIO;
	if (fd >= 0)
		fd = host_check_opened(fd, &st);
	if (fd >= 0 && !existed)
		make_as_asked(fd, 0644, &st);
	close(at.dir);
	return fd;
}

int64_t host_open(struct os *os, unsigned file, const char *path, uint32_t flags, uint32_t mode)
{
	const uint32_t args[] = {flags, mode};
	uint32_t key = ask_key(path, args, sizeof args);
	const struct journal_entry *done = log_replay(os, JOURNAL_OPEN, key);
	if (!done) {
		struct journal_entry *e =
			log_open(os, JOURNAL_OPEN, key, sizeof(struct host_opened));
		if (!e)
			return -ENOMEM;
		struct host_opened *o = log_payload(e);
		memset(o, 0, sizeof *o);
		e->ret = open_live(os, file, path, flags, mode, o);
		if (e->ret == -ENOENT)
			outside_note(os, path, flags & LX_O_CREAT);
		e->n = e->ret == 0 ? sizeof *o : 0;
		log_close(os, e);
		done = e;
	}
	if (done->ret == 0) {
		const struct host_opened *o = journal_payload(done);
		os->st->file[file].kind = o->kind;
		memcpy(os->st->file[file].path, o->path, sizeof o->path);
	}
	return done->ret;
}

/* ---- contents ---- */

/* What is worth making room for: a regular file's rest, or a page where sizes say nothing (as in
 * /sys). Or -errno. */
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

/* An answer that is a copy of what is read. */
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

/* One that refers to it; NULL: it can't, and nothing happened. */
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

/* Asks the host for what a regular file holds; -ENOMEM: try again. */
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

/* What was answered before. */
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
	return read_regular(os, JOURNAL_READ, key, host_fd(os, file), os->st->file[file].path,
	                    offset, n, bytes);
}

bool host_stdin_is_typed(const struct os *os)
{
	return os->typed;
}

/* The key of the question says whether a person answers. */
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

/* Of a file that may be so long: what came of it. */
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
			/* It comes again as a whole. What was written is written again then, unless
			 * that is somewhere else. */
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
	if (TEMP_FAILURE_RETRY(ftruncate(fd, size)) != 0 || fstat(fd, &st) != 0)
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

/* Standard input looks like a pipe, but as a file it has a length. 0 or -errno. */
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
	/* no path begins so: apart from host_stat_path */
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
			int fd = inodes_reserve(os, 1, 0) ? host_fd(os, file) : -ENOMEM;
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

/* ---- directories ---- */

static int by_name(const struct dirent **a, const struct dirent **b)
{
	/* the same everywhere, unlike the host's order */
	return strcmp((*a)->d_name, (*b)->d_name);
}

static size_t record_bytes(const char *name)
{
	return (sizeof(struct lx_dirent) + strlen(name) + 1 + 7) & ~(size_t)7;
}

static size_t put_record(uint8_t *at, size_t pos, const char *name, uint64_t ino, uint8_t type)
{
	size_t n = record_bytes(name);
	struct lx_dirent d = {
		.ino = ino, .off = (int64_t)(pos + n), .reclen = (uint16_t)n, .type = type};
	memset(at + pos, 0, n);
	memcpy(at + pos, &d, sizeof d);
	memcpy(at + pos + sizeof d, name, strlen(name));
	return pos + n;
}

/* One name of a directory: its number and type as stat() tells them. 0: it is gone again; or
 * -errno. */
static int64_t number_of(struct os *os, int fd, const char *dir, const char *name, uint8_t *type)
{
	enum { TYPE_SHIFT = 12 };
	char path[LX_PATH_MAX];
	struct host_stat h;
	struct stat st;
	const enum os_device device = device_named(dir, name);
	const bool up = strcmp(name, "..") == 0;
	const size_t root = path_is_sysroot(dir) ? 2 : 0; /* bytes of its tree's root */
	const char *slash = strrchr(dir + root, '/');
	const struct tree own = own_tree(os);
	const bool top = !dir[root] || folder_at(&own, dir),
		   here = strcmp(name, ".") == 0 || (up && top);
	if (up)
		snprintf(path, sizeof path, "%.*s", (int)(slash ? (size_t)(slash - dir) : root),
		         dir);
	else
		snprintf(path, sizeof path, "%s%s%s", dir, dir[root] ? "/" : "", name);
	const struct folder *folder = here ? NULL : folder_at(&own, path);
	const int has = host_has(folder ? folder->fd : fd, here || folder ? "." : name, &st);
	if (has <= 0)
		return has; /* a root has no parent that the guest could know of */
	if (device != DEVICE_NONE || (!here && !S_ISDIR(st.st_mode) && folder_below(&own, path)))
		device_stat(os, device != DEVICE_NONE ? device : DEVICE_DIR, &h);
	else
		inode_fill(os, &st, here ? dir : path, &h);
	*type = (uint8_t)(h.mode >> TYPE_SHIFT);
	return (int64_t)h.ino;
}

/* Numbers that an answer gives were given. */
static void see_listed(struct os *os, const struct journal_entry *e)
{
	const uint8_t *records = journal_payload(e);
	struct lx_dirent d;
	for (uint64_t pos = 0; pos < e->n; pos += d.reclen) {
		memcpy(&d, records + pos, sizeof d);
		inode_seen(os, d.ino);
	}
}

int64_t host_list(struct os *os, unsigned file)
{
	const char *dir = os->st->file[file].path;
	uint32_t key = ask_key(dir, &file, sizeof file);
	const struct journal_entry *done = log_replay(os, JOURNAL_LIST, key);
	if (done) {
		see_listed(os, done);
		return done->ret;
	}
	int fd = host_fd(os, file), n = fd;
	struct dirent **names = NULL;
	while (fd >= 0 && (n = scandirat(fd, ".", &names, NULL, by_name)) < 0 && errno == EINTR)
		;
	int err = fd < 0 ? fd : n < 0 ? -errno : 0;
	size_t room = 0, text = 0;
	for (int i = 0; i < n && names; i++) {
		room += record_bytes(names[i]->d_name);
		text += strlen(dir) + strlen(names[i]->d_name) + 2;
	}
	if (!err && !inodes_reserve(os, (size_t)n, text))
		err = -ENOMEM;
	struct journal_entry *e = log_open(os, JOURNAL_LIST, key, room);
	if (e) {
		e->ret = err;
		for (int i = 0; i < n && names && !err; i++) {
			uint8_t type;
			const int64_t ino = number_of(os, fd, dir, names[i]->d_name, &type);
			if (ino > 0)
				e->n = put_record(log_payload(e), e->n, names[i]->d_name,
				                  (uint64_t)ino, type);
			else
				err = (int)ino;
		}
		e->ret = err;
		e->n = err ? 0 : e->n;
		log_close(os, e);
	}
	for (int i = 0; i < n && names; i++)
		free(names[i]);
	free(names);
	return e ? e->ret : -ENOMEM;
}
