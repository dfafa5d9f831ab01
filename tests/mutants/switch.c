/* The switches of mutants, for the copy of the tree that they are compiled in (run.py). OUT/mutant
 * holds the number of the enabled mutant; OUT/reached has a byte for each, set when it is executed.
 * Without these files the program is unchanged. Files, because tests clear the environment. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

enum { OFF, ON, NOTED };

unsigned char mutant_table[MUTANTS + 1];
static unsigned char *reached; /* [MUTANTS + 1], shared with all processes of a test */

int mutant_reached(unsigned n);
int mutant_reached(unsigned n)
{
	if (mutant_table[n] == ON)
		return 1;
	reached[n] = 1;
	mutant_table[n] = OFF;
	return 0;
}

__attribute__((constructor)) static void mutants_begin(void)
{
	char number[16] = "";
	unsigned n;
	int fd = open(OUT "/mutant", O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		if (read(fd, number, sizeof number - 1) > 0 && sscanf(number, "%u", &n) == 1)
			mutant_table[n] = ON;
		close(fd);
	}
	fd = open(OUT "/reached", O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return;
	void *bytes = mmap(NULL, sizeof mutant_table, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (bytes == MAP_FAILED)
		return;
	reached = bytes;
	for (n = 1; n <= MUTANTS; n++)
		mutant_table[n] = NOTED;
}
