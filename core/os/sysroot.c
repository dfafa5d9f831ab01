/* The sysroot: a second tree, with the libraries of dynamically linked programs, in which the guest
 * reads files that its own tree lacks.
 *
 * Three kinds of paths go through core/os, distinguished by how they begin:
 *
 *   a/b      from the root of the guest's own tree
 *   /a/b     an absolute path of the guest's: looked up in its own tree, and if that has no such
 *            file, in the sysroot
 *   //a/b    in the sysroot: the name of a file that was found there, in open files, inodes and
 *            the journal
 *
 * A path is looked up as a whole in one tree or in the other: a link never leads from one to the
 * other, and both are walked by the same rules, a name at a time, with the tree's own root as the
 * highest place. */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/host/descriptor_path.h"
#include "core/os/host.h"
#include "core/os/tree.h"

enum { MARK = 2 }; /* characters of "//" */

bool path_is_sysroot(const char *path)
{
	return path[0] == '/' && path[1] == '/';
}

void os_set_sysroot(struct os *os, const char *folder)
{
	if (os->sysroot >= 0)
		close(os->sysroot);
	os->sysroot = host_open_folder(folder);
}

/* Rest of a file's path below a folder, "/rest"; NULL: it lies elsewhere. */
static const char *rest_below(const char *file, const char *folder)
{
	const size_t n = strcmp(folder, "/") == 0 ? 0 : strlen(folder);
	return strncmp(file, folder, n) == 0 && file[n] == '/' ? file + n : NULL;
}

/* ld.so needs the program's place, for $ORIGIN. */
void os_set_program(struct os *os, const char *root, const char *path)
{
	char *tree = alloc_real_path(root ? root : "."), *file = alloc_real_path(path);
	char folder[PATH_MAX];
	const char *at = "", *rest = tree && file ? rest_below(file, tree) : NULL;
	for (unsigned i = 0; file && !rest && i < os->folders; i++) {
		const bool known = descriptor_target(os->folder[i].fd, folder, sizeof folder);
		rest = known ? rest_below(file, folder) : NULL;
		at = rest ? os->folder[i].at : "";
	}
	os->exe[0] = '\0';
	if (rest && strlen(at) + strlen(rest) + 1 < sizeof os->exe)
		sprintf(os->exe, "%s%s%s", *at ? "/" : "", at, rest);
	free(tree);
	free(file);
}

const char *path_own_link(const struct os *os, const char *path)
{
	return os->exe[0] && strcmp(path, "/proc/self/exe") == 0 ? os->exe : NULL;
}

/* Locates a path in the sysroot, and marks out->path with "//". */
static int locate_there(const struct os *os, const char *path, bool follow, struct located *out)
{
	const struct tree sysroot = {.root = os->sysroot};
	int err = path_locate(&sysroot, path, follow, false, out);
	if (err)
		return err;
	const size_t n = strlen(out->path);
	if (out->device != DEVICE_NONE)
		err = -ENOENT; /* devices exist in the guest's own tree only */
	else if (n + MARK >= sizeof out->path)
		err = -ENAMETOOLONG;
	if (err) {
		close(out->dir);
		return err;
	}
	memmove(out->path + MARK, out->path, n + 1);
	memcpy(out->path, "//", MARK);
	return 0;
}

int path_locate_known(const struct os *os, const char *path, struct located *out)
{
	const struct tree own = own_tree(os);
	return path_is_sysroot(path) ? locate_there(os, path, false, out)
	                             : path_locate(&own, path, false, false, out);
}

int path_to_change(const struct os *os, const char *path, bool follow, bool parent,
                   struct located *out)
{
	const struct tree own = own_tree(os);
	return path_is_sysroot(path) ? -EROFS : path_locate(&own, path, follow, parent, out);
}

/* Whether the located file exists: 1, 0 or -errno. */
static int sysroot_located_exists(const struct located *at)
{
	struct stat st;
	if (at->device != DEVICE_NONE)
		return 1;
	const int has = host_has(at->dir, at->last, &st);
	return has ? has : errno == ENOENT ? 0 : 1; /* the next question reports the error */
}

int path_to_read(const struct os *os, const char *path, bool follow, struct located *out)
{
	if (path_is_sysroot(path))
		return locate_there(os, path, follow, out);
	const struct tree own = own_tree(os);
	const int err = path_locate(&own, path, follow, false, out);
	if (os->sysroot < 0 || *path != '/' || (err && err != -ENOENT))
		return err;
	const int here = err ? 0 : sysroot_located_exists(out);
	if (here)
		return here > 0 ? 0 : (close(out->dir), here);
	struct located there;
	int has = locate_there(os, path, follow, &there);
	if (!has) {
		has = sysroot_located_exists(&there);
		if (has <= 0)
			close(there.dir);
	}
	const bool unknown = has < 0 && (host_failed(has) || has == -ENOMEM);
	if (has <= 0 && !unknown)
		return err;
	if (!err)
		close(out->dir);
	if (unknown)
		return has;
	*out = there;
	return 0;
}

int os_open_library(const struct os_trees *t, const char *path)
{
	struct os trees = {.root = host_open_folder(t->root ? t->root : "."),
	                   .sysroot = host_open_folder(t->sysroot)};
	os_set_folders(&trees, t->folders, t->folder_count);
	const int fd = os_open_mapped(&trees, path);
	os_set_folders(&trees, NULL, 0);
	if (trees.root >= 0)
		close(trees.root);
	if (trees.sysroot >= 0)
		close(trees.sysroot);
	errno = fd < 0 ? -fd : 0;
	return fd;
}

int os_open_mapped(const struct os *os, const char *path)
{
	struct located at;
	struct stat st;
	const int err = path_to_read(os, path, true, &at);
	if (err)
		return err;
	int fd = at.device == DEVICE_NONE
	                 ? open_name(at.dir, at.last,
	                             O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW, 0)
	                 : -1;
	const int why = at.device == DEVICE_NONE ? -errno : -ENXIO;
	close(at.dir);
	if (fd < 0)
		return why;
	fd = host_check_opened(fd, &st);
	if (fd >= 0 && !S_ISREG(st.st_mode)) {
		close(fd);
		return -EISDIR;
	}
	return fd;
}
