/* Renames files and makes symbolic links, as a guest may that writes: `ln TARGET NAME`, `mv NAME NAME`, one behind the other. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void here(void) { __asm__ volatile(""); }

int main(int argc, char **argv)
{
	for (int i = 1; i + 2 < argc; i += 3) {
		const int bad = !strcmp(argv[i], "ln") ? symlink(argv[i + 1], argv[i + 2]) : rename(argv[i + 1], argv[i + 2]);
		if (bad)
			perror(argv[i + 2]);
	}
	here();
	return 0;
}
