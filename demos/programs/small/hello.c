/*
 * hello: the smallest program worth stepping through.
 *
 * Shows that most of what a "tiny" C program executes is the C library: start-up, locale and
 * stdio set-up, one formatted line, one write system call. Break on main to skip the start-up.
 * Usage: hello [NAME]. Prints one greeting, and nothing else.
 */
#include <stdio.h>

int main(int argc, char **argv)
{
	printf("Hello, %s!\n", argc > 1 ? argv[1] : "cycle");
	return 0;
}
