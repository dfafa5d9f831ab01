/* Basic blocks, counted by hand (Vaswani, figure 3): how often does each block of steps() begin?
 *
 * Expect: under qemu-riscv64 every profile instruction executes, and the counts are complete. In Cyclops they are 0: the flag is
 * off in steps(), its profile instructions are dropped at decode, and soon not even fetched. Then switch it on, as a runtime
 * does: one bit makes a setpf of the resetpf.
 *
 *     qemu-riscv64 build/demos/xprof/blocks
 *     build/cyclops build/demos/xprof/blocks        break steps, continue, step: profile instructions are struck out
 *     build/cyclops lua demos/xprof/on.lua build/demos/xprof/blocks */
#include <stdio.h>

#include "../include/xprof.h"

enum { ENTRY, LOOP, ODD, EVEN, LAST, BLOCKS };
unsigned long counts[BLOCKS];

/* Collatz's sequence: how many steps from n to 1. */
__attribute__((noinline)) static int steps(unsigned long n)
{
	int count = 0;
	xprof_pushpf(0);
	xprof_resetpf(0); /* the runtime patches this address */
	xprof_count(0, counts, 0);
	while (n != 1) {
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

int main(void)
{
	static const char *const names[BLOCKS] = {"entry", "loop", "odd", "even", "last"};
	int longest = 0, at = 0;
	for (int n = 1; n <= 300; n++) {
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
