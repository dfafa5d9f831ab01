/* Renames files, makes symbolic links and folders, as a guest with --rw may: `ln TARGET NAME`, `mv
 * NAME NAME`, `mkdir NAME MODE`, one after the other. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void here(void) { __asm__ volatile(""); }

static int rename_act(const char *what, const char *a, const char *b)
{
	if (!strcmp(what, "ln"))
		return symlink(a, b);
	return strcmp(what, "mkdir") ? rename(a, b) : mkdir(a, (mode_t)strtoul(b, NULL, 8));
}

int main(int argc, char **argv)
{
	for (int i = 1; i + 2 < argc; i += 3)
		if (rename_act(argv[i], argv[i + 1], argv[i + 2]))
			perror(argv[i + 2]);
	here();
	return 0;
}
