/* Reads its standard input to the end, or a named file, whose first bytes it reads again at the
 * end. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	static unsigned char bytes[1 << 16];
	unsigned long sum = 0, total = 0;
	long n;
	const int fd = argc > 1 ? open(argv[1], O_RDONLY) : 0;
	while ((n = read(fd, bytes, sizeof bytes)) > 0) {
		total += (unsigned long)n;
		sum = sum * 31 + bytes[0] + bytes[n / 2] + bytes[n - 1];
	}
	lseek(fd, 0, SEEK_SET);
	n = read(fd, bytes, 100);
	printf("%lu bytes, %lx, %ld\n", total, sum, n);
	return 0;
}
