#include "core/base/output_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/host/descriptor_path.h"

enum { LINKS_MAX = 40 };

struct kept {
	char *text; /* as written in a path, "" for the current folder */
	int fd;
	int inherited; /* a duplicate that programs we start inherit, -1: none yet */
};

struct identity {
	dev_t dev;
	ino_t ino;
};

static struct kept *kept;
static size_t kept_count;
static struct identity *writable;
static size_t writable_count;
static bool all_writable; /* no memory for `writable`: treat every folder as writable */

size_t output_folder_length(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? (size_t)(slash - path) + 1 : 0;
}

static struct kept *find_kept(const char *path)
{
	const size_t n = output_folder_length(path);
	for (size_t i = 0; i < kept_count; i++)
		if (strlen(kept[i].text) == n && !memcmp(kept[i].text, path, n))
			return &kept[i];
	return NULL;
}

void output_keep_folder(const char *path)
{
	if (find_kept(path))
		return;
	char *text = alloc_text_n(path, output_folder_length(path));
	struct kept *more = text ? alloc_resize(kept, (kept_count + 1) * sizeof *kept) : NULL;
	if (!more) {
		free(text);
		return;
	}
	kept = more;
	const int fd = open(*text ? text : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0)
		kept[kept_count++] = (struct kept){text, fd, -1};
	else
		free(text);
}

static bool output_folder_read_identity(int fd, struct identity *id)
{
	struct stat st;
	if (fstat(fd, &st) != 0)
		return false;
	*id = (struct identity){st.st_dev, st.st_ino};
	return true;
}

static bool output_folder_identity_equals(struct identity a, struct identity b)
{
	return a.dev == b.dev && a.ino == b.ino;
}

void output_guest_folder(int folder)
{
	struct identity id;
	if (!output_folder_read_identity(folder, &id))
		return;
	for (size_t i = 0; i < writable_count; i++)
		if (output_folder_identity_equals(writable[i], id))
			return;
	struct identity *more = alloc_resize(writable, (writable_count + 1) * sizeof *writable);
	all_writable |= !more;
	if (!more)
		return;
	writable = more;
	writable[writable_count++] = id;
}

/* True if a guest may have made entries in this folder. Closes fd. */
static bool guest_writes(int fd)
{
	struct identity here, above;
	bool is = all_writable || !output_folder_read_identity(fd, &here);
	for (bool top = false; !is && !top;) {
		for (size_t i = 0; i < writable_count; i++)
			is |= output_folder_identity_equals(writable[i], here);
		const int up = openat(fd, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
		is |= up < 0 || !output_folder_read_identity(up, &above);
		top = !is && output_folder_identity_equals(here, above);
		here = above;
		close(fd);
		fd = up;
	}
	if (fd >= 0)
		close(fd);
	return is;
}

/* Opens one component of a path in `in`, which it closes or returns; -1 with *err. A link's text is
 * put before `rest`. */
static int output_folder_enter_component(int in, const char *name, char rest[PATH_MAX],
                                         unsigned *links, const char *path, struct err *err)
{
	char link[PATH_MAX], joined[PATH_MAX];
	const int fd = openat(in, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int why = errno;
	const ssize_t n = fd < 0 ? readlinkat(in, name, link, sizeof link - 1) : -1;
	if (n < 0) {
		close(in);
		if (fd < 0)
			err_format(err, "%s: %s", path, strerror(why));
		return fd;
	}
	link[n] = '\0';
	if (guest_writes(fcntl(in, F_DUPFD_CLOEXEC, 0))) {
		err_format(err,
		           "%s: '%s' is a symbolic link in a folder that a guest may write (--rw): "
		           "it is not followed",
		           path, name);
	} else if (++*links > LINKS_MAX ||
	           snprintf(joined, sizeof joined, "%s/%s", link, rest) >= (int)sizeof joined) {
		err_format(err, "%s: too many symbolic links", path);
	} else {
		strcpy(rest, joined);
		if (*rest != '/')
			return in;
		close(in);
		return open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	}
	close(in);
	return -1;
}

/* Opens the folder of a path in which guests may have made links; -1 with *err. */
static int output_folder_walk_path(const char *path, struct err *err)
{
	char rest[PATH_MAX], name[NAME_MAX + 1];
	unsigned links = 0;
	const size_t n = output_folder_length(path);
	if (n >= sizeof rest) {
		err_format(err, "%s: %s", path, strerror(ENAMETOOLONG));
		return -1;
	}
	memcpy(rest, path, n);
	rest[n] = '\0';
	int in = open(*rest == '/' ? "/" : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (in < 0)
		err_format(err, "%s: %s", path, strerror(errno));
	while (in >= 0 && *rest) {
		const char *begin = rest + strspn(rest, "/");
		const size_t len = strcspn(begin, "/");
		if (len >= sizeof name) {
			close(in);
			err_format(err, "%s: %s", path, strerror(ENAMETOOLONG));
			return -1;
		}
		memcpy(name, begin, len);
		name[len] = '\0';
		memmove(rest, begin + len, strlen(begin + len) + 1);
		if (len)
			in = output_folder_enter_component(in, name, rest, &links, path, err);
	}
	return in;
}

int output_open_folder(const char *path, struct err *err)
{
	const struct kept *k = find_kept(path);
	if (!k && (writable_count || all_writable))
		return output_folder_walk_path(path, err);
	char *text = k ? NULL : alloc_text_n(path, output_folder_length(path));
	const int fd = k      ? fcntl(k->fd, F_DUPFD_CLOEXEC, 0)
	               : text ? open(*text ? text : ".", O_PATH | O_DIRECTORY | O_CLOEXEC)
	                      : -1;
	if (fd < 0)
		err_format(err, "%s: %s", path, strerror(errno));
	free(text);
	return fd;
}

bool output_inherited(const char *path, char *name, size_t n)
{
	output_keep_folder(path);
	struct kept *k = find_kept(path);
	if (k && k->inherited < 0)
		k->inherited = fcntl(k->fd, F_DUPFD, STDERR_FILENO + 1);
	const bool has = k && k->inherited >= 0;
	char folder[DESCRIPTOR_PATH_BYTES];
	const int length = has ? snprintf(name, n, "%s/%s", descriptor_path(k->inherited, folder),
	                                  path + output_folder_length(path))
	                       : snprintf(name, n, "%s", path);
	return length >= 0 && (size_t)length < n;
}
