/* Questions to the host that open a file: whether the guest may open it, and the answer. */
#include <stdio.h>
#include <string.h>

#include "core/os/host.h"
#include "core/os/host_questions.h"
#include "core/os/inode.h"
#include "core/os/tree.h"

/* -errno that a read-only tree gives an openat that Linux would otherwise try; 0: go on. */
static int refuse_to_write(uint32_t flags, bool exists, mode_t mode)
{
	if (exists && (flags & LX_O_CREAT) && (flags & LX_O_EXCL))
		return -EEXIST;
	bool writes = (flags & LX_O_ACCMODE) != LX_O_RDONLY || (flags & LX_O_TRUNC);
	if (exists && writes)
		return S_ISDIR(mode) ? -EISDIR : -EROFS;
	return !exists && (flags & LX_O_CREAT) ? -EROFS : 0;
}

/* Whether the owner may open, or create, the file with these flags. */
static int may_open(const struct located *at, uint32_t flags, bool exists, mode_t mode)
{
	if (!exists)
		return flags & LX_O_CREAT ? may_change_entries(at->dir) : 0;
	if (S_ISLNK(mode))
		return 0;
	const uint32_t access = flags & LX_O_ACCMODE; /* 3 requires both and grants neither */
	const bool writes = access != LX_O_RDONLY || (flags & LX_O_TRUNC);
	if (writes && S_ISDIR(mode))
		return -EISDIR;
	return owner_may(mode, (access != LX_O_WRONLY ? R_OK : 0) | (writes ? W_OK : 0));
}

/* Gives a file just created the owner's permissions that the guest asked for, which our umask may
 * have removed; others get what the umask leaves. 0 or -errno. */
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

/* *exists_before: the file existed before the call. */
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
	int fd = open_name(at->dir, at->last, host, (mode_t)mode & HOST_MODE_BITS);
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
		unlinkat(at.dir, at.last, 0); /* the repeated call will create it */
	close(at.dir);
	if (fd < 0)
		return fd;
	out->kind = S_ISDIR(st.st_mode) ? OS_FILE_DIR : OS_FILE_REGULAR;
	strcpy(out->path, at.path);
	host_adopt(os, file, fd);
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
