/* A guest of 50 MB that computes at a high rate and writes all over its memory: what history costs is measured on it. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
	enum { BYTES = 50 << 20, WINDOW = 2 << 20 };
	unsigned char *p = malloc(BYTES);
	uint64_t x = 88172645463325252u, sum = 0;
	if (!p)
		return 1;
	for (size_t i = 0; i < BYTES; i += 64)
		p[i] = (unsigned char)i;
	for (size_t round = 0; round < 1000; round++) {
		unsigned char *base = p + (round << 19) % (BYTES - WINDOW);
		for (int i = 0; i < 20000; i++) {
			x ^= x << 13;
			x ^= x >> 7;
			x ^= x << 17;
			base[x % WINDOW]++;
			for (uint64_t k = 0; k < 12; k++)
				sum = sum * 31 + (x >> k);
		}
	}
	printf("%llu\n", (unsigned long long)sum);
	return 0;
}
