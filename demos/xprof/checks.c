/* A trigger in the program itself (Vaswani, figure 1): checks at a method's entry and at its loop's back edge switch profiling on
 * for one piece of work in so many, as Arnold and Ryder's sampling does, with no runtime and no second copy of the code.
 *
 * Expect: with INTERVAL 1 the profile is complete; with 100 each count is about a hundredth of that, and their proportions are
 * nearly the same. With 0 nothing is counted. On a machine without Xprof the checks decide nothing, and all of it is counted.
 *
 *     build/cyclops run build/demos/xprof/checks 100
 *     qemu-riscv64 build/demos/xprof/checks 100 */
#include <stdio.h>
#include <stdlib.h>

#include "../include/xprof.h"

enum { ENTRY, LOOP, ODD, EVEN, LAST, BLOCKS };
unsigned long counts[BLOCKS];

static unsigned long interval, left;

/* Whether this is the one in `interval`. */
static inline int is_chosen(void)
{
	if (--left)
		return 0;
	left = interval;
	return 1;
}

/* Collatz's sequence: how many steps from n to 1. */
__attribute__((noinline)) static int steps(unsigned long n)
{
	int count = 0;
	xprof_pushpf(0);
	xprof_check(0, is_chosen());
	xprof_count(0, counts, 0);
	while (n != 1) {
		xprof_check(0, is_chosen());
		xprof_count(0, counts, 1);
		if (n & 1) {
			xprof_count(0, counts, 2);
			n = 3 * n + 1;
		} else {
			xprof_count(0, counts, 3);
			n /= 2;
		}
		count++;
	}
	xprof_count(0, counts, 4);
	xprof_poppf(0);
	return count;
}

int main(int argc, char **argv)
{
	static const char *const names[BLOCKS] = {"entry", "loop", "odd", "even", "last"};
	char *end = "";
	interval = argc > 1 ? strtoul(argv[1], &end, 10) : 100;
	if (argc > 2 || *end) {
		fprintf(stderr, "usage: checks [INTERVAL]    profile one piece of work in so many; 0: none\n");
		return 2;
	}
	left = interval; /* 0 - 1 is never 0 again */
	int longest = 0, at = 0;
	for (int n = 1; n <= 1000; n++) {
		int count = steps((unsigned long)n);
		if (count > longest) {
			longest = count;
			at = n;
		}
	}
	printf("%d needs %d steps\n", at, longest);
	for (int i = 0; i < BLOCKS; i++)
		printf("%-5s %6lu\n", names[i], counts[i]);
	return 0;
}
