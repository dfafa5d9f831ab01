/*
 * Values that are nearly always the same, and others that only look so, each in a function of its own, with its line marked: the hints
 * must name the first, all of them, and none of the second. Nothing is computed that matters.
 */
#include <stdint.h>
#include <stdlib.h>

enum { ROUNDS = 12000 };

static volatile uint64_t sink;
static uint64_t state = 88172645463325252u;

static uint64_t next(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	return state ^= state << 17;
}

#define APART __attribute__((noinline, noclone))

/* A global that never changes, read in a loop that stores: the compiler can't know: it might be one of those. */
uint64_t scale = 77;
uint64_t cells[64];

APART static void constant_load(uint64_t *cell, const uint64_t *by)
{
	for (unsigned i = 0; i < 32; i++)
		cell[i] = cell[i] * *by + i; /* HINT reads 0x4d from memory each time round: read it before the loop */
}

/* A global that changes each time. */
uint64_t turning;

APART static void changing_load(uint64_t x)
{
	for (unsigned i = 0; i < 32; i++) {
		turning = x += turning * 3 + 1;
		cells[i] ^= turning; /* nothing */
	}
}

/* A division, nearly always by 8. */
APART static uint64_t by_eight(uint64_t x, uint64_t d)
{
	return x / d + 5; /* HINT divides by 8 in 9[0-9] % of all cases: add a case for 8: a shift or a mask */
}

/* A division by anything. */
APART static uint64_t by_any(uint64_t x, uint64_t d)
{
	return x / d + 5; /* nothing */
}

/* A flag that is 1 in nine of ten, read through a pointer from many places. */
uint8_t flags[4096];

APART static uint64_t mostly_one(uint64_t at)
{
	return flags[at & 4095] ? at * 5 : at * at; /* HINT reads 1 in (8[6-9]|9[0-4]) % of all cases: test for it */
}

/* Half of them: no case for anybody. */
uint8_t bits[4096];

APART static uint64_t now_and_then(uint64_t at)
{
	return bits[at & 4095] ? at * 5 : at * at; /* nothing */
}

APART static uint64_t power(uint64_t x, unsigned n)
{
	uint64_t y = 1;
	for (; n; n--)
		y *= x;
	return y;
}

volatile unsigned degree = 3;

APART static uint64_t cubes(uint64_t x)
{
	return power(x, degree) + 1; /* HINT calls power with a1 = 3 each time */
}

APART static uint64_t any_power(uint64_t x)
{
	return power(x, (unsigned)(x & 15)) + 1; /* nothing */
}

APART static uint64_t plus(uint64_t x)
{
	return x + 12345;
}

APART static uint64_t minus(uint64_t x)
{
	return x - 12345;
}

uint64_t (*usual)(uint64_t) = plus;

APART static uint64_t one_target(uint64_t x)
{
	return usual(x) + 1; /* HINT calls plus in 100 % of all cases: compare with it, and call it directly */
}

APART static uint64_t two_targets(uint64_t x)
{
	uint64_t (*const either[2])(uint64_t) = {plus, minus};
	return either[x >> 7 & 1](x) + 1; /* nothing */
}

int main(void)
{
	for (unsigned i = 0; i < 4096; i++) {
		flags[i] = next() % 10 != 0;
		bits[i] = next() & 1;
	}
	for (unsigned i = 0; i < ROUNDS; i++) {
		const uint64_t x = next();
		if (i % 16 == 0)
			constant_load(cells, &scale);
		if (i % 16 == 1)
			changing_load(x);
		sink = by_eight(x, i % 50 ? 8 : x | 1);
		sink = by_any(x, (x >> 40) | 1);
		sink = mostly_one(x) + now_and_then(x);
		sink = cubes(x);
		sink = any_power(x);
		sink = one_target(x) + two_targets(x);
	}
	return 0;
}
