/* System calls that read or change a file's attributes: length, mode, owner, times, links, file
 * systems. */
#include <string.h>

#include "core/os/descriptors.h"
#include "core/os/host_questions.h"
#include "core/os/os_priv.h"
#include "core/os/scheduling.h"
#include "core/os/space.h"
#include "core/os/tree.h"

int64_t sys_truncate(struct call *c)
{
	char path[LX_PATH_MAX];
	if ((int64_t)c->a[1] < 0)
		return -EINVAL;
	int64_t err = path_from_guest(c, LX_AT_FDCWD, c->a[0], path);
	return err ? err : host_truncate_path(c->os, path, (int64_t)c->a[1]);
}

/* Path of an open file or directory, for calls that change it by name; 0 or -errno. */
static int64_t path_of_fd(struct call *c, int fd, char *path)
{
	const struct os_file *f = fd_file(c->st, fd);
	if (!f)
		return -EBADF;
	if (f->kind == OS_FILE_EVENT || f->kind == OS_FILE_TIMER || f->kind == OS_FILE_EPOLL)
		return -EOPNOTSUPP;
	if (f->kind != OS_FILE_REGULAR && f->kind != OS_FILE_DIR)
		return -EPERM;
	strcpy(path, f->path);
	return 0;
}

/* The same for a name; with AT_EMPTY_PATH and an empty name, for the descriptor or the current
 * directory. */
static int64_t path_or_fd(struct call *c, int fd, uint64_t name, uint64_t flags, char *path)
{
	if (!path_is_empty(c, name, flags))
		return path_from_guest(c, fd, name, path);
	if (fd != LX_AT_FDCWD)
		return path_of_fd(c, fd, path);
	strcpy(path, *c->st->cwd ? c->st->cwd : ".");
	return 0;
}

int64_t sys_fchmod(struct call *c)
{
	char path[LX_PATH_MAX];
	int64_t err = path_of_fd(c, (int)c->a[0], path);
	return err ? err : host_chmod_path(c->os, path, (uint32_t)c->a[1]);
}

int64_t sys_fchmodat(struct call *c)
{
	char path[LX_PATH_MAX];
	int64_t err = path_from_guest(c, (int)c->a[0], c->a[1], path);
	return err ? err : host_chmod_path(c->os, path, (uint32_t)c->a[2]);
}

/* The one user owns all files; no other owner can be set. */
static int64_t attr_check_owner(uint64_t user, uint64_t group)
{
	return ((int32_t)user == -1 || user == GUEST_UID) &&
	                       ((int32_t)group == -1 || group == GUEST_UID)
	               ? 0
	               : -EPERM;
}

static int64_t change_owner(struct call *c, const char *path, bool follow, uint64_t user,
                            uint64_t group)
{
	struct host_stat h;
	int64_t err = host_stat_path(c->os, path, follow, &h);
	return err ? err : attr_check_owner(user, group);
}

int64_t sys_fchown(struct call *c)
{
	char path[LX_PATH_MAX];
	const struct os_file *f = fd_file(c->st, (int)c->a[0]);
	if (f && (f->kind == OS_FILE_PIPE_READ || f->kind == OS_FILE_PIPE_WRITE ||
	          f->kind == OS_FILE_SOCKET || f->kind == OS_FILE_MEMORY))
		return attr_check_owner(c->a[1], c->a[2]);
	int64_t err = path_of_fd(c, (int)c->a[0], path);
	return err ? err : change_owner(c, path, true, c->a[1], c->a[2]);
}

int64_t sys_fchownat(struct call *c)
{
	char path[LX_PATH_MAX];
	if ((uint32_t)c->a[4] & ~(uint32_t)(LX_AT_SYMLINK_NOFOLLOW | LX_AT_EMPTY_PATH))
		return -EINVAL;
	int64_t err = path_or_fd(c, (int)c->a[0], c->a[1], c->a[4], path);
	return err ? err
	           : change_owner(c, path, !(c->a[4] & LX_AT_SYMLINK_NOFOLLOW), c->a[2], c->a[3]);
}

/* Checks the times that the guest gives; LX_UTIME_NOW becomes the guest's time. */
static int64_t attr_check_times(struct call *c, struct lx_timespec t[2])
{
	for (unsigned i = 0; i < 2; i++) {
		if (t[i].nsec == LX_UTIME_NOW)
			t[i] = time_of_day(c);
		else if (t[i].nsec != LX_UTIME_OMIT && (t[i].nsec < 0 || t[i].nsec >= LX_NSEC))
			return -EINVAL;
	}
	return 0;
}

int64_t sys_utimensat(struct call *c)
{
	char path[LX_PATH_MAX];
	struct lx_timespec t[2] = {{.nsec = LX_UTIME_NOW}, {.nsec = LX_UTIME_NOW}};
	struct host_stat h;
	const bool follow = !(c->a[3] & LX_AT_SYMLINK_NOFOLLOW);
	const bool of_fd = !c->a[1] && (int)c->a[0] != LX_AT_FDCWD;
	if (c->a[2] && !mem_read(c->mem, c->a[2], t, sizeof t))
		return -EFAULT;
	if (c->a[2] && t[0].nsec == LX_UTIME_OMIT && t[1].nsec == LX_UTIME_OMIT)
		return 0; /* as on Linux, whatever the other arguments are */
	if (of_fd && c->a[3])
		return -EINVAL;
	if ((uint32_t)c->a[3] & ~(uint32_t)(LX_AT_SYMLINK_NOFOLLOW | LX_AT_EMPTY_PATH))
		return -EINVAL;
	int64_t err = of_fd     ? path_of_fd(c, (int)c->a[0], path)
	              : c->a[1] ? path_or_fd(c, (int)c->a[0], c->a[1], c->a[3], path)
	                        : -EFAULT;
	if (err)
		return err;
	const int64_t wrong = attr_check_times(c, t);
	if (wrong) /* a path that is not found comes first */
		err = host_stat_path(c->os, path, follow, &h);
	return err ? err : wrong ? wrong : host_times(c->os, path, follow, t);
}

