/* Questions that change a file's attributes by name: length, mode, times, links. Unless writing is
 * allowed the tree is read-only. The last name is not followed, even if it has become a link since
 * it was found. */
#include <fcntl.h>
#include <unistd.h>

#include "core/os/host.h"
#include "core/os/host_questions.h"
#include "core/os/inode.h"
#include "core/os/tree.h"

/* Asks once; the answer is a number. */
#define ASK(os, kind, key, live) \
	const struct journal_entry *done = log_replay(os, kind, key); \
	return done ? done->ret : answer_number(os, kind, key, live)

/* Locates a path that may be changed, with its stat, and gives the file an inode entry: 0 or
 * -errno; the caller closes at->dir. */
static int locate_to_change(struct os *os, const char *path, bool follow, struct located *at,
                            struct stat *st)
{
	int err = inodes_reserve(os, 1, LX_PATH_MAX) ? path_to_change(os, path, follow, false, at)
	                                             : -ENOMEM;
	if (err)
		return err;
	if (at->device != DEVICE_NONE)
		err = -EPERM;
	else if (fstatat(at->dir, at->last, st, AT_SYMLINK_NOFOLLOW) != 0)
		err = -errno;
	else if (at->slash && !S_ISDIR(st->st_mode))
		err = -ENOTDIR;
	else
		err = may_write(os, at->path);
	if (err)
		close(at->dir);
	else
		inode_named(os, st, at->path);
	return err;
}

static int host_attr_finish_call(int dir, int ret)
{
	int err = ret != 0 ? -errno : 0;
	close(dir);
	return err;
}

static int cut_live(struct os *os, const char *path, int64_t size)
{
	struct located at;
	struct stat st;
	int err = locate_to_change(os, path, true, &at, &st);
	if (err)
		return err == -EPERM ? -EINVAL : err;
	int fd = -1;
	if (!S_ISREG(st.st_mode))
		err = S_ISDIR(st.st_mode) ? -EISDIR : -EINVAL;
	else
		err = owner_may(st.st_mode, W_OK);
	if (!err) {
		fd = open_name(at.dir, at.last, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0);
		err = cut_open(os, fd < 0 ? -errno : fd, size);
	}
	if (fd >= 0)
		close(fd);
	close(at.dir);
	return err;
}

int64_t host_truncate_path(struct os *os, const char *path, int64_t size)
{
	uint32_t key = ask_key(path, &size, sizeof size);
	ASK(os, JOURNAL_TRUNCATE, key, cut_live(os, path, size));
}

/* The host file's mode for a mode that the guest requests. Write permission of others stays if the
 * guest requests it, too, and directories keep the special bits that the host's owner set: the
 * guest can add neither. */
static mode_t mode_on_host(const struct stat *st, uint32_t mode)
{
	enum { OTHERS_WRITE = 022, SPECIAL = 07000 };
	return (mode & HOST_MODE_BITS) | (mode & st->st_mode & OTHERS_WRITE) |
	       (S_ISDIR(st->st_mode) ? st->st_mode & SPECIAL : 0);
}

static int mode_live(struct os *os, const char *path, uint32_t mode)
{
	struct located at;
	struct stat st;
	int err = locate_to_change(os, path, true, &at, &st);
	if (err)
		return err;
	err = host_attr_finish_call(
		at.dir, fchmodat(at.dir, at.last, mode_on_host(&st, mode), AT_SYMLINK_NOFOLLOW));
	if (!err)
		inode_set_mode(os, &st, mode & MODE_BITS);
	return err;
}

int64_t host_chmod_path(struct os *os, const char *path, uint32_t mode)
{
	uint32_t key = ask_key(path, &mode, sizeof mode);
	ASK(os, JOURNAL_ATTRIBUTES, key, mode_live(os, path, mode));
}

static int times_live(struct os *os, const char *path, bool follow, const struct lx_timespec t[2])
{
	struct located at;
	struct stat st;
	const struct timespec ts[2] = {{t[0].sec, t[0].nsec}, {t[1].sec, t[1].nsec}};
	int err = locate_to_change(os, path, follow, &at, &st);
	if (err)
		return err;
	err = host_attr_finish_call(at.dir, utimensat(at.dir, at.last, ts, AT_SYMLINK_NOFOLLOW));
	if (!err)
		inode_set_times(os, &st, t);
	return err;
}

int64_t host_times(struct os *os, const char *path, bool follow, const struct lx_timespec t[2])
{
	uint32_t key = ask_key(path, t, 2 * sizeof *t);
	ASK(os, JOURNAL_ATTRIBUTES, key, times_live(os, path, follow, t));
}

enum { LINK_MODE = 0777 };

static int symlink_live(struct os *os, const char *text, const char *path)
{
	struct located at;
	struct stat st;
	if (!inodes_reserve(os, 2, 2 * LX_PATH_MAX))
		return -ENOMEM;
	int err = path_to_change(os, path, false, true, &at);
	if (err)
		return err;
	const int has = at.device != DEVICE_NONE ? 1 : host_has(at.dir, at.last, &st);
	err = has > 0 ? -EEXIST : has < 0 ? has : at.slash ? -ENOENT : may_write(os, at.path);
	err = err ? err : may_change_entries(at.dir);
	if (!err && symlinkat(text, at.dir, at.last) != 0) {
		err = -errno;
	} else if (!err && fstatat(at.dir, at.last, &st, AT_SYMLINK_NOFOLLOW) != 0) {
		err = -errno;
		unlinkat(at.dir, at.last, 0);
	}
	if (!err) {
		inode_created(os, &st, at.path, LINK_MODE);
		inode_touch_parent(os, &at);
	}
	close(at.dir);
	return err;
}

int64_t host_symlink(struct os *os, const char *text, const char *path)
{
	uint32_t args = ask_key(text, NULL, 0), key = ask_key(path, &args, sizeof args);
	ASK(os, JOURNAL_LINK, key, symlink_live(os, text, path));
}

static int link_live(struct os *os, const char *from, const char *to, bool follow)
{
	struct located a, b;
	struct stat st, there;
	int err = locate_to_change(os, from, follow, &a, &st);
	if (err)
		return err;
	err = inodes_reserve(os, 1, LX_PATH_MAX) ? path_to_change(os, to, false, true, &b)
	                                         : -ENOMEM;
	if (!err) {
		const int has = b.device != DEVICE_NONE ? 1 : host_has(b.dir, b.last, &there);
		err = has > 0                            ? -EEXIST
		      : has < 0                          ? has
		      : b.slash                          ? -ENOENT
		      : !same_folder(os, a.path, b.path) ? -EXDEV
		                                         : may_change_entries(b.dir);
		if (!err && linkat(a.dir, a.last, b.dir, b.last, 0) != 0)
			err = -errno;
		if (!err) {
			inode_linked(os, &st);
			inode_touch_parent(os, &b);
		}
		close(b.dir);
	}
	close(a.dir);
	return err;
}

int64_t host_link(struct os *os, const char *from, const char *to, bool follow)
{
	uint32_t args[] = {ask_key(to, NULL, 0), follow}, key = ask_key(from, args, sizeof args);
	ASK(os, JOURNAL_LINK, key, link_live(os, from, to, follow));
}
