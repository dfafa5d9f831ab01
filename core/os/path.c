#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/os/os_priv.h"

enum { LINKS_MAX = 40 }; /* symbolic links followed on the way, as Linux */

/* The walk holds one descriptor, of the directory reached so far, and its path from the root without symbolic
 * links. Every step opens one name with O_NOFOLLOW, and ".." reopens the parent by that path, again a
 * name at a time, so the kernel never resolves a link or ".." for us. */
struct walk {
	int root, dir;
	char *path;                /* [LX_PATH_MAX], = located.path */
	char rest[2 * LX_PATH_MAX]; /* what is left to walk, grows when a link is spliced in */
	unsigned links;
};

static int open_step(int dir, const char *name)
{
	return openat(dir, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
}

/* Descriptor of the directory at `path`, or -errno. */
static int open_canonical(int root, const char *path)
{
	int dir = openat(root, ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	while (dir >= 0 && *path) {
		char name[LX_NAME_MAX + 1];
		size_t n = strcspn(path, "/");
		memcpy(name, path, n);
		name[n] = '\0';
		path += n + (path[n] == '/');
		int next = openat(dir, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		int err = errno;
		close(dir);
		errno = err;
		dir = next;
	}
	return dir >= 0 ? dir : -errno;
}

static int step_up(struct walk *w)
{
	if (!*w->path)
		return -ENOENT; /* out of the tree: as if it did not exist */
	char *slash = strrchr(w->path, '/');
	*(slash ? slash : w->path) = '\0';
	close(w->dir);
	w->dir = open_canonical(w->root, w->path);
	return w->dir < 0 ? w->dir : 0;
}

static int append(char *path, const char *name)
{
	size_t have = strlen(path), n = strlen(name);
	if (have + n + 2 > LX_PATH_MAX)
		return -ENAMETOOLONG;
	if (have)
		path[have++] = '/';
	memcpy(path + have, name, n + 1);
	return 0;
}

/* Puts the text of link `name` in front of the rest. */
static int splice_link(struct walk *w, const char *name, bool slash)
{
	char text[LX_PATH_MAX + 1];
	ssize_t n = readlinkat(w->dir, name, text, sizeof text - 1);
	if (n < 0)
		return -errno;
	if (n == 0 || text[0] == '/')
		return -ENOENT;
	if (++w->links > LINKS_MAX)
		return -ELOOP;
	size_t rest = strlen(w->rest);
	if ((size_t)n + rest + 2 > LX_PATH_MAX)
		return -ENAMETOOLONG;
	bool join = rest || slash;
	memmove(w->rest + n + join, w->rest, rest + 1);
	memcpy(w->rest, text, (size_t)n);
	if (join)
		w->rest[n] = '/';
	return 0;
}

/* Takes the next name off the rest: its length, or -errno; *slash = something or a slash followed it. */
static int take_name(struct walk *w, char *name, bool *slash)
{
	size_t skip = strspn(w->rest, "/");
	size_t n = strcspn(w->rest + skip, "/");
	if (n > LX_NAME_MAX)
		return -ENAMETOOLONG;
	memcpy(name, w->rest + skip, n);
	name[n] = '\0';
	size_t after = skip + n;
	*slash = w->rest[after] == '/';
	after += strspn(w->rest + after, "/");
	memmove(w->rest, w->rest + after, strlen(w->rest + after) + 1);
	return (int)n;
}

static int descend(struct walk *w, const char *name)
{
	int next = open_step(w->dir, name);
	if (next < 0)
		return -errno;
	struct stat st;
	int err = fstat(next, &st) != 0 ? -errno : 0;
	if (!err && S_ISLNK(st.st_mode)) {
		close(next);
		return splice_link(w, name, true);
	}
	if (!err && !S_ISDIR(st.st_mode))
		err = -ENOTDIR;
	if (!err)
		err = append(w->path, name);
	if (err) {
		close(next);
		return err;
	}
	close(w->dir);
	w->dir = next;
	return 0;
}

static bool is_link(int dir, const char *name)
{
	struct stat st;
	return fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(st.st_mode);
}

static int walk_on(struct walk *w, bool follow, bool parent, struct located *out)
{
	for (;;) {
		char name[LX_NAME_MAX + 1];
		bool slash;
		int n = take_name(w, name, &slash);
		if (n < 0)
			return n;
		int err = 0;
		bool last = !*w->rest;
		if (n == 0 || strcmp(name, ".") == 0) {
			if (last) {
				strcpy(out->last, ".");
				return 0;
			}
		} else if (strcmp(name, "..") == 0) {
			err = step_up(w);
			if (!err && last) {
				strcpy(out->last, ".");
				return 0;
			}
		} else if (!last) {
			err = descend(w, name);
		} else if ((follow || (slash && !parent)) && is_link(w->dir, name)) {
			err = splice_link(w, name, slash);
		} else {
			strcpy(out->last, name);
			out->slash = slash;
			return append(w->path, name);
		}
		if (err)
			return err;
	}
}

int path_locate(int root, const char *path, bool follow, bool parent, struct located *out)
{
	struct walk w = {.root = root, .path = out->path};
	out->path[0] = '\0';
	out->slash = false;
	if (root < 0)
		return -ENOENT;
	if (strlen(path) >= LX_PATH_MAX)
		return -ENAMETOOLONG;
	strcpy(w.rest, path);
	w.dir = open_canonical(root, "");
	int err = w.dir < 0 ? w.dir : walk_on(&w, follow, parent, out);
	if (err && w.dir >= 0)
		close(w.dir);
	out->dir = err ? -1 : w.dir;
	return err;
}

int path_from_guest(struct call *c, int dirfd, uint64_t addr, char *out)
{
	char path[LX_PATH_MAX];
	if (!mem_read_string(c->mem, addr, path, sizeof path))
		return guest_span(c->mem, addr, sizeof path, PROT_R) == sizeof path ? -ENAMETOOLONG : -EFAULT;
	if (!*path || *path == '/')
		return -ENOENT;
	const char *base = c->st->cwd;
	if (dirfd != LX_AT_FDCWD) {
		const struct os_file *f = fd_file(c->st, dirfd);
		if (!f)
			return -EBADF;
		if (f->kind != OS_FILE_DIR)
			return -ENOTDIR;
		base = f->path;
	}
	size_t n = strlen(base), len = strlen(path);
	if (n + len + 2 > LX_PATH_MAX)
		return -ENAMETOOLONG;
	memcpy(out, base, n);
	if (n)
		out[n++] = '/';
	memcpy(out + n, path, len + 1);
	return 0;
}
