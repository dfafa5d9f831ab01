/* Tries to write to its sysroot, and to leave it, by every call that takes a path or an open file.
 * A line for each: the call and its result; LEAK if it read a file outside. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static void told(const char *what, const char *path, long r)
{
	printf("%-10s %-26s %s\n", what, path, r < 0 ? strerrorname_np(errno) : "ok");
}

static void ways_reads(const char *path, int flags)
{
	char bytes[32] = "";
	const int fd = open(path, flags, 0644);
	const long n = fd < 0 ? -1 : read(fd, bytes, sizeof bytes - 1);
	const int why = errno;
	if (fd >= 0)
		close(fd);
	errno = why;
	if (!strncmp(bytes, "SECRET", 6))
		printf("LEAK %s\n", path);
	told(flags ? "open rw" : "open", path, fd < 0 ? -1 : n);
}

static void changes(int dir, const char *path)
{
	char all[200];
	snprintf(all, sizeof all, "%s%s", dir == AT_FDCWD ? "" : "dir:", path);
	told("create", all, openat(dir, path, O_CREAT | O_EXCL | O_RDWR, 0644));
	told("truncate", all, openat(dir, path, O_WRONLY | O_TRUNC));
	told("unlink", all, unlinkat(dir, path, 0));
	told("rmdir", all, unlinkat(dir, path, AT_REMOVEDIR));
	told("mkdir", all, mkdirat(dir, path, 0755));
	told("chmod", all, fchmodat(dir, path, 0777, 0));
	told("utimes", all, utimensat(dir, path, NULL, 0));
	told("symlink", all, symlinkat("/", dir, path));
	told("link", all, linkat(dir, path, AT_FDCWD, "stolen", 0));
	told("rename", all, renameat(dir, path, AT_FDCWD, "stolen"));
	told("rename to", all, renameat(AT_FDCWD, "own", dir, path));
	told("access w", all, faccessat(dir, path, W_OK, 0));
	told("access r", all, faccessat(dir, path, R_OK, 0));
}

static void ways_lists(const char *path)
{
	DIR *d = opendir(path);
	told("list", path, d ? 0 : -1);
	int up = 0, self = 0, n = 0;
	struct stat a, b;
	for (struct dirent *e; d && (e = readdir(d)); n++) {
		self |= !strcmp(e->d_name, ".") && fstat(dirfd(d), &a) == 0 && a.st_ino == e->d_ino;
		up |= !strcmp(e->d_name, "..") && fstatat(dirfd(d), "..", &b, 0) == 0 && b.st_ino == e->d_ino;
	}
	if (d) {
		printf("           %d entries, . %s, .. %s\n", n, self ? "right" : "wrong", up ? "right" : "wrong");
		told("fchdir", path, fchdir(dirfd(d)));
		closedir(d);
	}
}

int main(void)
{
	static const char *const paths[] = {"/lib/data", "//lib/data", "/lib/../lib/data", "/lib/within", "/lib/rooted", "/lib/out", "/lib/out_root",
		"/lib/out_dir/file", "/lib/high", "/../outside/file", "/lib/../../outside/file", "/lib/loop", "/lib/pipe", "/lib/hidden", "/lib/data/",
		"lib/data", "./lib/data", "/dev/data", "/lib/own", "/proc/self/exe", "/proc/self/maps"};
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
		char text[200];
		struct stat st;
		struct statfs fs;
		ways_reads(paths[i], O_RDONLY);
		ways_reads(paths[i], O_RDWR);
		told("stat", paths[i], stat(paths[i], &st));
		told("lstat", paths[i], lstat(paths[i], &st));
		told("readlink", paths[i], readlink(paths[i], text, sizeof text));
		told("statfs", paths[i], statfs(paths[i], &fs));
		told("chdir", paths[i], chdir(paths[i]));
	}
	changes(AT_FDCWD, "/lib/data");
	changes(AT_FDCWD, "//lib/data");
	const int dir = open("/lib", O_RDONLY | O_DIRECTORY), file = open("/lib/data", O_RDONLY);
	const int there = open("/usr/lib", O_RDONLY | O_DIRECTORY);
	ways_reads("/usr/lib/data", O_RDONLY);
	changes(there, "data");
	changes(there, "new");
	changes(there, "../../own");
	told("fchmod", "/usr/lib", fchmod(there, 0777));
	told("open own", "from /usr/lib", openat(there, "../../own", O_RDONLY));
	changes(dir, "data");
	changes(dir, "new");
	changes(dir, "../own");
	told("fchmod", "/lib/data", fchmod(file, 0777));
	told("futimens", "/lib/data", futimens(file, NULL));
	told("ftruncate", "/lib/data", ftruncate(file, 0));
	told("write", "/lib/data", write(file, "x", 1));
	told("mmap", "shared, to write", mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) == MAP_FAILED ? -1 : 0);
	char *shared = mmap(NULL, 4096, PROT_READ, MAP_SHARED, file, 0), *own = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
	printf("mapped: %.4s %.4s\n", shared, own);
	own[0] = 'D';
	told("mprotect", "private", mprotect(own, 4096, PROT_READ | PROT_EXEC));
	printf("mapped: %.4s %.4s\n", shared, own);
	char up[64] = "";
	const int above = openat(dir, "../../../outside/file", O_RDONLY);
	told("openat", "dir:../../../outside/file", above < 0 ? -1 : read(above, up, 6));
	if (!strncmp(up, "SECRET", 6))
		puts("LEAK");
	ways_lists("/lib");
	ways_lists("/usr");
	char cwd[100];
	printf("in %s\n", getcwd(cwd, sizeof cwd));
	return 0;
}
