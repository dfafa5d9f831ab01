#include "core/host/folder.h"

#include <dirent.h>
#include <errno.h>
#include <linux/magic.h>
#include <stdio.h>
#include <sys/vfs.h>

int folder_list(int fd, struct dirent ***names,
                int (*compare)(const struct dirent **, const struct dirent **))
{
	int n;
	do
		n = scandirat(fd, ".", names, NULL, compare);
	while (n < 0 && errno == EINTR);
	return n;
}

int folder_rename(int from_folder, const char *from, int to_folder, const char *to, unsigned flags)
{
	return renameat2(from_folder, from, to_folder, to, flags);
}

int folder_is_of_processes(int fd)
{
	struct statfs fs;
	return fstatfs(fd, &fs) != 0 ? -1 : fs.f_type == PROC_SUPER_MAGIC;
}
