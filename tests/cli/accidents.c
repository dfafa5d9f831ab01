/* Makes every kind of system call on files, and writes each result to the file "answers";
 * cli/accidents.sh lets the host's calls fail. The name of the first file marks where the program's
 * own calls begin. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define TELL(call) tell(#call, (long)(call))

static long tell(const char *call, long ret)
{
	const int error = errno;
	printf("%s = %ld", call, ret);
	if (ret == -1)
		printf(" %s", strerror(error));
	putchar('\n');
	return ret;
}

static char bytes[70000];

static void look(const char *name)
{
	struct stat st;
	printf("%s: %d", name, lstat(name, &st));
	printf(" mode %o size %ld links %u number %lu\n", st.st_mode, (long)st.st_size, (unsigned)st.st_nlink, (unsigned long)st.st_ino);
}

static void list(const char *name)
{
	struct dirent *d;
	DIR *dir = opendir(name);
	printf("%s:", name);
	while (dir && (d = readdir(dir)))
		printf(" %s(%u, %lu)", d->d_name, d->d_type, (unsigned long)d->d_ino);
	printf(dir ? "\n" : " no directory\n");
	if (dir)
		closedir(dir);
}

int main(void)
{
	char text[64] = "";
	int fd = (int)TELL(open("begin", O_RDONLY));
	TELL(read(fd, text, sizeof text));
	TELL(lseek(fd, -3, SEEK_END));
	printf("%s", text);
	close(fd);
	if (!freopen("answers", "w", stdout))
		return 1;
	memset(bytes, 'b', sizeof bytes);

	umask(022);
	fd = (int)TELL(open("new", O_RDWR | O_CREAT | O_EXCL, 0600));
	TELL(open("new", O_RDWR | O_CREAT | O_EXCL, 0600));
	TELL(write(fd, bytes, sizeof bytes));
	struct iovec parts[] = {{bytes, 10}, {bytes + 20, 66000}, {bytes + 5, 7}};
	TELL(writev(fd, parts, 3));
	TELL(pwrite(fd, "here", 4, 100));
	TELL(pwrite(fd, "x", 1, 1L << 60));
	TELL(ftruncate(fd, 1L << 60));
	TELL(pread(fd, text, 10, 96));
	printf("%.10s\n", text);
	TELL(lseek(fd, 0, SEEK_CUR));
	TELL(ftruncate(fd, 140000));
	close(fd);
	fd = (int)TELL(open("new", O_WRONLY | O_APPEND));
	TELL(write(fd, bytes, 69999));
	TELL(writev(fd, parts, 3));
	close(fd);
	look("new");

	TELL(mkdir("folder", 0777));
	TELL(mkdir("folder", 0777));
	TELL(mkdir("folder/below", 0700));
	TELL(link("new", "folder/again"));
	TELL(link("new", "folder/again"));
	TELL(symlink("again", "folder/soft"));
	TELL(symlink("again", "folder/soft"));
	TELL(readlink("folder/soft", text, sizeof text));
	fd = (int)TELL(open("folder/soft", O_RDONLY));
	void *at = mmap(NULL, 8192, PROT_READ, MAP_PRIVATE, fd, 0);
	printf("mapped: %.4s\n", at == MAP_FAILED ? "no" : (char *)at + 100);
	close(fd);
	TELL(access("folder/soft", R_OK | W_OK));
	TELL(access("nowhere", F_OK));
	TELL(rename("folder/again", "folder/below/moved"));
	TELL(rename("folder/soft", "new"));
	TELL(chmod("folder/below/moved", 0640));
	struct timespec times[2] = {{1, 2}, {3, 4}};
	TELL(utimensat(AT_FDCWD, "folder/below", times, 0));
	TELL(truncate("folder/below/moved", 5));
	look("new");
	look("folder/below/moved");
	list("folder");
	list("folder/below");
	list(".");
	list("/dev");
	TELL(chdir("folder/below"));
	printf("%s\n", getcwd(text, sizeof text));
	TELL(chdir("../.."));
	fd = (int)TELL(open("begin", O_RDWR | O_TRUNC));
	TELL(write(fd, "truncated\n", 10));
	close(fd);
	TELL(rmdir("folder"));
	TELL(unlink("new"));
	TELL(unlink("folder/below/moved"));
	TELL(rmdir("folder/below"));
	fd = (int)TELL(open("last", O_WRONLY | O_CREAT, 0666));
	TELL(write(fd, bytes, 1000));
	close(fd);
	int open_at_most = 0;
	while (open("last", O_RDONLY) >= 0)
		open_at_most++;
	printf("%d more descriptors, then %s\n", open_at_most, strerror(errno));
	TELL(read(0, text, sizeof text));
	return 0;
}
