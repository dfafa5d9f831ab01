/*
 * fib: Fibonacci numbers by naive recursion.
 *
 * Shows calls and returns: the return address stack predicts every return as long as the recursion
 * is no deeper than the stack, and the base-case branch follows a pattern that global history can
 * learn and a bimodal counter cannot. Usage: fib [N], N 0..40, default 18; exit status 1 for others.
 *
 * Tour, two minutes: `build/cyclops build/demos/fib`, then type (or run demos/tours/fib.cyc):
 *     break fib
 *     ignore 1 12
 *     continue          thirteen calls deep
 *     backtrace         all of them
 *     view ras          the return stack holds the newest eight
 *     delete
 *     continue
 *     stats ras         98% of returns predicted right: most calls are near the leaves
 *     set ras.size = 2  in the next run, room for two
 *     run
 *     stats ras         69%, and 8,000 cycles more
 */
#include <stdio.h>
#include <stdlib.h>

/* Kept out of line and recursive: the compiler would otherwise unroll most of the calls away. */
__attribute__((noinline, optimize("no-optimize-sibling-calls"))) static unsigned long fib(unsigned n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 18;
	if (n < 0 || n > 40) {
		fprintf(stderr, "fib: N must be 0..40\n");
		return 1;
	}
	printf("fib(%d) = %lu\n", n, fib((unsigned)n));
	return 0;
}
