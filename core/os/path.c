/* Names of files: from the guest's path to a place below its root, link by link, and never
 * outside. */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/os/descriptors.h"
#include "core/os/host.h"
#include "core/os/tree.h"

enum { LINKS_MAX = 40 }; /* symbolic links followed in one path, as on Linux */

/* The walk holds one descriptor, of the directory reached so far, and its path from the root
 * without symbolic links. Every step opens one name with O_NOFOLLOW, and ".." reopens the parent by
 * that path, again a name at a time, so the kernel never resolves a link or "..". */
struct walk {
	const struct tree *tree;
	int dir;
	char *path;                /* [LX_PATH_MAX], = located.path */
	char rest[2 * LX_PATH_MAX]; /* left to walk, grows with each link */
	/* bytes at the end of rest that are the guest's own; before them, text of links */
	size_t own;
	unsigned links;
	/* path is DEVICE_FOLDER or leads to a folder of the host's, and does not exist in dir */
	bool made_up;
};

static int open_step(int dir, const char *name)
{
	return open_name(dir, name, O_PATH | O_NOFOLLOW | O_CLOEXEC, 0);
}

/* Descriptor of the directory at `path`, or -errno. */
static int open_canonical(const struct tree *t, const char *path)
{
	const struct folder *f = folder_of(t, path);
	const int top = f ? f->fd : t->root;
	if (top < 0)
		return top;
	path += f ? strlen(f->at) : 0;
	path += *path == '/';
	int dir = open_name(top, ".", O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
	while (dir >= 0 && *path) {
		char name[LX_NAME_MAX + 1];
		size_t n = strcspn(path, "/");
		memcpy(name, path, n);
		name[n] = '\0';
		path += n + (path[n] == '/');
		int next = open_name(dir, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);
		int err = errno;
		close(dir);
		errno = err;
		dir = next;
	}
	return dir >= 0 ? dir : -errno;
}

/* Opens the directory at the changed w->path. */
static int path_reopen_directory(struct walk *w)
{
	close(w->dir);
	w->dir = open_canonical(w->tree, w->path);
	w->made_up = (w->dir == -ENOENT || w->dir == -ENOTDIR) && folder_below(w->tree, w->path);
	if (w->made_up)
		w->dir = open_canonical(w->tree, "");
	return w->dir < 0 ? w->dir : 0;
}

/* The guest's own ".." ends at the root, as in any root directory. A link that leads higher was
 * made for another tree. */
static int step_up(struct walk *w, bool from_link)
{
	if (!*w->path)
		return from_link ? -ENOENT : 0;
	char *slash = strrchr(w->path, '/');
	*(slash ? slash : w->path) = '\0';
	return path_reopen_directory(w);
}

static int path_append_name(char *path, const char *name)
{
	size_t have = strlen(path), n = strlen(name);
	if (have + n + 2 > LX_PATH_MAX)
		return -ENAMETOOLONG;
	if (have)
		path[have++] = '/';
	memcpy(path + have, name, n + 1);
	return 0;
}

static int back_to_root(struct walk *w)
{
	*w->path = '\0';
	return path_reopen_directory(w);
}

/* Puts the text of link `name` in front of the rest; an absolute one begins at the guest's root. */
static int splice_link(struct walk *w, const char *name, bool slash)
{
	char text[LX_PATH_MAX + 1];
	ssize_t n = readlinkat(w->dir, name, text, sizeof text - 1);
	if (n < 0)
		return -errno;
	if (n == 0)
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
	return text[0] == '/' ? back_to_root(w) : 0;
}

/* Takes the next name off the rest: its length, or -errno; *slash: more text or a slash followed
 * the name; *from_link: the name is of a link's text. */
static int path_next_component(struct walk *w, char *name, bool *slash, bool *from_link)
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
	size_t left = strlen(w->rest + after);
	*from_link = strlen(w->rest + skip) > w->own;
	memmove(w->rest, w->rest + after, left + 1);
	w->own = left < w->own ? left : w->own;
	return (int)n;
}

static int path_enter_component(struct walk *w, const char *name)
{
	const size_t from = strlen(w->path);
	const struct folder *folder;
	int err = path_append_name(w->path, name), next;
	if (err)
		return err;
	folder = folder_at(w->tree, w->path);
	const bool leads = folder_below(w->tree, w->path);
	if (w->made_up && !folder)
		return leads ? 0 : -ENOENT;
	next = folder ? open_canonical(w->tree, w->path) : open_step(w->dir, name);
	err = next < 0 ? -errno : 0;
	if (err == -ENOENT && (leads || (!from && strcmp(name, DEVICE_FOLDER) == 0))) {
		w->made_up = true;
		return 0;
	}
	if (err)
		return err;
	struct stat st;
	err = fstat(next, &st) != 0 ? -errno : 0;
	if (!err && !S_ISDIR(st.st_mode) && leads) {
		close(next);
		w->made_up = true;
		return 0;
	}
	if (!err && S_ISLNK(st.st_mode)) {
		close(next);
		w->path[from] = '\0';
		return splice_link(w, name, true);
	}
	if (!err && !S_ISDIR(st.st_mode))
		err = -ENOTDIR;
	if (!err)
		err = owner_may(st.st_mode, X_OK);
	if (err) {
		close(next);
		return err;
	}
	close(w->dir);
	w->dir = next;
	w->made_up = false;
	return 0;
}

/* 1, 0 or -errno. */
static int is_link(int dir, const char *name)
{
	struct stat st;
	const int has = host_has(dir, name, &st);
	return has > 0 ? S_ISLNK(st.st_mode) : has;
}

