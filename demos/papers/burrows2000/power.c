/* The paper's povray, made small: an exponentiation of which one exponent is the most common, here 3 in 98.9 % of all calls. -DSPECIAL has a case for it.
 *
 * Expect: `report hints` with --values args reports that, and that the calls take a quarter of all
 * cycles at most. */
#include <stdint.h>

static volatile uint64_t sink;

__attribute__((noinline, noclone)) static uint64_t power(uint64_t x, unsigned n)
{
#ifdef SPECIAL
	if (n == 3)
		return x * x * x;
#endif
	uint64_t y = 1;
	for (; n; n--)
		y *= x;
	return y;
}

int main(void)
{
	uint64_t state = 88172645463325252u;
	for (int i = 0; i < 120000; i++) {
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		sink += power(state, state % 1000 < 989 ? 3 : state & 15);
	}
	return 0;
}
