/*
 * branchy: the same branch fed with four kinds of data.
 *
 * Shows what branch predictors can and cannot learn: always taken (any predictor), alternating
 * (two-level or gshare, not bimodal), a period of seven (needs history), random (nothing: half of
 * them miss, and each costs the misprediction penalty). Compare bpred.dir_rate between the calls.
 * Usage: branchy [ROUNDS], default 4096 per kind. Prints how often each branch was taken.
 *
 * Tour, two minutes: `build/cyclops build/demos/branchy`, then type (or run demos/tours/branchy.cyc):
 *     break count
 *     display bpred.mispredicts  shown at each stop
 *     continue
 *     finish                     always: 2 mispredicted; continue and finish again: alternating 8,
 *     delete                     period 7 over 1,100; then, before the random ones:
 *     catch squash in count
 *     continue
 *     view pipe                  x: fetched and executed in vain after the branch
 *     view bpred                 the tables' entries for the branches in flight
 *     finish                     random: 2,083 of 4,096, eight or nine cycles each
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* The two arms store to different places, so the compiler must keep a real branch. */
__attribute__((noinline)) static void count(const uint8_t *taken, size_t n, volatile unsigned tally[2])
{
	for (size_t i = 0; i < n; i++) {
		if (taken[i])
			tally[1]++;
		else
			tally[0]++;
	}
}

int main(int argc, char **argv)
{
	static const char *const kinds[] = {"always", "alternating", "period 7", "random"};
	size_t n = argc > 1 ? strtoul(argv[1], NULL, 10) : 4096;
	uint8_t *taken = malloc(n ? n : 1);
	if (!taken) {
		fprintf(stderr, "branchy: no room for %zu rounds\n", n);
		return 1;
	}

	uint32_t seed = 1;
	for (int kind = 0; kind < 4; kind++) {
		for (size_t i = 0; i < n; i++) {
			seed ^= seed << 13;
			seed ^= seed >> 17;
			seed ^= seed << 5;
			switch (kind) {
			case 0: taken[i] = 1; break;
			case 1: taken[i] = i & 1; break;
			case 2: taken[i] = i % 7 < 3; break;
			default: taken[i] = seed >> 16 & 1; break;
			}
		}
		volatile unsigned tally[2] = {0, 0};
		count(taken, n, tally);
		printf("%-11s taken %u of %zu\n", kinds[kind], tally[1], n);
	}
	free(taken);
	return 0;
}
