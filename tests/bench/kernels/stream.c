/* a = f(b) + s * g(c) over arrays of 8 MB: loads and stores that miss in order. Never ends. */
#include <stdint.h>

enum { WORDS = 1 << 20 };

int main(void)
{
	static uint64_t a[WORDS], b[WORDS], c[WORDS];
	for (uint64_t s = 3;; s++)
		for (uint32_t i = 0; i < WORDS; i++) {
			a[i] = (b[i] ^ b[i] >> 7) + s * (c[i] + (c[i] << 3));
			__asm__ volatile("" : : "r"(a), "r"(b), "r"(c) : "memory"); /* otherwise the
			                                                             * compiler
			                                                             * takes b and c
			                                                             * for zeros */
		}
}
