/* Names: opening, listing, creating, removing, the current directory. */
#include <errno.h>
#include <string.h>

#include "core/os/descriptors.h"
#include "core/os/host_file.h"
#include "core/os/host_questions.h"
#include "core/os/os_priv.h"
#include "core/os/tree.h"

static void set_path(char dst[OS_PATH], const char *src)
{
	memset(dst, 0, OS_PATH);
	memcpy(dst, src, strlen(src));
}

int64_t sys_openat(struct call *c)
{
	struct os_state *st = c->st;
	char path[LX_PATH_MAX];
	uint32_t flags = (uint32_t)c->a[2];
	if (flags & LX_O_PATH)
		flags &= LX_O_PATH | LX_O_DIRECTORY | LX_O_NOFOLLOW | LX_O_CLOEXEC;
	if ((flags & LX_O_TMPFILE) ? !(flags & LX_O_DIRECTORY) || (flags & LX_O_CREAT) ||
	                                     (flags & LX_O_ACCMODE) == LX_O_RDONLY
	                           : (flags & LX_O_DIRECTORY) && (flags & LX_O_CREAT))
		return -EINVAL;
	int64_t err = path_from_guest(c, (int)c->a[0], c->a[1], path);
	if (err)
		return err;
	if (flags & LX_O_TMPFILE)
		return -EOPNOTSUPP;
	int fd = fd_lowest(st, 0);
	struct os_file *f = file_take(st);
	if (fd < 0 || !f)
		return -EMFILE;
	f->serial = st->next_serial + 1;
	err = host_open(c->os, file_index(st, f), path, flags & ~(uint32_t)LX_O_CLOEXEC,
	                (uint32_t)c->a[3] & ~st->umask);
	if (!err || err == -ENOENT)
		missing_note(c->os, path, !err);
	if (err) {
		memset(f, 0, sizeof *f);
		return err;
	}
	st->next_serial++;
	f->flags = flags & LX_O_PATH ? flags & ~(uint32_t)LX_O_CLOEXEC
	                             : (flags & (LX_O_ACCMODE | LX_O_APPEND | LX_O_NONBLOCK |
	                                         LX_O_DIRECTORY | LX_O_NOFOLLOW)) |
	                                       LX_O_LARGEFILE;
	fd_install(st, fd, f, flags & LX_O_CLOEXEC);
	return fd;
}

int64_t sys_getdents64(struct call *c)
{
	struct os_file *f = fd_file(c->st, (int)c->a[0]);
	if (!f)
		return -EBADF;
	if (f->kind != OS_FILE_DIR)
		return -ENOTDIR;
	if (!undo_begin(c, (uint32_t)c->a[2]))
		return 0;
	const int32_t bytes = (int32_t)c->a[2];
	const void *records;
	const int64_t n = host_list(c->os, file_index(c->st, f),
	                            bytes > 0 ? (uint64_t)bytes : 0, &records);
	struct lx_dirent d;
	if (n <= 0)
		return n;
	if (!mem_write(c->mem, c->a[1], records, (uint64_t)n))
		return -EFAULT;
	for (int64_t pos = 0; pos < n; pos += d.reclen)
		memcpy(&d, (const uint8_t *)records + pos, sizeof d);
	f->offset = d.off;
	f->listing = c->os->journal->st->pos;
	return n;
}

int64_t sys_readlinkat(struct call *c)
{
	char path[LX_PATH_MAX];
	const char *text;
	size_t n;
	if ((int32_t)c->a[3] <= 0)
		return -EINVAL;
	/* "" would name the descriptor's link; a directory has none */
	if (path_is_empty(c, c->a[1], LX_AT_EMPTY_PATH) && (int)c->a[0] != LX_AT_FDCWD &&
	    !fd_named_file(c->st, (int)c->a[0]))
		return -EBADF;
	int64_t err = path_from_guest(c, (int)c->a[0], c->a[1], path);
	err = err ? err : host_readlink(c->os, path, &text, &n);
	if (err)
		return err;
	n = n < c->a[3] ? n : c->a[3];
	return mem_write(c->mem, c->a[2], text, n) ? (int64_t)n : -EFAULT;
}

static int64_t access_at(struct call *c, uint64_t flags)
{
	char path[LX_PATH_MAX];
	if ((c->a[2] & ~(uint64_t)7) ||
	    (flags & ~(uint64_t)(LX_AT_EACCESS | LX_AT_SYMLINK_NOFOLLOW | LX_AT_EMPTY_PATH)))
		return -EINVAL;
	if (path_is_empty(c, c->a[1], flags)) {
		struct host_stat h;
		const int64_t wrong = stat_fd(c, (int)c->a[0], &h);
		return wrong ? wrong : owner_may(h.mode, (int)c->a[2]);
	}
	int64_t err = path_from_guest(c, (int)c->a[0], c->a[1], path);
	return err ? err
	           : host_access(c->os, path, (int)c->a[2], !(flags & LX_AT_SYMLINK_NOFOLLOW));
}

