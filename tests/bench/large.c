/* A guest that computes at a high rate and writes all over its memory, to measure the cost of
 * history: large [MB [WINDOW]]: at random in a window that wanders, 2 of 50 MB by default. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	const size_t window = (size_t)(argc > 2 ? atoi(argv[2]) : 2) << 20;
	const size_t bytes = (size_t)(argc > 1 ? atoi(argv[1]) : 50) << 20;
	unsigned char *p = malloc(bytes);
	uint64_t x = 88172645463325252u, sum = 0;
	if (!p || bytes < window)
		return 1;
	for (size_t i = 0; i < bytes; i += 64)
		p[i] = (unsigned char)i;
	for (size_t round = 0; round < 1000; round++) {
		unsigned char *base = p + (round << 19) % (bytes - window + 1);
		for (int i = 0; i < 20000; i++) {
			x ^= x << 13;
			x ^= x >> 7;
			x ^= x << 17;
			base[x % window]++;
			for (uint64_t k = 0; k < 12; k++)
				sum = sum * 31 + (x >> k);
		}
	}
	printf("%llu\n", (unsigned long long)sum);
	return 0;
}
