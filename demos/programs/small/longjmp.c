/*
 * longjmp: leaves a deep recursion in one jump, many times.
 *
 * Shows control flow that breaks the pairing of calls and returns: after each jump the return
 * address stack holds frames that no longer exist, and the next returns are mispredicted; a calling
 * context tree must unwind to the frame that called setjmp. Usage: longjmp [ROUNDS], default 200.
 * Looks for each number's least divisor, one frame per candidate; prints the tallies of both ways out.
 *
 * Tour, two minutes: `build/cyclops build/demos/longjmp`, then type (or run demos/tours/longjmp.cyc):
 *     break longjmp.c:43  in the deepest call, about to jump
 *     ignore 1 40
 *     continue
 *     backtrace           the frames that will be left
 *     view ras            returns that will never happen
 *     delete
 *     tbreak __longjmp
 *     continue
 *     step 30             the jump
 *     backtrace           back in main
 *     view ras            but the old entries are still there
 *     continue
 *     stats ras           42% of returns predicted right; fib has 98%
 */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

static jmp_buf escape;
static unsigned deepest;

/*
 * Returns the number of candidates tried when there is no divisor up to `limit`; jumps when there is.
 * The attribute keeps the compiler from turning the recursion into a loop, which has no frames to leave.
 */
__attribute__((noinline, optimize("no-optimize-sibling-calls")))
static unsigned descend(unsigned n, unsigned divisor, unsigned limit)
{
	if (divisor > limit)
		return 0;
	if (n % divisor == 0) {
		if (divisor > deepest)
			deepest = divisor;
		longjmp(escape, (int)divisor);
	}
	return 1 + descend(n, divisor + 1, limit);
}

int main(int argc, char **argv)
{
	unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 200;
	/* Static: automatic variables changed after setjmp are indeterminate after longjmp. */
	static unsigned n, returned, jumped, tried;
	for (n = 2; n < 2 + rounds; n++) {
		if (setjmp(escape) == 0) {
			tried += descend(n, 2, n / 2 < 40 ? n / 2 : 40);
			returned++;
		} else {
			jumped++;
		}
	}
	printf("%u numbers: %u left by return after %u candidates, %u by longjmp, deepest at %u\n", rounds,
	       returned, tried, jumped, deepest);
	return 0;
}