/* Finds a device called name here, or, at the path's end, /dev itself or a directory that leads to
 * a folder of the host's, if the tree has none: 0 or -errno. */
static int path_find_device(struct walk *w, const char *name, bool last, enum os_device *device)
{
	struct stat st;
	*device = device_named(w->path, name);
	if (*device != DEVICE_NONE || !last)
		return 0;
	const size_t from = strlen(w->path);
	const bool leads = path_append_name(w->path, name) == 0 && folder_below(w->tree, w->path);
	w->path[from] = '\0';
	if (!leads && (from || strcmp(name, DEVICE_FOLDER) != 0))
		return 0;
	const int has = w->made_up ? 0 : host_has(w->dir, name, &st);
	if (has > 0 ? leads && !S_ISDIR(st.st_mode) : has == 0 && (w->made_up || errno == ENOENT))
		*device = DEVICE_DIR;
	return has < 0 ? has : 0;
}

/* Whether name is the place of a folder of the host's. */
static bool path_is_mount_point(struct walk *w, const char *name)
{
	const size_t from = strlen(w->path);
	const bool is = path_append_name(w->path, name) == 0 && folder_at(w->tree, w->path);
	w->path[from] = '\0';
	return is;
}

/* Ends the path in the directory reached. */
static int end_here(const struct walk *w, struct located *out)
{
	strcpy(out->last, ".");
	out->device = w->made_up ? DEVICE_DIR : DEVICE_NONE;
	return 0;
}

static int end_at(struct walk *w, const char *name, bool slash, struct located *out)
{
	strcpy(out->last, name);
	out->slash = slash;
	return path_append_name(w->path, name);
}

static int walk_on(struct walk *w, bool follow, bool parent, struct located *out)
{
	for (;;) {
		char name[LX_NAME_MAX + 1];
		bool slash, from_link;
		int n = path_next_component(w, name, &slash, &from_link);
		if (n < 0)
			return n;
		int err = 0;
		bool last = !*w->rest;
		if (n == 0 || strcmp(name, ".") == 0) {
			if (last)
				return end_here(w, out);
			continue;
		}
		if (strcmp(name, "..") == 0) {
			err = step_up(w, from_link);
			if (!err && last)
				return end_here(w, out);
			if (err)
				return err;
			continue;
		}
		if (last && path_is_mount_point(w, name)) {
			err = path_enter_component(w, name);
			return err ? err : end_here(w, out);
		}
		enum os_device device = DEVICE_NONE;
		if (last || *w->path)
			err = path_find_device(w, name, last, &device);
		if (err)
			return err;
		if (device != DEVICE_NONE) {
			out->device = device;
			return last ? end_at(w, name, slash, out) : -ENOTDIR;
		}
		if (w->made_up && last)
			return parent ? -EACCES : -ENOENT;
		const int link = last && (follow || (slash && !parent)) ? is_link(w->dir, name) : 0;
		if (link < 0)
			return link;
		if (last && !link)
			return end_at(w, name, slash, out);
		err = last ? splice_link(w, name, slash) : path_enter_component(w, name);
		if (err)
			return err;
	}
}

int path_locate(const struct tree *tree, const char *path, bool follow, bool parent,
                struct located *out)
{
	struct walk w = {.tree = tree, .path = out->path, .own = strlen(path)};
	out->path[0] = '\0';
	out->slash = false;
	out->device = DEVICE_NONE;
	if (tree->root < 0)
		return host_failed(tree->root) ? tree->root : -ENOENT;
	if (strlen(path) >= LX_PATH_MAX)
		return -ENAMETOOLONG;
	strcpy(w.rest, path);
	w.dir = open_canonical(tree, "");
	int err = w.dir < 0 ? w.dir : walk_on(&w, follow, parent, out);
	if (err && w.dir >= 0)
		close(w.dir);
	out->dir = err ? -1 : w.dir;
	return err;
}

bool path_is_canonical(const char *path)
{
	path += path_is_sysroot(path) ? 2 : 0;
	while (*path) {
		const size_t n = strcspn(path, "/");
		if (n == 0 || (n == 1 && path[0] == '.') || (n == 2 && !memcmp(path, "..", 2)) ||
		    (path[n] && !path[n + 1]))
			return false;
		path += n + (path[n] == '/');
	}
	return true;
}

int path_from_guest(struct call *c, int dirfd, uint64_t addr, char *out)
{
	char path[LX_PATH_MAX];
	if (!mem_read_string(c->mem, addr, path, sizeof path))
		return guest_span(c->mem, addr, sizeof path, PROT_R) == sizeof path ? -ENAMETOOLONG
		                                                                    : -EFAULT;
	if (!*path)
		return -ENOENT;
	const char *base = *path == '/' ? "" : c->st->cwd;
	if (dirfd != LX_AT_FDCWD && *path != '/') {
		const struct os_file *f = fd_named_file(c->st, dirfd);
		if (!f)
			return -EBADF;
		if (f->kind != OS_FILE_DIR)
			return -ENOTDIR;
		base = f->path;
	}
	/* Keep one leading slash: two mark a path in the sysroot. */
	const char *from = *path == '/' ? path + strspn(path, "/") - 1 : path;
	size_t n = strlen(base), len = strlen(from);
	if (n + len + 2 > LX_PATH_MAX)
		return -ENAMETOOLONG;
	memcpy(out, base, n);
	if (n && out[n - 1] != '/')
		out[n++] = '/';
	memcpy(out + n, from, len + 1);
	return 0;
}
