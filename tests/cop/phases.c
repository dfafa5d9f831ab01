/* Loads whose values change every 20,000 executions, each time, never, or seldom. The program of
 * test_values.lua. */
#include <stdint.h>

static volatile uint64_t phase, changing, constant = 7, mostly;

__attribute__((noinline)) static uint64_t load_phase(void)
{
	return phase;
}

__attribute__((noinline)) static uint64_t load_changing(void)
{
	return changing;
}

__attribute__((noinline)) static uint64_t load_constant(void)
{
	return constant;
}

__attribute__((noinline)) static uint64_t load_mostly(void)
{
	return mostly;
}

int main(void)
{
	uint64_t sum = 0;
	for (uint64_t i = 0; i < 80000; i++) {
		phase = 100 + i / 20000;
		changing = i;
		mostly = i % 5 ? 3 : 4;
		sum += load_phase() + load_changing() + load_constant() + load_mostly();
	}
	return sum == 0;
}
