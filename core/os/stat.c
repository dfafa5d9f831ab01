/* stat() and related calls: one answer in two layouts.
 *
 * Attributes that would differ between hosts, even with equal input of the program, are the
 * machine's own (core/os/inode.h). */
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "core/os/descriptors.h"
#include "core/os/host_questions.h"
#include "core/os/os_priv.h"
#include "core/os/space.h"
#include "core/os/tree.h"

enum { FILE_BLOCK = 4096, TERMINAL_RDEV = 0x8800 };

static uint32_t os_stat_owner_id(const struct host_stat *h)
{
	return h->owner == OWNER_ROOT ? 0 : GUEST_UID;
}

static int32_t os_stat_block_bytes(const struct host_stat *h)
{
	return h->rdev == TERMINAL_RDEV ? 1024 : FILE_BLOCK;
}

static int64_t os_stat_block_count(const struct host_stat *h)
{
	return (h->size + FILE_BLOCK - 1) / FILE_BLOCK * (FILE_BLOCK / 512);
}

static int64_t os_stat_write_guest(struct call *c, uint64_t addr, const struct host_stat *h)
{
	struct lx_stat st = {
		.dev = h->dev,
		.ino = h->ino,
		.mode = h->mode,
		.nlink = h->nlink,
		.uid = os_stat_owner_id(h),
		.gid = os_stat_owner_id(h),
		.rdev = h->rdev,
		.size = h->size,
		.blksize = os_stat_block_bytes(h),
		.blocks = os_stat_block_count(h),
		.atime = h->atime,
		.mtime = h->mtime,
		.ctime = h->ctime,
	};
	return mem_write(c->mem, addr, &st, sizeof st) ? 0 : -EFAULT;
}

static struct lx_statx_time statx_time(struct lx_timespec t)
{
	return (struct lx_statx_time){.sec = t.sec, .nsec = (uint32_t)t.nsec};
}

static int64_t put_statx(struct call *c, uint64_t addr, const struct host_stat *h)
{
	struct lx_statx st = {
		.mask = LX_STATX_BASIC_STATS,
		.blksize = (uint32_t)os_stat_block_bytes(h),
		.nlink = h->nlink,
		.uid = os_stat_owner_id(h),
		.gid = os_stat_owner_id(h),
		.mode = (uint16_t)h->mode,
		.ino = h->ino,
		.size = (uint64_t)h->size,
		.blocks = (uint64_t)os_stat_block_count(h),
		.atime = statx_time(h->atime),
		.ctime = statx_time(h->ctime),
		.mtime = statx_time(h->mtime),
		.rdev_major = major(h->rdev),
		.rdev_minor = minor(h->rdev),
		.dev_major = major(h->dev),
		.dev_minor = minor(h->dev),
	};
	return mem_write(c->mem, addr, &st, sizeof st) ? 0 : -EFAULT;
}

bool path_is_empty(const struct call *c, uint64_t name, uint64_t flags)
{
	uint64_t first;
	return (flags & LX_AT_EMPTY_PATH) && mem_load(c->mem, name, 1, &first) &&
	       (first & 0xff) == 0;
}

int64_t stat_fd(struct call *c, int fd, struct host_stat *h)
{
	if (fd == LX_AT_FDCWD)
		return host_stat_path(c->os, c->st->cwd, true, h);
	const struct os_file *f = fd_named_file(c->st, fd);
	if (!f)
		return -EBADF;
	const bool terminal = file_is_terminal(c->os, f);
	if (terminal || f->kind == OS_FILE_STDOUT || f->kind == OS_FILE_STDERR) {
		*h = (struct host_stat){.dev = STREAM_DEV, .ino = f->kind, .nlink = 1};
		h->mode = terminal ? S_IFCHR | 0620 : S_IFIFO | 0600;
		h->rdev = terminal ? TERMINAL_RDEV : 0;
		h->atime = h->mtime = h->ctime = (struct lx_timespec){.sec = (int64_t)c->os->epoch};
		return 0;
	}
	if (f->kind == OS_FILE_MEMORY) {
		memfd_stat(c->os, f, h);
		return 0;
	}
	if (file_is_stream(f)) {
		stream_stat(c->os, f, h);
		return 0;
	}
	if (file_is_device(f)) {
		device_stat_file(c->os, f, h);
		return 0;
	}
	return host_stat_file(c->os, file_index(c->st, f), h);
}

static int64_t stat_at(struct call *c, int dirfd, uint64_t name, uint64_t flags,
                       struct host_stat *h)
{
	char path[LX_PATH_MAX];
	const bool no_name = !name && (flags & LX_AT_EMPTY_PATH); /* as "" since Linux 6.11 */
	if (no_name || path_is_empty(c, name, flags))
		return stat_fd(c, dirfd, h);
	int64_t err = path_from_guest(c, dirfd, name, path);
	return err ? err : host_stat_path(c->os, path, !(flags & LX_AT_SYMLINK_NOFOLLOW), h);
}

int64_t sys_fstat(struct call *c)
{
	struct host_stat h;
	if (c->a[0] == (uint64_t)LX_AT_FDCWD)
		return -EBADF;
	int64_t err = stat_fd(c, (int)c->a[0], &h);
	return err ? err : os_stat_write_guest(c, c->a[1], &h);
}

int64_t sys_newfstatat(struct call *c)
{
	struct host_stat h;
	if (c->a[3] & ~(uint64_t)(LX_AT_SYMLINK_NOFOLLOW | LX_AT_NO_AUTOMOUNT | LX_AT_EMPTY_PATH))
		return -EINVAL;
	int64_t err = stat_at(c, (int)c->a[0], c->a[1], c->a[3], &h);
	return err ? err : os_stat_write_guest(c, c->a[2], &h);
}

int64_t sys_statx(struct call *c)
{
	struct host_stat h;
	const uint64_t known = LX_AT_SYMLINK_NOFOLLOW | LX_AT_NO_AUTOMOUNT | LX_AT_EMPTY_PATH |
	                       LX_AT_STATX_SYNC_TYPE;
	if ((c->a[2] & ~known) || (c->a[3] & UINT64_C(0x80000000)))
		return -EINVAL;
	int64_t err = stat_at(c, (int)c->a[0], c->a[1], c->a[2], &h);
	return err ? err : put_statx(c, c->a[4], &h);
}
