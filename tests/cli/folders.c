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

static void told(const char *what, const char *path, long r)
{
	printf("%-10s %-30s %s\n", what, path, r < 0 ? strerrorname_np(errno) : "ok");
}

static void reads(const char *path)
{
	char bytes[32] = "";
	const int fd = open(path, O_RDONLY | O_NONBLOCK);
	long n = fd < 0 ? -1 : read(fd, bytes, sizeof bytes - 1);
	if (!strncmp(bytes, "SECRET", 6))
		printf("LEAK %s\n", path);
	if (fd >= 0 && n < 0 && errno == EISDIR)
		n = 0;
	told("read", path, n);
	bytes[strcspn(bytes, "\n")] = '\0';
	if (n > 0)
		printf("           %s\n", bytes);
	if (fd >= 0)
		close(fd);
}

static void looks(const char *path)
{
	struct stat st = {0}, l = {0};
	char text[200] = "";
	told("stat", path, stat(path, &st));
	told("lstat", path, lstat(path, &l));
	printf("           %06o %06o\n", st.st_mode & S_IFMT, l.st_mode & S_IFMT);
	told("access r", path, access(path, R_OK));
	told("access w", path, access(path, W_OK));
	told("readlink", path, readlink(path, text, sizeof text));
	if (chdir(path) == 0) {
		printf("in %s: ", getcwd(text, sizeof text));
		reads("..");
		reads("f");
		reads("../work/f");
		reads("../../tree_file");
		told("chdir", "/", chdir("/"));
	} else {
		told("chdir", path, -1);
	}
}

static int makes(const char *path)
{
	const int fd = open(path, O_CREAT | O_EXCL | O_RDWR, 0644);
	told("create", path, fd);
	if (fd >= 0)
		told("write", path, write(fd, "new\n", 4));
	return fd;
}

static void changes(const char *path)
{
	char all[100];
	told("open w", path, open(path, O_RDWR));
	told("truncate", path, truncate(path, 3));
	told("chmod", path, chmod(path, 0755));
	told("utimes", path, utimensat(AT_FDCWD, path, NULL, 0));
	snprintf(all, sizeof all, "%s.l", path);
	told("symlink", all, symlink("/tree_file", all));
	snprintf(all, sizeof all, "%s.h", path);
	told("link", all, link(path, all));
	snprintf(all, sizeof all, "%s.d", path);
	told("mkdir", all, mkdir(all, 0755));
	snprintf(all, sizeof all, "%s.n", path);
	const int fd = makes(all);
	if (fd >= 0)
		close(fd);
	snprintf(all, sizeof all, "%s.r", path);
	told("rename", all, rename(path, all));
	told("rename", path, rename(all, path));
}

static void removes(const char *path)
{
	told("unlink", path, unlink(path));
	told("rmdir", path, rmdir(path));
	told("mkdir", path, mkdir(path, 0755));
	told("rename", path, rename(path, "/elsewhere"));
	told("rename to", path, rename("/dir", path));
}

static void between(const char *from, const char *to)
{
	char all[100];
	snprintf(all, sizeof all, "%s > %s", from, to);
	told("link", all, link(from, to));
	told("rename", all, rename(from, to));
}

/* Prints the entries, whether . has the number of stat(), and whether .. has it too, as at the top
 * of a tree. */
static void lists(const char *path)
{
	struct dirent **names;
	struct stat here;
	const int n = scandir(path, &names, NULL, alphasort);
	told("list", path, n);
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
		reads(paths[i]);
		looks(paths[i]);
	}
	lists("/m/data");
	lists("/m/data/deep/er");
	lists("/work");
	lists("/hidden");
	lists("/m");
	lists("/m/data/sub");
	changes("/m/data/f");
	changes("/work/f");
	changes("/tree_file");
	changes("/m/new");
	removes("/m");
	removes("/m/data");
	removes("/m/data/deep");
	removes("/work");
	removes("/hidden");
	removes("/covered");
	between("/work/f", "/work/f2");
	between("/work/f", "/m/data/f2");
	between("/work/f2", "/tree_file2");
	between("/m/data/f", "/tree_file2");
	between("/tree_file", "/work/tree_file");
	between("/dir", "/work/dir");
	/* Open descriptors stay valid. */
	const int dir = open("/work", O_RDONLY | O_DIRECTORY), ro = open("/m/data", O_RDONLY | O_DIRECTORY), file = openat(ro, "f", O_RDONLY);
	told("openat", "work: new", openat(dir, "new", O_CREAT | O_RDWR, 0600));
	told("openat", "data: new", openat(ro, "new", O_CREAT | O_RDWR, 0600));
	told("openat", "data: ../../tree_file", openat(ro, "../../tree_file", O_RDONLY));
	told("fchmod", "data: f", fchmod(file, 0777));
	told("ftruncate", "data: f", ftruncate(file, 0));
	told("fchdir", "data", fchdir(ro));
	reads("f");
	reads("../data/f");
	reads("../../work/new");
	told("fchdir", "work", fchdir(dir));
	reads("new");
	told("rename", "new > newer", rename("new", "newer"));
	reads("newer");
	const char *map = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, file, 0);
	printf("mapped: %.4s\n", map == MAP_FAILED ? "none" : map);
	return 0;
}
