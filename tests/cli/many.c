/* Makes so many files in a folder, lists it, moves the folder and removes them: many COUNT. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *put_number(char *to, unsigned n)
{
	for (unsigned unit = 1000000; unit; unit /= 10)
		*to++ = (char)('0' + n / unit % 10);
	*to = '\0';
	return to;
}

static int many_fail(const char *what)
{
	perror(what);
	return 1;
}

int main(int argc, char **argv)
{
	const unsigned count = argc > 1 ? (unsigned)atoi(argv[1]) : 10;
	char name[32] = "files/", last[256] = "";
	unsigned seen = 0;
	struct stat st;
	if (mkdir("files", 0777) != 0)
		return many_fail("files");
	for (unsigned i = 0; i < count; i++) {
		put_number(name + 6, (unsigned)(i * 7919ull % count));
		const int fd = open(name, O_CREAT | O_EXCL | O_WRONLY, 0666);
		if (fd < 0)
			return many_fail(name);
		close(fd);
	}
	if (rename("files", "moved") != 0)
		return many_fail("moved");
	DIR *d = opendir("moved");
	if (!d)
		return many_fail("moved");
	for (const struct dirent *e; (e = readdir(d));) {
		if (strcmp(last, e->d_name) >= 0)
			return printf("%s behind %s\n", e->d_name, last), 1;
		strcpy(last, e->d_name);
		seen++;
	}
	closedir(d);
	memcpy(name, "moved", 5);
	for (unsigned i = 0; i < count; i += 997) {
		put_number(name + 6, i);
		if (stat(name, &st) != 0 || unlink(name) != 0)
			return many_fail(name);
	}
	printf("%u entries\n", seen);
	return 0;
}
