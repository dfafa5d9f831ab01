#include "core/base/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/hash.h"
#include "core/base/output_folder.h"
#include "core/host/descriptor_path.h"
#include "core/host/file_mask.h"
#include "core/host/folder.h"
#include "core/host/random_bytes.h"

/* ---- targets that are not regular files ---- */

/* True if links in this folder are the kernel's: /dev/stdout, /dev/fd/63. */
static bool kernel_links(int folder)
{
	struct stat here, dev;
	const int fd = open("/dev", O_PATH | O_DIRECTORY | O_CLOEXEC);
	const bool is = fd >= 0 && fstat(fd, &dev) == 0 && fstat(folder, &here) == 0 &&
	                here.st_dev == dev.st_dev && here.st_ino == dev.st_ino;
	if (fd >= 0)
		close(fd);
	return is || folder_is_of_processes(folder) > 0;
}

/* Opens a target found not to be a regular file; -1 with errno. Checks again, since another process
 * may have put a file there. */
static int open_special(int folder, const char *name, const struct stat *was)
{
	struct stat st;
	const int fd = openat(folder, name, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW);
	if (fd >= 0 && fstat(fd, &st) == 0 && !S_ISREG(st.st_mode) && st.st_dev == was->st_dev &&
	    st.st_ino == was->st_ino)
		return fd;
	if (fd >= 0) {
		close(fd);
		errno = ESTALE;
	}
	return -1;
}

/* Opens the target of a kernel link. Duplicates our own stdout or stderr, to share its position. */
static int open_kernel_link(int folder, const char *name)
{
	struct stat st, own;
	const bool known = fstatat(folder, name, &st, 0) == 0;
	for (int i = STDOUT_FILENO; known && i <= STDERR_FILENO; i++)
		if (fstat(i, &own) == 0 && own.st_dev == st.st_dev && own.st_ino == st.st_ino)
			return fcntl(i, F_DUPFD_CLOEXEC, 0);
	return openat(folder, name, O_WRONLY | O_CLOEXEC | O_NOCTTY);
}

/* Opens a target that is not a regular file, to write to it directly. */
static bool open_through(struct output_file *o, const struct stat *was, const char *path,
                         struct err *err)
{
	const int fd = S_ISLNK(was->st_mode) ? open_kernel_link(o->folder, o->name)
	                                     : open_special(o->folder, o->name, was);
	o->f = fd >= 0 ? alloc_file_of(fd, "wb") : NULL;
	if (!o->f) {
		err_format(err, "%s: %s", path, fd < 0 ? strerror(errno) : "out of memory");
		if (fd >= 0)
			close(fd);
		return false;
	}
	close(o->folder);
	o->folder = -1;
	return true;
}

/* ---- the new file ---- */

/* Removes the new file of a killed process: a regular file of ours without a lock. Holds its lock
 * until it is removed: no other process can then remove it, and reuse its name, before us. */
static void remove_left_over(int folder, const char *name)
{
	struct stat st, named;
	const int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
	    flock(fd, LOCK_EX | LOCK_NB) == 0 &&
	    fstatat(folder, name, &named, AT_SYMLINK_NOFOLLOW) == 0 && named.st_dev == st.st_dev &&
	    named.st_ino == st.st_ino)
		unlinkat(folder, name, 0);
	close(fd);
}

/* Chooses the next temporary name: first one derived from the target's, which a later process finds
 * if we are killed, then random ones. */
static bool output_choose_temporary_name(struct output_file *o, unsigned turn)
{
	uint64_t number = hash_text(o->name);
	if (turn && !random_bytes(&number, sizeof number))
		return false;
	snprintf(o->temporary, sizeof o->temporary, ".cyclops-%016" PRIx64, number);
	if (!turn)
		remove_left_over(o->folder, o->temporary);
	return true;
}

enum { TURNS = 16 };

