/* A root folder with the listed paths only, and no network: user_namespaces(7), pivot_root(2). */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/host/posix/sandbox_kernel.h"
#include "core/host/sandbox.h"

/* Mount point of the new root: a folder that every Linux has, and whose contents are not needed by
 * name afterwards. */
#define NEW_ROOT "/sys"

static bool namespace_write(const char *file, const char *text)
{
	const int fd = open(file, O_WRONLY | O_CLOEXEC);
	const bool ok = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
	if (fd >= 0)
		close(fd);
	return ok;
}

/* Maps the user to itself in the namespace. */
static bool namespace_map_user(uid_t user, gid_t group)
{
	char line[64];
	snprintf(line, sizeof line, "%u %u 1\n", user, user);
	if (!namespace_write("/proc/self/uid_map", line))
		return false;
	namespace_write("/proc/self/setgroups", "deny"); /* missing: nothing to deny */
	snprintf(line, sizeof line, "%u %u 1\n", group, group);
	return namespace_write("/proc/self/gid_map", line);
}

/* Makes the parent folders of `path`, which begins with NEW_ROOT. */
static bool namespace_make_parents(char *path)
{
	for (char *slash = path + sizeof NEW_ROOT; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		const bool ok = mkdir(path, 0755) == 0 || errno == EEXIST;
		*slash = '/';
		if (!ok)
			return false;
	}
	return true;
}

/* Flags of a mount that must be kept when it is mounted again. */
static unsigned long namespace_mount_flags(const char *path)
{
	struct statvfs v;
	unsigned long flags = 0;
	if (statvfs(path, &v) != 0)
		return 0;
	flags |= v.f_flag & ST_NOSUID ? MS_NOSUID : 0;
	flags |= v.f_flag & ST_NODEV ? MS_NODEV : 0;
	flags |= v.f_flag & ST_NOEXEC ? MS_NOEXEC : 0;
	flags |= v.f_flag & ST_NOATIME ? MS_NOATIME : 0;
	flags |= v.f_flag & ST_NODIRATIME ? MS_NODIRATIME : 0;
	flags |= v.f_flag & ST_RELATIME ? MS_RELATIME : 0;
	return flags;
}

/* Bind-mounts `path` at the same place in the new root. */
static bool namespace_show(const char *path, unsigned rights)
{
	char to[PATH_MAX];
	struct stat st;
	if (stat(path, &st) != 0)
		return errno == ENOENT || errno == EACCES;
	if (snprintf(to, sizeof to, NEW_ROOT "%s", path) >= (int)sizeof to ||
	    !namespace_make_parents(to))
		return false;
	if (S_ISDIR(st.st_mode)) {
		if (mkdir(to, 0755) != 0 && errno != EEXIST)
			return false;
	} else {
		const int fd = open(to, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
		if (fd < 0 && errno != EROFS && errno != EACCES)
			return false;
		if (fd >= 0)
			close(fd);
	}
	if (mount(path, to, NULL, MS_BIND | MS_REC, NULL) != 0)
		return false;
	return rights & SANDBOX_WRITE ||
	       mount(NULL, to, NULL, MS_BIND | MS_REMOUNT | MS_RDONLY | namespace_mount_flags(to),
	             NULL) == 0;
}

static bool namespace_link(const char *path, const char *target)
{
	char to[PATH_MAX];
	return snprintf(to, sizeof to, NEW_ROOT "%s", path) < (int)sizeof to &&
	       (!namespace_make_parents(to) || symlink(target, to) == 0 || errno == EEXIST ||
	        errno == EROFS);
}

/* Shows this process's folder of /proc, for its own open files. */
static bool namespace_show_own_process(void)
{
	char path[40];
	snprintf(path, sizeof path, "/proc/%d", (int)getpid());
	return namespace_show(path, SANDBOX_WRITE) &&
	       namespace_link("/proc/self", path + sizeof "/proc/" - 1);
}

static bool namespace_fill_root(const struct sandbox *s)
{
	for (unsigned i = 0; i < s->count; i++)
		if (s->paths[i].target ? !namespace_link(s->paths[i].path, s->paths[i].target)
		                       : !namespace_show(s->paths[i].path, s->paths[i].rights))
			return false;
	return !s->own_process || namespace_show_own_process();
}

bool sandbox_enter_namespaces(const struct sandbox *s)
{
	const uid_t user = geteuid();
	const gid_t group = getegid();
	if (unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC) != 0)
		return false;
	return namespace_map_user(user, group) &&
	       mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
	       mount("none", NEW_ROOT, "tmpfs", MS_NOSUID | MS_NODEV, "mode=755,size=1m") == 0 &&
	       namespace_fill_root(s) &&
	       mount(NULL, NEW_ROOT, NULL, MS_REMOUNT | MS_RDONLY | MS_NOSUID | MS_NODEV, NULL) ==
	               0 &&
	       chdir(NEW_ROOT) == 0 && syscall(SYS_pivot_root, ".", ".") == 0 &&
	       umount2(".", MNT_DETACH) == 0 && chdir("/") == 0;
}
