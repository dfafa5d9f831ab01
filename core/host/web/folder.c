#include "core/host/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/host/descriptor_path.h"

int folder_list(int fd, struct dirent ***names,
                int (*compare)(const struct dirent **, const struct dirent **))
{
	char path[DESCRIPTOR_PATH_BYTES];
	return alloc_folder_names(descriptor_path(fd, path), names, NULL, compare);
}

static void folder_remove_tree(const char *path, int depth)
{
	enum { DEPTH_MAX = 8 };
	char below[PATH_MAX];
	DIR *const folder = depth < DEPTH_MAX ? alloc_folder(path) : NULL;
	const struct dirent *e;
	while (folder && (e = readdir(folder))) {
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..") ||
		    snprintf(below, sizeof below, "%s/%s", path, e->d_name) >= (int)sizeof below)
			continue;
		if (unlink(below) != 0)
			folder_remove_tree(below, depth + 1);
	}
	if (folder)
		closedir(folder);
	rmdir(path);
}

void folder_remove_all(const char *path)
{
	folder_remove_tree(path, 0);
}

int folder_rename(int from_folder, const char *from, int to_folder, const char *to, unsigned flags)
{
	enum { NO_REPLACE = 1 };
	struct stat st;
	if (flags & ~(unsigned)NO_REPLACE)
		return errno = EINVAL, -1;
	if (flags && fstatat(to_folder, to, &st, AT_SYMLINK_NOFOLLOW) == 0)
		return errno = EEXIST, -1;
	return renameat(from_folder, from, to_folder, to);
}

/* There is none of processes. */
int folder_is_of_processes(int fd)
{
	struct stat st;
	return fstat(fd, &st);
}
