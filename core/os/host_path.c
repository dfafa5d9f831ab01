/* Questions about names in the tree, and checks of answers read back. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/host/folder.h"
#include "core/os/host.h"
#include "core/os/host_questions.h"
#include "core/os/inode.h"
#include "core/os/tree.h"

int64_t host_stat_path(struct os *os, const char *path, bool follow, struct host_stat *out)
{
	uint32_t key = ask_key(path, &follow, sizeof follow);
	const struct journal_entry *done = log_replay(os, JOURNAL_STAT, key);
	if (!done) {
		struct journal_entry *e = log_open(os, JOURNAL_STAT, key, sizeof *out);
		if (!e)
			return -ENOMEM;
		struct located at;
		struct stat st;
		e->ret = inodes_reserve(os, 1, LX_PATH_MAX) ? path_to_read(os, path, follow, &at)
		                                            : -ENOMEM;
		if (e->ret == 0) {
			if (at.device != DEVICE_NONE) {
				struct host_stat *h = log_payload(e);
				e->ret = device_access(at.device, at.slash, F_OK);
				device_stat(os, at.device, h);
			} else if (fstatat(at.dir, at.last, &st, AT_SYMLINK_NOFOLLOW) != 0)
				e->ret = -errno;
			else if (at.slash && !S_ISDIR(st.st_mode))
				e->ret = -ENOTDIR;
			else
				inode_fill(os, &st, at.path, log_payload(e));
			close(at.dir);
		}
		if (e->ret == -ENOENT)
			outside_note(os, path, false);
		e->n = e->ret == 0 ? sizeof *out : 0;
		log_close(os, e);
		done = e;
	}
	return told(os, done, out);
}

/* A name followed by a slash must be a directory, and a link to one is not. */
static int must_be_directory(const struct located *at)
{
	struct stat st;
	if (at->device != DEVICE_NONE)
		return at->device == DEVICE_DIR ? 0 : -ENOTDIR;
	if (fstatat(at->dir, at->last, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return -errno;
	return S_ISDIR(st.st_mode) ? 0 : -ENOTDIR;
}

int64_t host_readlink(struct os *os, const char *path, const char **text, size_t *n)
{
	uint32_t key = ask_key(path, NULL, 0);
	const struct journal_entry *done = log_replay(os, JOURNAL_READLINK, key);
	if (!done) {
		struct journal_entry *e = log_open(os, JOURNAL_READLINK, key, LX_PATH_MAX);
		if (!e)
			return -ENOMEM;
		struct located at;
		const char *own = path_own_link(os, path);
		e->ret = own ? 0 : path_to_read(os, path, false, &at);
		if (own) {
			e->n = strlen(own);
			memcpy(log_payload(e), own, e->n);
		} else if (e->ret == 0) {
			bool ours = at.device != DEVICE_NONE;
			ssize_t got =
				ours ? -1
				     : readlinkat(at.dir, at.last, log_payload(e), LX_PATH_MAX);
			e->ret = ours ? -EINVAL : got < 0 ? -errno : 0;
			if (e->ret == -EINVAL && at.slash)
				e->ret = must_be_directory(&at) ? -ENOTDIR : -EINVAL;
			e->n = got < 0 ? 0 : (uint64_t)got;
			close(at.dir);
		}
		log_close(os, e);
		done = e;
	}
	*text = journal_payload(done);
	*n = (size_t)done->n;
	return done->ret;
}

static int access_live(const struct os *os, const char *path, int mode, bool follow)
{
	struct located at;
	struct stat st;
	int err = path_to_read(os, path, follow, &at);
	if (err)
		return err;
	if (at.device != DEVICE_NONE)
		err = device_access(at.device, at.slash, mode);
	else if (fstatat(at.dir, at.last, &st, AT_SYMLINK_NOFOLLOW) != 0)
		err = -errno;
	else if (at.slash && !S_ISDIR(st.st_mode))
		err = -ENOTDIR;
	else if ((mode & W_OK) && may_write(os, at.path))
		err = -EROFS;
	else if (!S_ISLNK(st.st_mode) && owner_may(st.st_mode, mode))
		err = -EACCES;
	else if (!S_ISLNK(st.st_mode) &&
	         faccessat(at.dir, at.last, mode & (R_OK | W_OK), AT_EACCESS) != 0)
		err = -errno; /* the file's owner is another user of the host */
	close(at.dir);
	return err;
}

int64_t answer_number(struct os *os, enum journal_kind op, uint32_t key, int64_t ret)
{
	struct journal_entry *e = log_open(os, op, key, 0);
	if (!e)
		return -ENOMEM;
	e->ret = ret;
	log_close(os, e);
	return ret;
}

int64_t host_access(struct os *os, const char *path, int mode, bool follow)
{
	const int args[] = {mode, follow};
	uint32_t key = ask_key(path, args, sizeof args);
	const struct journal_entry *done = log_replay(os, JOURNAL_ACCESS, key);
	if (done)
		return done->ret;
	const int err = access_live(os, path, mode, follow);
	if (err == -ENOENT)
		outside_note(os, path, false);
	return answer_number(os, JOURNAL_ACCESS, key, err);
}

/* Whether a shared folder lies at or below the path, whose name must then stay. */
static bool has_folder(const struct os *os, const char *path)
{
	const struct tree own = own_tree(os);
	return folder_at(&own, path) || folder_below(&own, path);
}

bool same_folder(const struct os *os, const char *a, const char *b)
{
	const struct tree own = own_tree(os);
	return folder_of(&own, a) == folder_of(&own, b);
}

static int remove_live(struct os *os, const char *path, bool directory)
{
	struct located at;
	struct stat st;
	if (!inodes_reserve(os, 2, LX_PATH_MAX))
		return -ENOMEM;
	int err = path_to_change(os, path, false, true, &at);
	if (err)
		return err;
	if (at.device != DEVICE_NONE) {
		err = -EACCES;
	} else if (has_folder(os, at.path)) {
		err = -EBUSY;
	} else if (may_write(os, at.path)) {
		err = may_write(os, at.path);
	} else {
		if (at.slash && !directory) {
			err = must_be_directory(&at);
			err = err ? err : -EISDIR;
		}
		err = err ? err
		      : fstatat(at.dir, at.last, &st, AT_SYMLINK_NOFOLLOW) != 0
		              ? -errno
		              : may_change_entries(at.dir);
		if (!err && unlinkat(at.dir, at.last, directory ? AT_REMOVEDIR : 0) != 0)
			err = -errno;
		if (!err) {
			inode_unlinked(os, &st, at.path);
			inode_touch_parent(os, &at);
		}
	}
	close(at.dir);
	return err;
}

int64_t host_remove(struct os *os, const char *path, bool directory)
{
	uint32_t key = ask_key(path, &directory, sizeof directory);
	const struct journal_entry *done = log_replay(os, JOURNAL_REMOVE, key);
	return done ? done->ret
	            : answer_number(os, JOURNAL_REMOVE, key, remove_live(os, path, directory));
}

/* Makes a directory with the permissions that the guest asked for (as make_as_asked()), or none. */
static int make_directory(struct os *os, const struct located *at, uint32_t mode)
{
	struct stat st;
	if (mkdirat(at->dir, at->last, (mode_t)mode & HOST_MODE_BITS) != 0)
		return -errno;
	int err = fstatat(at->dir, at->last, &st, AT_SYMLINK_NOFOLLOW) != 0 ? -errno : 0;
	const mode_t lost = err ? 0 : (mode & ~st.st_mode) & S_IRWXU;
	if (lost &&
	    fchmodat(at->dir, at->last, (st.st_mode & 07777) | lost, AT_SYMLINK_NOFOLLOW) != 0)
		err = -errno;
	if (err) {
		unlinkat(at->dir, at->last, AT_REMOVEDIR);
		return err;
	}
	inode_created(os, &st, at->path, mode);
	inode_touch_parent(os, at);
	return 0;
}

static int mkdir_live(struct os *os, const char *path, uint32_t mode)
{
	struct located at;
	struct stat st;
	if (!inodes_reserve(os, 2, 2 * LX_PATH_MAX))
		return -ENOMEM;
	int err = path_to_change(os, path, false, true, &at);
	if (err)
		return err;
	const int has = at.device != DEVICE_NONE ? 1 : host_has(at.dir, at.last, &st);
	err = has > 0 ? -EEXIST : has < 0 ? has : may_write(os, at.path);
	err = err ? err : may_change_entries(at.dir);
	err = err ? err : make_directory(os, &at, mode & MODE_BITS);
	close(at.dir);
	return err;
}

int64_t host_mkdir(struct os *os, const char *path, uint32_t mode)
{
	uint32_t key = ask_key(path, &mode, sizeof mode);
	const struct journal_entry *done = log_replay(os, JOURNAL_MKDIR, key);
	return done ? done->ret : answer_number(os, JOURNAL_MKDIR, key, mkdir_live(os, path, mode));
}

/* Linux's checks before permissions: whether a file may, or must, be at the new name (replaced:
 * its attributes, or NULL), and that names with a slash at their ends are directories'. */
static int rename_check_slashes(const struct located *from, const struct located *to,
                                bool directory, const struct stat *replaced, uint32_t flags)
{
	const bool exchanges = flags & LX_RENAME_EXCHANGE;
	if ((flags & LX_RENAME_NOREPLACE) && replaced)
		return -EEXIST;
	if (exchanges && !replaced)
		return -ENOENT;
	if (exchanges && to->slash && !S_ISDIR(replaced->st_mode))
		return -ENOTDIR;
	return !directory && (from->slash || (to->slash && !exchanges)) ? -ENOTDIR : 0;
}

static int rename_located(struct os *os, const struct located *from, const struct located *to,
                          uint32_t flags)
{
	struct stat st, to_st;
	if (from->device != DEVICE_NONE || to->device != DEVICE_NONE)
		return -EACCES;
	if (has_folder(os, from->path) || has_folder(os, to->path))
		return -EBUSY;
	int err = !same_folder(os, from->path, to->path) ? -EXDEV : may_write(os, from->path);
	if (!err && fstatat(from->dir, from->last, &st, AT_SYMLINK_NOFOLLOW) != 0)
		err = -errno;
	const int replaces = err ? err : host_has(to->dir, to->last, &to_st);
	if (replaces < 0)
		return replaces;
	err = rename_check_slashes(from, to, S_ISDIR(st.st_mode), replaces ? &to_st : NULL, flags);
	err = err ? err : may_change_entries(from->dir);
	err = err ? err : may_change_entries(to->dir);
	if (err)
		return err;
	if (!inodes_reserve(os, 4, 6 * LX_PATH_MAX))
		return -ENOMEM;
	if (folder_rename(from->dir, from->last, to->dir, to->last, flags) != 0)
		return -errno;
	inode_renamed(os, &st, from->path, replaces ? &to_st : NULL, to->path,
	              flags & LX_RENAME_EXCHANGE);
	inode_touch_parent(os, from);
	inode_touch_parent(os, to);
	return 0;
}

int64_t host_rename(struct os *os, char *from, char *to, uint32_t flags)
{
	uint32_t args[] = {flags, ask_key(to, NULL, 0)};
	uint32_t key = ask_key(from, args, sizeof args);
	const struct journal_entry *done = log_replay(os, JOURNAL_RENAME, key);
	if (!done) {
		struct journal_entry *e = log_open(os, JOURNAL_RENAME, key, 2 * LX_PATH_MAX);
		if (!e)
			return -ENOMEM;
		struct located a = {.dir = -1}, b = {.dir = -1};
		e->ret = path_to_change(os, from, false, true, &a);
		if (e->ret == 0)
			e->ret = path_to_change(os, to, false, true, &b);
		if (e->ret == 0)
			e->ret = rename_located(os, &a, &b, flags);
		if (e->ret == 0) {
			char *p = log_payload(e);
			memcpy(p, a.path, sizeof a.path);
			memcpy(p + LX_PATH_MAX, b.path, sizeof b.path);
			e->n = 2 * LX_PATH_MAX;
		}
		if (a.dir >= 0)
			close(a.dir);
		if (b.dir >= 0)
			close(b.dir);
		log_close(os, e);
		done = e;
	}
	if (done->ret == 0) {
		const char *p = journal_payload(done);
		memcpy(from, p, LX_PATH_MAX);
		memcpy(to, p + LX_PATH_MAX, LX_PATH_MAX);
	}
	return done->ret;
}

static int chdir_live(const struct os *os, const char *path, char *canonical)
{
	struct located at;
	int err = path_to_change(os, path, true, false, &at);
	if (err)
		return err;
	struct stat st;
	err = must_be_directory(&at);
	if (!err && at.device == DEVICE_NONE)
		err = fstatat(at.dir, at.last, &st, AT_SYMLINK_NOFOLLOW) != 0
		              ? -errno
		              : owner_may(st.st_mode, X_OK);
	if (!err && at.device == DEVICE_NONE && faccessat(at.dir, at.last, X_OK, AT_EACCESS) != 0)
		err = -errno;
	if (!err && strlen(at.path) >= OS_PATH)
		err = -ENAMETOOLONG;
	if (!err)
		strcpy(canonical, at.path);
	close(at.dir);
	return err;
}

int64_t host_chdir(struct os *os, const char *path, char *canonical)
{
	uint32_t key = ask_key(path, NULL, 0);
	const struct journal_entry *done = log_replay(os, JOURNAL_CHDIR, key);
	if (!done) {
		struct journal_entry *e = log_open(os, JOURNAL_CHDIR, key, OS_PATH);
		if (!e)
			return -ENOMEM;
		memset(log_payload(e), 0, OS_PATH);
		e->ret = chdir_live(os, path, log_payload(e));
		if (e->ret == -ENOENT)
			outside_note(os, path, false);
		e->n = e->ret == 0 ? OS_PATH : 0;
		log_close(os, e);
		done = e;
	}
	if (done->ret == 0)
		memcpy(canonical, journal_payload(done), OS_PATH);
	return done->ret;
}

/* ---- answers read back from a file ---- */

static bool string_ok(const char *s, size_t n)
{
	return memchr(s, '\0', n) != NULL;
}

static bool listing_ok(const uint8_t *p, uint64_t n)
{
	int64_t off = 0;
	for (uint64_t pos = 0; pos < n;) {
		struct lx_dirent d;
		if (n - pos <= sizeof d)
			return false;
		memcpy(&d, p + pos, sizeof d);
		if (d.reclen <= sizeof d || d.reclen % 8 || d.reclen > n - pos || d.off <= off ||
		    d.ino > RANGE_TIME || p[pos + d.reclen - 1])
			return false;
		pos += d.reclen;
		off = d.off;
	}
	return true;
}

static bool opened_device(const struct host_opened *o)
{
	const struct os_file f = {.kind = o->kind};
	return file_is_device(&f) &&
	       strncmp(o->path, DEVICE_FOLDER "/", sizeof DEVICE_FOLDER) == 0 &&
	       device_named(DEVICE_FOLDER, o->path + sizeof DEVICE_FOLDER) != DEVICE_NONE;
}

bool os_answer_ok(const struct journal_entry *e, const void *payload)
{
	const struct host_opened *opened = payload;
	const char *text = payload;
	if (e->ret < -4095)
		return false;
	if (e->ret < 0)
		return e->n == 0 && journal_kind_text(e->kind) && !journal_is_change(e->kind);
	switch (e->kind) {
	case JOURNAL_READ:
	case JOURNAL_STDIN:
		return e->n == (uint64_t)e->ret;
	case JOURNAL_WRITE:
		return e->n == sizeof(int64_t);
	case JOURNAL_LIST:
		return e->n == (uint64_t)e->ret && listing_ok(payload, e->n);
	case JOURNAL_OPEN:
		return e->ret == 0 && e->n == sizeof *opened &&
		       string_ok(opened->path, sizeof opened->path) &&
		       (opened->kind == OS_FILE_REGULAR || opened->kind == OS_FILE_DIR ||
		        opened_device(opened));
	case JOURNAL_STAT:
		return e->ret == 0 && e->n == sizeof(struct host_stat) &&
		       ((const struct host_stat *)payload)->ino <= RANGE_TIME;
	case JOURNAL_READLINK:
		return e->ret == 0;
	case JOURNAL_RENAME:
		return e->ret == 0 && e->n == 2 * LX_PATH_MAX && string_ok(text, LX_PATH_MAX) &&
		       string_ok(text + LX_PATH_MAX, LX_PATH_MAX);
	case JOURNAL_CHDIR:
		return e->ret == 0 && e->n == OS_PATH && string_ok(text, OS_PATH);
	case JOURNAL_ACCESS:
	case JOURNAL_REMOVE:
	case JOURNAL_MKDIR:
	case JOURNAL_TRUNCATE:
	case JOURNAL_ATTRIBUTES:
	case JOURNAL_LINK:
		return e->ret == 0 && e->n == 0;
	default:
		return false;
	}
}
