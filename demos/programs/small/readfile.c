/*
 * readfile: counts lines, words and bytes of a file, reading it with plain system calls.
 *
 * Shows the machine's boundary: open, read, lseek and close go to the system, and what read stores
 * arrives in guest memory between two instructions. Stepping backwards over it must restore the
 * buffer and the file position. Usage: readfile [FILE], default demos/programs/input/gpl-3.txt.
 * Reads the file twice with different buffer sizes; both passes must agree. Exit status 1 if not
 * readable.
 *
 * Tour, two minutes: `build/cyclops build/demos/readfile`, then type (or run demos/tours/readfile.cyc):
 *     catch syscall in __libc_read
 *     continue                    the first read is done
 *     print str(a1, 30)           its bytes are in memory
 *     reverse-step
 *     print str(a1, 30)           a cycle earlier they are not
 *     step
 *     continue                    the next block
 *     reverse-continue            and back: the same bytes as before
 *     view pipe                   the ecall is alone in the machine
 *     delete
 *     continue
 */
#define _DEFAULT_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

struct counts {
	unsigned long lines, words, bytes;
};

/* False when a read fails. */
static int count(int fd, size_t chunk, struct counts *out)
{
	static char buffer[4096];
	struct counts c = {0, 0, 0};
	int in_word = 0;
	ssize_t got;
	while ((got = read(fd, buffer, chunk)) > 0) {
		for (ssize_t i = 0; i < got; i++) {
			int blank = buffer[i] == ' ' || (buffer[i] >= '\t' && buffer[i] <= '\r');
			c.lines += buffer[i] == '\n';
			c.words += !blank && !in_word;
			in_word = !blank;
		}
		c.bytes += (unsigned long)got;
	}
	*out = c;
	return got == 0;
}

int main(int argc, char **argv)
{
	const char *path = argc > 1 ? argv[1] : "demos/programs/input/gpl-3.txt";
	struct counts large, small;
	int fd = open(path, O_RDONLY);
	if (fd < 0 || !count(fd, 4096, &large) || lseek(fd, 0, SEEK_SET) != 0 || !count(fd, 512, &small)) {
		perror(path);
		return 1;
	}
	close(fd);
	printf("%lu lines, %lu words, %lu bytes\n", large.lines, large.words, large.bytes);
	return large.lines != small.lines || large.words != small.words || large.bytes != small.bytes;
}