/* Gives the new file a temporary name that no other file has. False with errno. */
static bool output_link_temporary(struct output_file *o)
{
	char path[DESCRIPTOR_PATH_BYTES];
	descriptor_path(fileno(o->f), path);
	errno = EEXIST;
	for (unsigned turn = 0; !o->named && errno == EEXIST && turn < TURNS; turn++)
		o->named = output_choose_temporary_name(o, turn) &&
		           linkat(AT_FDCWD, path, o->folder, o->temporary, AT_SYMLINK_FOLLOW) == 0;
	return o->named;
}

/* Locks a new file: one without a lock counts as left over. False: another process removed it as
 * such before we locked it. */
static bool lock_new(int fd)
{
	struct stat st;
	(void)!flock(fd, LOCK_EX);
	return fstat(fd, &st) != 0 || st.st_nlink > 0;
}

static int open_new(struct output_file *o)
{
	char path[DESCRIPTOR_PATH_BYTES];
	int fd = openat(o->folder, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
	/* no /proc: the file could not be given a name later */
	if (fd >= 0 && access(descriptor_path(fd, path), F_OK) != 0) {
		close(fd);
		fd = -1;
	}
	if (fd < 0)
		errno = EEXIST;
	for (unsigned turn = 0;
	     fd < 0 && errno == EEXIST && turn < TURNS && output_choose_temporary_name(o, turn);
	     turn++) {
		fd = openat(o->folder, o->temporary,
		            O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
		if (fd >= 0 && !lock_new(fd)) {
			close(fd);
			fd = -1;
			errno = EEXIST;
		}
		o->named = fd >= 0;
	}
	if (fd >= 0 && !o->named)
		lock_new(fd);
	return fd;
}

static bool open_regular(struct output_file *o, const char *path, struct err *err)
{
	const int fd = open_new(o);
	o->f = fd >= 0 ? alloc_file_of(fd, "wb") : NULL;
	if (o->f)
		return true;
	err_format(err, "%s: %s", path, fd < 0 ? strerror(errno) : "out of memory");
	if (fd >= 0)
		close(fd);
	return false;
}

static bool output_resolve_target(struct output_file *o, const char *path, enum output_kind kind,
                                  struct err *err)
{
	struct stat st;
	o->folder = output_open_folder(path, err);
	if (o->folder < 0)
		return false;
	o->name = alloc_text(path + output_folder_length(path));
	if (!o->name)
		return err_set(err, "%s: out of memory", path);
	if (!*o->name)
		return err_set(err, "%s: %s", *path ? path : "''",
		               strerror(*path ? EISDIR : ENOENT));
	o->mode = file_mask_default_mode();
	if (fstatat(o->folder, o->name, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return errno == ENOENT ? open_regular(o, path, err)
		                       : err_set(err, "%s: %s", path, strerror(errno));
	if (S_ISLNK(st.st_mode) && kind == OUTPUT_FILE_ANY && kernel_links(o->folder))
		return open_through(o, &st, path, err);
	if (S_ISLNK(st.st_mode))
		return open_regular(o, path, err);
	if (S_ISDIR(st.st_mode))
		return err_set(err, "%s: %s", path, strerror(EISDIR));
	if (!S_ISREG(st.st_mode))
		return kind == OUTPUT_FILE_ANY
		               ? open_through(o, &st, path, err)
		               : err_set(err, "%s is no regular file: only one may be replaced",
		                         path);
	o->mode = st.st_mode & 0777;
	if (faccessat(o->folder, o->name, W_OK, AT_EACCESS) != 0)
		return err_set(err, "%s: %s", path, strerror(errno));
	return open_regular(o, path, err);
}

bool output_begin(struct output_file *o, const char *path, enum output_kind kind, struct err *err)
{
	*o = (struct output_file){.folder = -1};
	if (output_resolve_target(o, path, kind, err))
		return true;
	output_drop(o);
	return false;
}

void output_make_executable(struct output_file *o)
{
	o->mode |= (o->mode & 0444) >> 2;
}

void output_drop(struct output_file *o)
{
	if (o->f)
		fclose(o->f);
	if (o->named)
		unlinkat(o->folder, o->temporary, 0);
	if (o->folder >= 0)
		close(o->folder);
	free(o->name);
	*o = (struct output_file){.folder = -1};
}

/* Sets permissions. On a file system without them (FAT, some network ones) that is no failure.
 * False with errno. */
static bool take_mode(int fd, mode_t mode)
{
	return fchmod(fd, mode) == 0 || errno == EPERM || errno == EOPNOTSUPP || errno == ENOSYS;
}

/* Writes everything to the disk and gives the file the target's name. False with errno. */
static bool output_commit_to_target(struct output_file *o)
{
	char path[DESCRIPTOR_PATH_BYTES];
	const int fd = fileno(o->f);
	if (fflush(o->f) != 0)
		return false;
	if (ferror(o->f)) { /* errno is lost: a further write yields it again */
		errno = write(fd, "", 1) < 0 ? errno : EIO;
		return false;
	}
	if (o->folder < 0)
		return true;
	if (!take_mode(fd, o->mode) || fsync(fd) != 0)
		return false;
	/* A free name is taken at once, without a temporary one. */
	if (!o->named &&
	    linkat(AT_FDCWD, descriptor_path(fd, path), o->folder, o->name, AT_SYMLINK_FOLLOW) == 0)
		return true;
	if ((!o->named && !output_link_temporary(o)) ||
	    renameat(o->folder, o->temporary, o->folder, o->name) != 0)
		return false;
	o->named = false; /* it is the target now */
	return true;
}

/* Makes the new name survive a power cut. A failure is ignored, since the file has its name. */
static void sync_folder(const struct output_file *o)
{
	const int fd =
		o->folder >= 0 ? openat(o->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	if (fd < 0)
		return;
	(void)!fsync(fd);
	close(fd);
}

bool output_end(struct output_file *o, const char *path, struct err *err)
{
	const bool ok = output_commit_to_target(o);
	const int why = errno;
	if (ok)
		sync_folder(o);
	output_drop(o);
	return ok || err_set(err, "%s: %s", path, strerror(why));
}

bool output_write(const char *path, const void *bytes, size_t n, enum output_kind kind,
                  struct err *err)
{
	struct output_file o;
	if (!output_begin(&o, path, kind, err))
		return false;
	fwrite(bytes, 1, n, o.f);
	return output_end(&o, path, err);
}

bool output_remove(const char *path)
{
	struct err unused;
	const int folder = output_open_folder(path, &unused);
	const bool ok = folder >= 0 && unlinkat(folder, path + output_folder_length(path), 0) == 0;
	const int why = errno;
	if (folder >= 0)
		close(folder);
	errno = why;
	return ok;
}

/* Creates a file that replaces an existing file or link, while other sessions may do the same. -1
 * with errno. */
static int output_create_in_place(int folder, const char *name)
{
	enum { MOST = 1000 };
	for (unsigned turn = 0;; turn++) {
		if (unlinkat(folder, name, 0) != 0 && errno != ENOENT)
			return -1;
		const int fd = openat(folder, name,
		                      O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
		if (fd >= 0 || errno != EEXIST || turn == MOST)
			return fd;
	}
}

int output_create(const char *path)
{
	struct err unused;
	struct stat st;
	const int folder = output_open_folder(path, &unused);
	const char *name = path + output_folder_length(path);
	int fd = -1;
	if (folder < 0)
		return -1;
	if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISREG(st.st_mode) &&
	    !S_ISLNK(st.st_mode))
		fd = open_special(folder, name, &st);
	else
		fd = output_create_in_place(folder, name);
	const int why = errno;
	close(folder);
	errno = why;
	return fd;
}

bool output_ends_in(const char *path, const char *end)
{
	const size_t len = strlen(path), n = strlen(end);
	return len > n && !strcmp(path + len - n, end);
}
