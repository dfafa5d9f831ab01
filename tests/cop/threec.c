/* Programs with and without conflicts in the first-level data cache, for test_conflicts.lua. Slow
 * between loads, so that the co-processor loses no record. */
#include <stdint.h>
#include <stdlib.h>

enum { KB = 1024, STEP = 64 * KB };

static volatile uint64_t sum;

static void slow(void)
{
	uint64_t x = UINT64_C(0x123456789abcdef);
	__asm__ volatile("div %0, %0, %1\n\tdiv %0, %0, %1" : "+r"(x) : "r"(UINT64_C(3)));
}

static void load(const char *at)
{
	sum += *(const volatile uint64_t *)at;
	slow();
}

int main(int argc, char **argv)
{
	char *data = aligned_alloc(1024 * KB, 2048 * KB);
	uint32_t random = 12345;
	switch (argc > 1 ? argv[1][0] : 's') {
	case 's': /* two arrays, each read once, four loads in a row */
		for (unsigned i = 0; i < 64 * KB; i += 16) {
			sum += *(volatile uint64_t *)(data + i) + *(volatile uint64_t *)(data + i + 8);
			sum += *(volatile uint64_t *)(data + i + STEP + 4096) +
			       *(volatile uint64_t *)(data + i + STEP + 4104);
			slow();
		}
		break;
	case 'a': /* more lines than the cache, repeatedly: capacity */
		for (unsigned round = 0; round < 3; round++)
			for (unsigned i = 0; i < 128 * KB; i += 32)
				load(data + i);
		break;
	case 'r': /* anywhere in half of the cache */
		for (unsigned i = 0; i < 8000; i++) {
			random = random * 1103515245 + 12345;
			load(data + (random >> 8) % (32 * KB / 8) * 8);
		}
		break;
	case 'f': /* five blocks of one set */
		for (unsigned i = 0; i < 6000; i++)
			load(data + i % 5 * STEP);
		break;
	case 'c': /* a column of a matrix whose rows are a power of two apart */
		for (unsigned round = 0; round < 60; round++)
			for (unsigned i = 0; i < 32; i++)
				load(data + i * 16 * KB);
		break;
	case 'b': /* two blocks of each set fit, and a third one comes seldom */
		for (unsigned i = 0; i < 6000; i++)
			load(data + (i % 40 == 39 ? 2 : i % 2) * STEP);
		break;
	}
	return 0;
}
