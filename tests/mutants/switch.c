/* The switches of mutants, for the copy of the tree that they are compiled in (run.py). MUTANT=n
 * switches the n-th one on; MUTANTS_REACHED=FILE notes those that are come across, a byte for each.
 * Without either the program does what it did. */
#include <fcntl.h>
#include <stdlib.h>
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
	const char *number = getenv("MUTANT"), *file = getenv("MUTANTS_REACHED");
	if (number)
		mutant_table[atoi(number)] = ON;
	if (!file)
		return;
	const int fd = open(file, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return;
	void *bytes = mmap(NULL, sizeof mutant_table, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (bytes == MAP_FAILED)
		return;
	reached = bytes;
	for (unsigned n = 1; n <= MUTANTS; n++)
		mutant_table[n] = NOTED;
}
