#include "ui/replace_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

/* What a new file may be to others. */
static mode_t default_mode(void)
{
	const mode_t mask = umask(0);
	umask(mask);
	return 0666 & ~mask;
}

/* Finds what the name leads to, and whether that may be replaced. */
static bool find_target(struct replacement *r, const char *path, struct err *err)
{
	struct stat st;
	if (stat(path, &st) != 0) {
		if (errno != ENOENT)
			return err_set(err, "%s: %s", path, strerror(errno));
		if (lstat(path, &st) == 0)
			return err_set(err, "%s: a symbolic link that leads nowhere", path);
		r->mode = default_mode();
		r->target = strdup(path);
		return r->target || err_set(err, "%s: out of memory", path);
	}
	if (!S_ISREG(st.st_mode))
		return err_set(err, "%s is no regular file: only one may be replaced", path);
	if (euidaccess(path, W_OK) != 0)
		return err_set(err, "%s: %s", path, strerror(errno));
	r->mode = st.st_mode & 0777;
	r->target = realpath(path, NULL);
	return r->target || err_set(err, "%s: %s", path, strerror(errno));
}

enum { RANDOM_LETTERS = 6, PROC_PATH = 64 };

/* Where a descriptor stands under a name. */
static const char *proc_path(int fd, char *path)
{
	snprintf(path, PROC_PATH, "/proc/self/fd/%d", fd);
	return path;
}

/* A file without a name that can be given one; -1: there are none here. */
static int open_unnamed(const char *folder)
{
	char path[PROC_PATH];
	const int fd = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
	if (fd < 0 || access(proc_path(fd, path), F_OK) == 0)
		return fd;
	close(fd);
	return -1;
}

/* The temporary name for what has none. False with errno. */
static bool name_it(struct replacement *r)
{
	static const char letters[64] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
	char *random = r->temporary + strlen(r->temporary) - RANDOM_LETTERS, path[PROC_PATH];
	uint8_t bytes[RANDOM_LETTERS];
	proc_path(fileno(r->f), path);
	do {
		if (getrandom(bytes, sizeof bytes, 0) != RANDOM_LETTERS)
			return false;
		for (unsigned i = 0; i < RANDOM_LETTERS; i++)
			random[i] = letters[bytes[i] & 63];
		r->named = linkat(AT_FDCWD, path, AT_FDCWD, r->temporary, AT_SYMLINK_FOLLOW) == 0;
	} while (!r->named && errno == EEXIST);
	return r->named;
}

/* In the target's own folder: a name can't move from one file system to another. */
static bool open_temporary(struct replacement *r, const char *path, struct err *err)
{
	const char *slash = strrchr(r->target, '/');
	const int folder = slash ? (int)(slash - r->target) + 1 : 0;
	if (asprintf(&r->temporary, "%.*s.cyclops-XXXXXX", folder, r->target) < 0) {
		r->temporary = NULL;
		return err_set(err, "%s: out of memory", path);
	}
	char *name = r->temporary + folder, first = *name;
	*name = '\0';
	int fd = open_unnamed(folder ? r->temporary : ".");
	*name = first;
	if (fd < 0) {
		fd = mkostemp(r->temporary, O_CLOEXEC);
		r->named = fd >= 0;
	}
	if (fd < 0)
		return err_set(err, "%s: %s", path, strerror(errno));
	r->f = fdopen(fd, "wb");
	if (r->f)
		return true;
	close(fd);
	return err_set(err, "%s: out of memory", path);
}

bool replacement_begin(struct replacement *r, const char *path, struct err *err)
{
	*r = (struct replacement){0};
	if (find_target(r, path, err) && open_temporary(r, path, err))
		return true;
	replacement_drop(r);
	return false;
}

void replacement_drop(struct replacement *r)
{
	if (r->f)
		fclose(r->f);
	if (r->temporary && r->named)
		unlink(r->temporary);
	free(r->target);
	free(r->temporary);
	*r = (struct replacement){0};
}

/* That the name is the new file's survives a power cut, too. It has the name already, so that nothing can fail here. */
static void sync_folder(const char *target)
{
	const char *slash = strrchr(target, '/');
	char *folder = slash ? strndup(target, (size_t)(slash - target) + 1) : NULL;
	const int fd = open(folder ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0) {
		(void)!fsync(fd);
		close(fd);
	}
	free(folder);
}

bool replacement_end(struct replacement *r, const char *path, struct err *err)
{
	FILE *f = r->f;
	bool ok = !ferror(f) && fflush(f) == 0 && fchmod(fileno(f), r->mode) == 0 && fsync(fileno(f)) == 0;
	ok = ok && (r->named || name_it(r));
	int error = errno;
	r->f = NULL;
	if (fclose(f) != 0 && ok) {
		ok = false;
		error = errno;
	}
	if (ok && rename(r->temporary, r->target) != 0) {
		ok = false;
		error = errno;
	}
	if (ok) {
		sync_folder(r->target);
		r->named = false; /* it is the target now */
	}
	replacement_drop(r);
	return ok || err_set(err, "%s: %s", path, strerror(error));
}
