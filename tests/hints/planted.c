/* Values that are nearly constant, and others that only seem so, each in a separate function, with
 * its line marked: the hints must name all of the first and none of the second. The results are
 * meaningless. */
#include <stdint.h>
#include <stdlib.h>

enum { ROUNDS = 3500 };

static volatile uint64_t sink;
static uint64_t state = 88172645463325252u;

static uint64_t planted_next(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	return state ^= state << 17;
}

#define APART __attribute__((noinline, noclone))

/* A global that never changes, read in a loop that stores: for the compiler, a store might change
 * it. */
uint64_t scale = 77;
uint64_t cells[64];

APART static void constant_load(uint64_t *cell, const uint64_t *by)
{
	for (unsigned i = 0; i < 32; i++)
		cell[i] = cell[i] * *by + i; /* HINT reads 0x4d from scale in each iteration, and no store to it was seen: read it before the loop */
}

/* A global that the loop writes, always with its old value. */
uint64_t rewritten = 77;

APART static void stored_load(uint64_t *cell)
{
	for (unsigned i = 0; i < 32; i++) {
		cell[i] = cell[i] * rewritten + i; /* HINT reads 0x4d from rewritten each time, but planted.c:[0-9]+ stores there: test for it */
		*(volatile uint64_t *)&rewritten = cell[i] | 77 | ~UINT64_C(0) ? 77 : 78;
	}
}

/* An array that happens to hold one number. */
uint64_t sevens[32];

APART static void walking_load(uint64_t *cell, const uint64_t *from)
{
	for (unsigned i = 0; i < 32; i++)
		cell[i] += from[i] * cell[i]; /* HINT reads 7 in 100 % of all cases, from several places: test for it */
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

/* A division by a constant in a register, which another path changes. */
APART static uint64_t by_constant(uint64_t x, uint64_t n)
{
	uint64_t sum = 0, by, i;
	__asm__("	li %1, 97\n"
	        "	li %2, 0\n"
	        "	j 2f\n"
	        "1:	mv %1, %3\n"
	        "	j 3f\n"
	        "2:	beq %2, %3, 1b\n"
	        "	addi %2, %2, 1\n"
	        "	xor %0, %0, %4\n"
	        "	remu %0, %0, %1\n" /* nothing */
	        "	j 2b\n"
	        "3:"
	        : "+r"(sum), "=&r"(by), "=&r"(i) : "r"(n), "r"(x));
	return sum + by;
}

/* A number in read-only data. */
APART static double by_number(double x)
{
	return x / 3.7; /* nothing */
}

/* A division by anything. */
APART static uint64_t by_any(uint64_t x, uint64_t d)
{
	return x / d + 5; /* nothing */
}

/* A factor that is 1 in nine of ten, read from many places. */
uint8_t flags[4096];

APART static uint64_t mostly_one(uint64_t at)
{
	return at * flags[at & 4095] + 3; /* HINT reads 1 in (8[6-9]|9[0-4]) % of all cases, from several places: test for it */
}

/* The same value, tested for by the program. */
APART static uint64_t tested(uint64_t at)
{
	return flags[at & 4095] ? at * 5 : at * at; /* nothing */
}

/* Half of all cases: too few for a hint. */
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

volatile unsigned degree = 3, usual_degree = 5;
volatile double ratio = 1.5;

APART static uint64_t cubes(uint64_t x)
{
	return power(x, degree) + 1; /* HINT calls power with n \(a1\) = 3: specialise it for that \(100.0 % of [0-9,"]+ calls seen\) */
}

APART static uint64_t any_power(uint64_t x)
{
	return power(x, (unsigned)(x & 15)) + 1; /* nothing */
}

/* The paper's case: one exponent is the most common, here 3 in 98.9 % of all calls. */
APART static uint64_t raise(uint64_t x, unsigned n)
{
	uint64_t y = 1;
	for (; n; n--)
		y = y * x + n;
	return y;
}

APART static uint64_t mostly_cubes(uint64_t x, uint64_t chance)
{
	return raise(x, chance % 1000 < 989 ? 3 : (unsigned)(chance & 15)) + 1; /* HINT calls raise with n \(a1\) = 3: specialise it for that \((100\.0|9[6-9]\.[0-9]) % of [0-9,"]+ calls seen\) */
}

/* Called from two places, from each mostly with 5, so that the hint is about the callee. */
APART static uint64_t chain(uint64_t x, unsigned links)
{
	for (; links; links--) /* HINT is called with links \(a1\) = 5 from 2 places: specialise it for that \(9[0-9].[0-9] % of [0-9,"]+ calls seen\) */
		x = x * x + 7;
	return x;
}

APART static uint64_t chains(uint64_t x, unsigned links)
{
	const uint64_t y = chain(x, links);
	return chain(y, links) + 1; /* nothing */
}

/* One argument; the next argument's register holds a value that the previous function left. */
APART static uint64_t alone(uint64_t x)
{
	return x * 3 / (x | 1);
}

APART static uint64_t left_over(uint64_t x)
{
	const uint64_t five = usual_degree; /* HINT reads 5 from usual_degree each time, and no store to it was seen */
	register uint64_t a1 __asm__("a1") = five;
	__asm__ volatile("" : : "r"(a1));
	return alone(x) + 1; /* nothing */
}

/* An address that is constant only in this run. */
APART static uint64_t first_of(const uint64_t *at)
{
	return *at / 3 + 1;
}

uint64_t *block;

APART static uint64_t pointed(void)
{
	return first_of(block) + first_of(block + 1); /* HINT reads 0x[0-9a-f]+ from block each time, and no store to it was seen: make it an argument */
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
		flags[i] = planted_next() % 10 != 0;
		bits[i] = planted_next() & 1;
	}
	block = malloc(64);
	for (unsigned i = 0; i < 32; i++)
		sevens[i] = 7;
	for (unsigned i = 0; i < ROUNDS; i++) {
		const uint64_t x = planted_next();
		if (i % 4 == 0)
			constant_load(cells, &scale);
		if (i % 16 == 1)
			changing_load(x);
		if (i % 16 == 2)
			stored_load(cells);
		if (i % 16 == 3)
			walking_load(cells, sevens);
		if (i % 4 == 2)
			sink = by_constant(x, 12);
		ratio = by_number((double)(x >> 40));
		sink = by_eight(x, i % 50 ? 8 : x | 1); /* HINT calls by_eight with d \(a1\) = 8: specialise it for that */
		sink = by_any(x, (x >> 40) | 1);
		sink = mostly_one(x) + now_and_then(x) + tested(x);
		sink = cubes(x);
		sink = any_power(x);
		sink = mostly_cubes(x, x >> 20);
		sink = chains(x, i % 20 ? usual_degree : (unsigned)(x & 7)); /* HINT calls chains with links \(a1\) = 5 */
		sink = left_over(x);
		block[x & 1] = x; /* HINT reads 0x[0-9a-f]+ from block in each iteration, and no store to it was seen */
		sink = pointed();
		sink = one_target(x) + two_targets(x);
	}
	return 0;
}
