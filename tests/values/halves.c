/* A word with two fields: a growing number, and constant flags above it. */
#include <stdint.h>

volatile uint64_t sink;
volatile uint32_t small;

__attribute__((noinline, noclone)) uint64_t pack(uint64_t n, uint64_t flags)
{
	small = (uint32_t)n + small;
	return n | flags;
}

int main(void)
{
	for (uint64_t i = 0; i < 3000; i++)
		sink = pack(i & 0xffff, UINT64_C(0x8000000100000000));
	return 0;
}