int64_t sys_faccessat(struct call *c)
{
	return access_at(c, 0);
}

int64_t sys_faccessat2(struct call *c)
{
	return access_at(c, c->a[3]);
}

int64_t sys_unlinkat(struct call *c)
{
	char path[LX_PATH_MAX];
	if (c->a[2] & ~(uint64_t)LX_AT_REMOVEDIR)
		return -EINVAL;
	int64_t err = path_from_guest(c, (int)c->a[0], c->a[1], path);
	return err ? err : host_remove(c->os, path, c->a[2] & LX_AT_REMOVEDIR);
}

int64_t sys_mkdirat(struct call *c)
{
	char path[LX_PATH_MAX];
	int64_t err = path_from_guest(c, (int)c->a[0], c->a[1], path);
	return err ? err : host_mkdir(c->os, path, (uint32_t)c->a[2] & ~c->st->umask);
}

/* Rewrites `path` after `from` was renamed to `to`; a path that would grow too long keeps its old
 * name. */
static void follow_rename(char path[OS_PATH], const char *from, const char *to)
{
	char renamed[OS_PATH] = {0};
	size_t n = strlen(from), m = strlen(to);
	if (strncmp(path, from, n) != 0 || (path[n] != '\0' && path[n] != '/'))
		return;
	if (m + strlen(path + n) >= OS_PATH)
		return;
	memcpy(renamed, to, m);
	strcpy(renamed + m, path + n);
	memcpy(path, renamed, OS_PATH);
}

static int64_t rename_at(struct call *c, uint64_t flags)
{
	char from[LX_PATH_MAX], to[LX_PATH_MAX];
	if ((flags & ~(uint64_t)(LX_RENAME_NOREPLACE | LX_RENAME_EXCHANGE)) ||
	    flags == (LX_RENAME_NOREPLACE | LX_RENAME_EXCHANGE))
		return -EINVAL;
	int64_t err = path_from_guest(c, (int)c->a[0], c->a[1], from);
	err = err ? err : path_from_guest(c, (int)c->a[2], c->a[3], to);
	err = err ? err : host_rename(c->os, from, to, (uint32_t)flags);
	if (err)
		return err;
	/* Open files are found again by path, so rename their paths, too. An exchange renames in
	 * both directions, by way of a name that no file has. */
	static const char nowhere[] = "/";
	char *paths[OS_FILES + 1];
	unsigned n = 0;
	for (unsigned i = 0; i < OS_FILES; i++)
		if ((c->st->file[i].kind == OS_FILE_REGULAR ||
		     c->st->file[i].kind == OS_FILE_DIR) &&
		    !path_is_sysroot(c->st->file[i].path))
			paths[n++] = c->st->file[i].path;
	paths[n++] = c->st->cwd;
	for (unsigned i = 0; i < n; i++) {
		if (flags & LX_RENAME_EXCHANGE)
			follow_rename(paths[i], to, nowhere);
		follow_rename(paths[i], from, to);
		if (flags & LX_RENAME_EXCHANGE)
			follow_rename(paths[i], nowhere, from);
	}
	return 0;
}

int64_t sys_renameat2(struct call *c)
{
	return rename_at(c, c->a[4]);
}

int64_t sys_renameat(struct call *c)
{
	return rename_at(c, 0);
}

int64_t sys_getcwd(struct call *c)
{
	char path[OS_PATH + 1] = "/";
	strcpy(path + 1, c->st->cwd);
	size_t n = strlen(path) + 1;
	if (c->a[1] < n)
		return -ERANGE;
	return mem_write(c->mem, c->a[0], path, n) ? (int64_t)n : -EFAULT;
}

int64_t sys_chdir(struct call *c)
{
	char path[LX_PATH_MAX], canonical[OS_PATH];
	int64_t err = path_from_guest(c, LX_AT_FDCWD, c->a[0], path);
	err = err ? err : host_chdir(c->os, path, canonical);
	if (err)
		return err;
	set_path(c->st->cwd, canonical);
	return 0;
}

int64_t sys_fchdir(struct call *c)
{
	const struct os_file *f = fd_named_file(c->st, (int)c->a[0]);
	if (!f)
		return -EBADF;
	if (f->kind != OS_FILE_DIR)
		return -ENOTDIR;
	if (path_is_sysroot(f->path))
		return -EACCES; /* the sysroot is not the guest's own tree */
	set_path(c->st->cwd, f->path);
	return 0;
}

int64_t sys_umask(struct call *c)
{
	uint32_t old = c->st->umask;
	c->st->umask = (uint32_t)c->a[0] & 0777;
	return old;
}
