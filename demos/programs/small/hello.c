/*
 * hello: the smallest program worth stepping through.
 *
 * Shows that most of what a "tiny" C program executes is the C library: start-up, locale and
 * stdio set-up, one formatted line, one write system call. Break on main to skip the start-up.
 * Usage: hello [NAME]. Prints one greeting, and nothing else.
 *
 * Tour, two minutes: `build/cyclops build/demos/hello`, then type (or run demos/tours/hello.cyc):
 *     break main
 *     continue          4,800 instructions, 26,300 cycles
 *     print insts
 *     view cpi          icache: code that is fetched for the first time
 *     catch output
 *     continue
 *     backtrace         exit writes what printf left in a buffer
 *     reverse-continue  back to main; nothing is printed twice
 */
#include <stdio.h>

int main(int argc, char **argv)
{
	printf("Hello, %s!\n", argc > 1 ? argv[1] : "cycle");
	return 0;
}
