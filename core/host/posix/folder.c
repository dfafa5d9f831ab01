#include "core/host/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

int folder_list(int fd, struct dirent ***names,
                int (*compare)(const struct dirent **, const struct dirent **))
{
	int n;
	do
		n = scandirat(fd, ".", names, NULL, compare);
	while (n < 0 && errno == EINTR);
	return n;
}

/* As the kernel writes it. */
struct folder_entry {
	uint64_t inode;
	int64_t next;
	uint16_t bytes;
	uint8_t type;
	char name[];
};

static void folder_remove_below(int at, const char *name, int depth)
{
	enum { DEPTH_MAX = 8 };
	_Alignas(struct folder_entry) char buf[4096];
	const int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	long n;
	while (fd >= 0 && depth < DEPTH_MAX &&
	       (n = syscall(SYS_getdents64, fd, buf, sizeof buf)) > 0)
		for (long i = 0; i < n;) {
			const struct folder_entry *e =
				(const struct folder_entry *)(const void *)(buf + i);
			i += e->bytes;
			if (!strcmp(e->name, ".") || !strcmp(e->name, ".."))
				continue;
			if (unlinkat(fd, e->name, 0) != 0)
				folder_remove_below(fd, e->name, depth + 1);
		}
	if (fd >= 0)
		close(fd);
	unlinkat(at, name, AT_REMOVEDIR);
}

void folder_remove_all(const char *path)
{
	folder_remove_below(AT_FDCWD, path, 0);
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
