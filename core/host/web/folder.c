#include "core/host/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/alloc.h"

static DIR *folder_open(int at, const char *name)
{
	const int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *const folder = fd >= 0 ? fdopendir(fd) : NULL;
	if (fd >= 0 && !folder)
		close(fd);
	return folder;
}

static void folder_free_list(struct dirent **list, int n)
{
	while (n > 0)
		free(list[--n]);
	free(list);
}

int folder_list(int fd, struct dirent ***names,
                int (*compare)(const struct dirent **, const struct dirent **))
{
	DIR *const folder = folder_open(fd, ".");
	struct dirent **list = NULL, *e;
	int n = 0;
	if (!folder)
		return -1;
	while ((e = readdir(folder))) {
		struct dirent **const more = realloc(list, (size_t)(n + 1) * sizeof *list);
		list = more ? more : list;
		struct dirent *const one = more ? malloc(sizeof *one) : NULL;
		if (!one) {
			folder_free_list(list, n);
			closedir(folder);
			return errno = ENOMEM, -1;
		}
		*one = *e;
		/* in its place: the order is total */
		int at = n++;
		for (; at > 0 && compare((const struct dirent *[]){one}, (const struct dirent *[]){list[at - 1]}) < 0; at--)
			list[at] = list[at - 1];
		list[at] = one;
	}
	closedir(folder);
	*names = list;
	return n;
}

static void folder_remove_below(int at, const char *name, int depth)
{
	enum { DEPTH_MAX = 8 };
	DIR *const folder = depth < DEPTH_MAX ? folder_open(at, name) : NULL;
	struct dirent *e;
	while (folder && (e = readdir(folder))) {
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		if (unlinkat(dirfd(folder), e->d_name, 0) != 0)
			folder_remove_below(dirfd(folder), e->d_name, depth + 1);
	}
	if (folder)
		closedir(folder);
	unlinkat(at, name, AT_REMOVEDIR);
}

void folder_remove_all(const char *path)
{
	folder_remove_below(AT_FDCWD, path, 0);
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

int folder_is_of_processes(int fd)
{
	struct stat st;
	return fstat(fd, &st) != 0 ? -1 : 0;
}
