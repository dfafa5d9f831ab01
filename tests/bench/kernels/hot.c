/* An integer loop out of the caches at an IPC of about 2: hashing words of a table that fits the L1D, each into the next.
 * Never ends. */
#include <stdint.h>

enum { WORDS = 1 << 10 };

int main(void)
{
	static uint32_t table[WORDS];
	uint32_t a = 1, b = 2, c = 3;
	for (uint32_t round = 0;; round++)
		for (uint32_t i = 0; i < WORDS; i++) {
			a = (a << 5) ^ table[(a + i) % WORDS];
			if (a == b) /* hardly ever */
				a += round;
			b += a >> 3 ^ i;
			c += b & a;
			table[i] = c ^ round;
			__asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c));
		}
}