int64_t sys_symlinkat(struct call *c)
{
	char path[LX_PATH_MAX], text[LX_PATH_MAX];
	if (!mem_read_string(c->mem, c->a[0], text, sizeof text))
		return -EFAULT;
	if (!*text)
		return -ENOENT;
	int64_t err = path_from_guest(c, (int)c->a[1], c->a[2], path);
	return err ? err : host_symlink(c->os, text, path);
}

int64_t sys_linkat(struct call *c)
{
	char from[LX_PATH_MAX], to[LX_PATH_MAX];
	struct host_stat h;
	const bool follow = c->a[4] & LX_AT_SYMLINK_FOLLOW;
	/* AT_EMPTY_PATH takes a privilege; without it an empty path is no name */
	if ((uint32_t)c->a[4] & ~(uint32_t)(LX_AT_SYMLINK_FOLLOW | LX_AT_EMPTY_PATH))
		return -EINVAL;
	int64_t err = path_from_guest(c, (int)c->a[0], c->a[1], from);
	if (err)
		return err;
	const int64_t wrong = path_from_guest(c, (int)c->a[2], c->a[3], to);
	if (wrong) /* what is wrong with the old name comes first */
		err = host_stat_path(c->os, from, follow, &h);
	return err ? err : wrong ? wrong : host_link(c->os, from, to, follow);
}

/* Makes the file longer if the range ends after it; existing bytes stay. */
int64_t sys_fallocate(struct call *c)
{
	const struct os_file *f = fd_file(c->st, (int)c->a[0]);
	struct host_stat h;
	int64_t offset = (int64_t)c->a[2], length = (int64_t)c->a[3], end;
	enum { KEEP_SIZE = 1, PUNCH_HOLE = 2, MODES = 0x7f };
	const uint32_t mode = (uint32_t)c->a[1];
	if (!f)
		return -EBADF;
	if (offset < 0 || length <= 0)
		return -EINVAL;
	if ((mode & ~(uint32_t)MODES) || ((mode & PUNCH_HOLE) && !(mode & KEEP_SIZE)))
		return -EOPNOTSUPP;
	if ((f->flags & LX_O_ACCMODE) == LX_O_RDONLY)
		return -EBADF;
	if (__builtin_add_overflow(offset, length, &end))
		return -EFBIG;
	if (f->kind == OS_FILE_MEMORY && mode != KEEP_SIZE)
		return memfd_allocate(c, f, c->a[1], (uint64_t)offset, (uint64_t)length);
	if (f->kind != OS_FILE_REGULAR && f->kind != OS_FILE_MEMORY)
		return file_is_stream(f) ? -ESPIPE : -ENODEV;
	if (mode == KEEP_SIZE)
		return 0; /* room is there: no file system is full before the host's is */
	if (mode)
		return -EOPNOTSUPP;
	int64_t err = host_stat_file(c->os, file_index(c->st, f), &h);
	return err || h.size >= end ? err : host_truncate(c->os, file_index(c->st, f), end);
}

int64_t sys_fadvise64(struct call *c)
{
	const struct os_file *f = fd_file(c->st, (int)c->a[0]);
	enum { NOREUSE = 5 };
	if (!f)
		return -EBADF;
	if (f->kind == OS_FILE_PIPE_READ || f->kind == OS_FILE_PIPE_WRITE)
		return -ESPIPE;
	return (int64_t)c->a[2] < 0 || (uint32_t)c->a[3] > NOREUSE ? -EINVAL : 0;
}

/* Describes the same file system on every host: an ordinary one with room. */
static int64_t put_statfs(struct call *c, uint64_t at)
{
	enum { EXT2 = 0xef53, GIGABYTE_BLOCKS = 1 << 18 };
	struct lx_statfs s = {
		.type = EXT2,
		.bsize = PAGE_BYTES,
		.frsize = PAGE_BYTES,
		.blocks = 64 * GIGABYTE_BLOCKS,
		.bfree = 32 * GIGABYTE_BLOCKS,
		.bavail = 32 * GIGABYTE_BLOCKS,
		.files = 1 << 22,
		.ffree = 1 << 21,
		.namelen = LX_NAME_MAX,
		.flags = c->os->writing ? 0 : 1,
	};
	return mem_write(c->mem, at, &s, sizeof s) ? 0 : -EFAULT;
}

int64_t sys_statfs(struct call *c)
{
	char path[LX_PATH_MAX];
	struct host_stat h;
	int64_t err = path_from_guest(c, LX_AT_FDCWD, c->a[0], path);
	err = err ? err : host_stat_path(c->os, path, true, &h);
	return err ? err : put_statfs(c, c->a[1]);
}

int64_t sys_fstatfs(struct call *c)
{
	return fd_named_file(c->st, (int)c->a[0]) ? put_statfs(c, c->a[1]) : -EBADF;
}

/* Refuses extended attributes: this file system has none. */
int64_t sys_xattr(struct call *c)
{
	(void)c;
	return -EOPNOTSUPP;
}
