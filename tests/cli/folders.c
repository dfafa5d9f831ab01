/* Makes calls in folders that --dir puts into its tree, and tries to leave them: a line for each
 * call and its result; LEAK if it read a file outside. tests/cli/folders.sh makes the folders. A
 * native run, beneath bind mounts, prints Linux's own answers. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static void folders_told(const char *what, const char *path, long r)
{
	printf("%-10s %-30s %s\n", what, path, r < 0 ? strerrorname_np(errno) : "ok");
}

static void folders_reads(const char *path)
{
	char bytes[32] = "";
	const int fd = open(path, O_RDONLY | O_NONBLOCK);
	long n = fd < 0 ? -1 : read(fd, bytes, sizeof bytes - 1);
	if (!strncmp(bytes, "SECRET", 6))
		printf("LEAK %s\n", path);
	if (fd >= 0 && n < 0 && errno == EISDIR)
		n = 0;
	folders_told("read", path, n);
	bytes[strcspn(bytes, "\n")] = '\0';
	if (n > 0)
		printf("           %s\n", bytes);
	if (fd >= 0)
		close(fd);
}

static void folders_looks(const char *path)
{
	struct stat st = {0}, l = {0};
	char text[200] = "";
	folders_told("stat", path, stat(path, &st));
	folders_told("lstat", path, lstat(path, &l));
	printf("           %06o %06o\n", st.st_mode & S_IFMT, l.st_mode & S_IFMT);
	folders_told("access r", path, access(path, R_OK));
	folders_told("access w", path, access(path, W_OK));
	folders_told("readlink", path, readlink(path, text, sizeof text));
	if (chdir(path) == 0) {
		printf("in %s: ", getcwd(text, sizeof text));
		folders_reads("..");
		folders_reads("f");
		folders_reads("../work/f");
		folders_reads("../../tree_file");
		folders_told("chdir", "/", chdir("/"));
	} else {
		folders_told("chdir", path, -1);
	}
}

static int folders_makes(const char *path)
{
	const int fd = open(path, O_CREAT | O_EXCL | O_RDWR, 0644);
	folders_told("create", path, fd);
	if (fd >= 0)
		folders_told("write", path, write(fd, "new\n", 4));
	return fd;
}

static void folders_changes(const char *path)
{
	char all[100];
	folders_told("open w", path, open(path, O_RDWR));
	folders_told("truncate", path, truncate(path, 3));
	folders_told("chmod", path, chmod(path, 0755));
	folders_told("utimes", path, utimensat(AT_FDCWD, path, NULL, 0));
	snprintf(all, sizeof all, "%s.l", path);
	folders_told("symlink", all, symlink("/tree_file", all));
	snprintf(all, sizeof all, "%s.h", path);
	folders_told("link", all, link(path, all));
	snprintf(all, sizeof all, "%s.d", path);
	folders_told("mkdir", all, mkdir(all, 0755));
	snprintf(all, sizeof all, "%s.n", path);
	const int fd = folders_makes(all);
	if (fd >= 0)
		close(fd);
	snprintf(all, sizeof all, "%s.r", path);
	folders_told("rename", all, rename(path, all));
	folders_told("rename", path, rename(all, path));
}

static void folders_removes(const char *path)
{
	folders_told("unlink", path, unlink(path));
	folders_told("rmdir", path, rmdir(path));
	folders_told("mkdir", path, mkdir(path, 0755));
	folders_told("rename", path, rename(path, "/elsewhere"));
	folders_told("rename to", path, rename("/dir", path));
}

static void folders_between(const char *from, const char *to)
{
	char all[100];
	snprintf(all, sizeof all, "%s > %s", from, to);
	folders_told("link", all, link(from, to));
	folders_told("rename", all, rename(from, to));
}

/* Prints the entries, whether . has the number of stat(), and whether .. has it too, as at the top
 * of a tree. */
static void folders_lists(const char *path)
{
	struct dirent **names;
	struct stat here;
	const int n = scandir(path, &names, NULL, alphasort);
	folders_told("list", path, n);
	if (n < 0)
		return;
	stat(path, &here);
	for (int i = 0; i < n; i++) {
		const char *s = names[i]->d_name;
		printf("           %s%s\n", s, s[0] != '.' ? "" : names[i]->d_ino == here.st_ino ? " is it" : " is another");
	}
}

int main(void)
{
	static const char *const paths[] = {"/m", "/m/data", "/m/data/", "/m/data/f", "m/data/f", "/m/./data//f", "/m/data/sub/../f", "/m/data/sub/../../../tree_file",
		"/m/data/in", "/m/data/rooted", "/m/data/beside", "/m/data/out", "/m/data/out_root", "/m/data/out_dir/file", "/m/data/high",
		"/m/data/../outside/file", "/m/data/../../../outside/file", "/m/data/deep", "/m/data/deep/er", "/m/data/deep/er/f", "/m/data/deep/er/../../f",
		"/m/data/deep/other", "/m/other", "/m/data/none", "/m/datas", "/hidden/f", "/hidden/own", "/covered/f", "/work/f", "/work/../tree_file",
		"/work/into", "/into", "/m/data/hidden", "/m/data/pipe", "/gone/f"};
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
		folders_reads(paths[i]);
		folders_looks(paths[i]);
	}
	folders_lists("/m/data");
	folders_lists("/m/data/deep/er");
	folders_lists("/work");
	folders_lists("/hidden");
	folders_lists("/m");
	folders_lists("/m/data/sub");
	folders_changes("/m/data/f");
	folders_changes("/work/f");
	folders_changes("/tree_file");
	folders_changes("/m/new");
	folders_removes("/m");
	folders_removes("/m/data");
	folders_removes("/m/data/deep");
	folders_removes("/work");
	folders_removes("/hidden");
	folders_removes("/covered");
	folders_between("/work/f", "/work/f2");
	folders_between("/work/f", "/m/data/f2");
	folders_between("/work/f2", "/tree_file2");
	folders_between("/m/data/f", "/tree_file2");
	folders_between("/tree_file", "/work/tree_file");
	folders_between("/dir", "/work/dir");
	/* Open descriptors stay valid. */
	const int dir = open("/work", O_RDONLY | O_DIRECTORY), ro = open("/m/data", O_RDONLY | O_DIRECTORY), file = openat(ro, "f", O_RDONLY);
	folders_told("openat", "work: new", openat(dir, "new", O_CREAT | O_RDWR, 0600));
	folders_told("openat", "data: new", openat(ro, "new", O_CREAT | O_RDWR, 0600));
	folders_told("openat", "data: ../../tree_file", openat(ro, "../../tree_file", O_RDONLY));
	folders_told("fchmod", "data: f", fchmod(file, 0777));
	folders_told("ftruncate", "data: f", ftruncate(file, 0));
	folders_told("fchdir", "data", fchdir(ro));
	folders_reads("f");
	folders_reads("../data/f");
	folders_reads("../../work/new");
	folders_told("fchdir", "work", fchdir(dir));
	folders_reads("new");
	folders_told("rename", "new > newer", rename("new", "newer"));
	folders_reads("newer");
	const char *map = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, file, 0);
	printf("mapped: %.4s\n", map == MAP_FAILED ? "none" : map);
	return 0;
}
