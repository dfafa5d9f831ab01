/* Branches on data: bits of a random number, one branch in four unpredictable. Never ends. */
#include <stdint.h>

int main(void)
{
	uint64_t x = 88172645463325252u;
	uint64_t even = 0, odd = 0, rare = 0;
	for (;;) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		for (unsigned k = 0; k < 64; k += 8) {
			uint64_t byte = x >> k & 255;
			if (byte & 1)
				odd += byte;
			else
				even ^= byte << 3;
			if (byte < 32)
				rare++;
			if (byte & 64)
				even += rare;
			__asm__ volatile("" : "+r"(odd), "+r"(even), "+r"(rare));
		}
	}
}
