/*
 * fig1: a walk through a large field, in which two loads feed one multiply.
 *
 * The example of figure 1 of Burrows et al.: a multiply that waits for memory, and two loads that
 * could be the reason. One reads a small table of weights, which stays in the L1 data cache; the
 * other the field, most of whose cells come from memory. Where the walk goes next depends on the
 * product, so that nothing hides the wait. The number of steps is its argument.
 */
#include <stdio.h>
#include <stdlib.h>

enum { WEIGHTS = 1024, CELLS = 1 << 21 }; /* 8 KB and 16 MB */

static double weight[WEIGHTS], field[CELLS];

__attribute__((noinline)) static double walk(long steps)
{
	double sum = 0;
	unsigned at = 1;
	for (long i = 0; i < steps; i++) {
		const double flow = weight[i % WEIGHTS] * field[at];
		sum += flow;
		/* Most steps lead to another line of the cache. */
		at = (at + (flow > 1.25 ? 8 : 7)) % CELLS;
	}
	return sum;
}

int main(int argc, char **argv)
{
	const long steps = argc > 1 ? atol(argv[1]) : 100000;
	for (int i = 0; i < WEIGHTS; i++)
		weight[i] = 1 + i % 7 / 8.0;
	for (int i = 0; i < CELLS; i++)
		field[i] = i % 5 / 4.0;
	printf("%.6f\n", walk(steps));
	return 0;
}
