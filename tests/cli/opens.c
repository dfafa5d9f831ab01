/* Follows its arguments, in order, prints its input, and ends with 1 if something failed: r FILE
 * reads it; k FILE WORD reads it byte by byte with some work between, then prints WORD; W FILE TEXT
 * makes or cuts it, works, and writes; s, a, c FILE: stat, access, chdir. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static volatile unsigned long work;

static void pause_a_little(void)
{
	for (int i = 0; i < 2000; i++)
		work += work >> 3 ^ (unsigned long)i;
}

static int opens_failed(const char *what)
{
	printf("%s: %s\n", what, strerrorname_np(errno));
	return 1;
}

static int opens_reads(const char *path, int one)
{
	char bytes[100];
	const int fd = open(path, O_RDONLY);
	long n;
	if (fd < 0)
		return opens_failed(path);
	while ((n = read(fd, bytes, one ? 1 : sizeof bytes)) > 0) {
		if (one)
			pause_a_little();
		fwrite(bytes, 1, (size_t)n, stdout);
	}
	close(fd);
	return n < 0 ? opens_failed(path) : 0;
}

static int opens_writes(const char *path, const char *text)
{
	const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	if (fd < 0)
		return opens_failed(path);
	for (int i = 0; i < 10; i++)
		pause_a_little();
	if (write(fd, text, strlen(text)) < 0)
		opens_failed(path);
	close(fd);
	return 0;
}

int main(int argc, char **argv)
{
	struct stat st;
	int bad = 0;
	for (int i = 1; i + 1 < argc; i += 2)
		switch (argv[i][0]) {
		case 'r':
			bad |= opens_reads(argv[i + 1], 0);
			break;
		case 'k':
			bad |= opens_reads(argv[i + 1], 1);
			puts(argv[++i + 1]);
			break;
		case 'W':
			bad |= opens_writes(argv[i + 1], argv[i + 2]);
			i++;
			break;
		case 's':
			bad |= stat(argv[i + 1], &st) ? opens_failed(argv[i + 1]) : 0;
			break;
		case 'a':
			bad |= access(argv[i + 1], R_OK) ? opens_failed(argv[i + 1]) : 0;
			break;
		case 'c':
			bad |= chdir(argv[i + 1]) ? opens_failed(argv[i + 1]) : 0;
			break;
		}
	return bad;
}
