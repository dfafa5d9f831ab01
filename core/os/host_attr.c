/* Questions that change what a name is or says of itself: length, mode, times, links. Unless writing is allowed the tree
 * is read-only. What is acted on was found a name at a time, and is not followed again if it is a link by now. */
#include <fcntl.h>
#include <unistd.h>

#include "core/os/host.h"

/* Asks once: the answer is a number. */
#define ASK(os, kind, key, live) \
	const struct journal_entry *done = log_replay(os, kind, key); \
	return done ? done->ret : answer_number(os, kind, key, live)

/* The place of a path that may be changed: 0 or -errno; the caller closes at->dir. */
static int locate_to_change(const struct os *os, const char *path, bool follow, struct located *at)
{
	struct stat st;
	int err = path_locate(os->root, path, follow, false, at);
	if (err)
		return err;
	if (at->device != DEVICE_NONE)
		err = -EPERM;
	else if (fstatat(at->dir, at->last, &st, AT_SYMLINK_NOFOLLOW) != 0)
		err = -errno;
	else if (at->slash && !S_ISDIR(st.st_mode))
		err = -ENOTDIR;
	else
		err = may_write(os);
	if (err)
		close(at->dir);
	return err;
}

static int result(int dir, int ret)
{
	int err = ret != 0 ? -errno : 0;
	close(dir);
	return err;
}

static int cut_live(const struct os *os, const char *path, int64_t size)
{
	struct located at;
	struct stat st;
	int err = locate_to_change(os, path, true, &at);
	if (err)
		return err == -EPERM ? -EINVAL : err;
	int fd = -1;
	if (fstatat(at.dir, at.last, &st, AT_SYMLINK_NOFOLLOW) != 0)
		err = -errno;
	else if (!S_ISREG(st.st_mode))
		err = S_ISDIR(st.st_mode) ? -EISDIR : -EINVAL;
	else if ((fd = openat(at.dir, at.last, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)) < 0)
		err = -errno;
	else if (ftruncate(fd, size) != 0)
		err = -errno;
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

enum { MODE_BITS = 01777 }; /* nothing is made to run as somebody else */

static int mode_live(const struct os *os, const char *path, uint32_t mode)
{
	struct located at;
	int err = locate_to_change(os, path, true, &at);
	return err ? err : result(at.dir, fchmodat(at.dir, at.last, mode & MODE_BITS, AT_SYMLINK_NOFOLLOW));
}

int64_t host_chmod_path(struct os *os, const char *path, uint32_t mode)
{
	uint32_t key = ask_key(path, &mode, sizeof mode);
	ASK(os, JOURNAL_ATTRIBUTES, key, mode_live(os, path, mode));
}

static int times_live(const struct os *os, const char *path, bool follow, const struct lx_timespec t[2])
{
	struct located at;
	const struct timespec ts[2] = {{t[0].sec, t[0].nsec}, {t[1].sec, t[1].nsec}};
	int err = locate_to_change(os, path, follow, &at);
	return err ? err : result(at.dir, utimensat(at.dir, at.last, ts, AT_SYMLINK_NOFOLLOW));
}

int64_t host_times(struct os *os, const char *path, bool follow, const struct lx_timespec t[2])
{
	uint32_t key = ask_key(path, t, 2 * sizeof *t);
	ASK(os, JOURNAL_ATTRIBUTES, key, times_live(os, path, follow, t));
}

static int symlink_live(const struct os *os, const char *text, const char *path)
{
	struct located at;
	struct stat st;
	int err = path_locate(os->root, path, false, true, &at);
	if (err)
		return err;
	bool exists = at.device != DEVICE_NONE || fstatat(at.dir, at.last, &st, AT_SYMLINK_NOFOLLOW) == 0;
	err = exists ? -EEXIST : at.slash ? -ENOENT : may_write(os);
	if (!err)
		return result(at.dir, symlinkat(text, at.dir, at.last));
	close(at.dir);
	return err;
}

int64_t host_symlink(struct os *os, const char *text, const char *path)
{
	uint32_t args = ask_key(text, NULL, 0), key = ask_key(path, &args, sizeof args);
	ASK(os, JOURNAL_LINK, key, symlink_live(os, text, path));
}

static int link_live(const struct os *os, const char *from, const char *to, bool follow)
{
	struct located a, b;
	int err = locate_to_change(os, from, follow, &a);
	if (err)
		return err;
	err = path_locate(os->root, to, false, true, &b);
	if (!err) {
		err = b.device != DEVICE_NONE ? -EEXIST : b.slash ? -ENOENT : 0;
		if (!err && linkat(a.dir, a.last, b.dir, b.last, 0) != 0)
			err = -errno;
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
