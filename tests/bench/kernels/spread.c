/* As stream.c, but the arrays do not share sets of the caches: loads and stores that miss in order. Never ends. */
#include <stdint.h>

enum { WORDS = 1 << 20, APART = 1030 };

int main(void)
{
	static uint64_t a[WORDS + APART], b[WORDS + 2 * APART], c[WORDS + APART];
	for (uint64_t s = 3;; s++)
		for (uint32_t i = 0; i < WORDS; i++) {
			a[i] = (b[i] ^ b[i] >> 7) + s * (c[i] + (c[i] << 3));
			__asm__ volatile("" : : "r"(a), "r"(b), "r"(c) : "memory");
		}
}
