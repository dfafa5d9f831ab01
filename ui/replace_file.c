#include "ui/replace_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
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

/* In the target's own folder: a name can't move from one file system to another. */
static bool open_temporary(struct replacement *r, const char *path, struct err *err)
{
	const char *slash = strrchr(r->target, '/');
	const int folder = slash ? (int)(slash - r->target) + 1 : 0;
	if (asprintf(&r->temporary, "%.*s.cyclops-XXXXXX", folder, r->target) < 0) {
		r->temporary = NULL;
		return err_set(err, "%s: out of memory", path);
	}
	const int fd = mkostemp(r->temporary, O_CLOEXEC);
	if (fd < 0) {
		err_set(err, "%s: %s", path, strerror(errno));
		free(r->temporary);
		r->temporary = NULL;
		return false;
	}
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
	if (r->temporary)
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
		free(r->temporary);
		r->temporary = NULL; /* it is the target now */
	}
	replacement_drop(r);
	return ok || err_set(err, "%s: %s", path, strerror(error));
}
