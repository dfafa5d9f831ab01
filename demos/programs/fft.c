/*
 * fft: computes large powers of two, digit by digit, by squaring with fast Fourier transforms.
 *
 * Behaviour. Floating point for which memory decides. The butterflies of one pass are independent of
 * each other - four loads, ten operations, four stores - so they can keep the FP units busy; but the passes
 * run through 256 KB with the halves of a butterfly 16, 32, 64 bytes apart, and so on up to half of the
 * array: 40% of all accesses miss the L1, most of them on a line that is on its way. A window of 64 hides that,
 * because nothing waits for the results of this butterfly in the next one; one of 8 (pipe.rob_size) halves the IPC.
 * The reordering before a transform (reverse_bits) reads in one order and writes in another, far away each time:
 * misses too, but stores that nothing waits for. Carrying at the end is the opposite: integer divisions in one chain.
 *
 * Input. Exponents of Mersenne primes, one a line, with the number's first and last digits.
 * Usage: fft FILE
 *
 * Expected. For each exponent the number of digits of 2^e - 1, its first and last twelve digits, which are
 * published, and "ok" if they and the remainder by a large prime, computed without any
 * Fourier transform, are right; the largest distance of a result from an integer, which must stay
 * below a quarter. Exit status 1 otherwise.
 *
 * Tour, two minutes: `build/cyclops build/demos/fft ...`, then type (or run demos/tours/fft.cyc):
 *     tbreak fft.c:116  the heart of a transform
 *     ignore 1 100000   ... after 100,000 butterflies
 *     continue
 *     step 80
 *     view l1d          the map of the data cache: every set is full
 *     view pipe         butterflies overlap: staggered M and X rows
 *     view tlb          pages touched by the strides
 *     view cpi
 */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIMB_DIGITS = 4, LIMB = 10000, SHOWN = 12, EXPONENT_MAX = 1 << 22 };

static const uint64_t check_prime = 1000000007;

struct complex {
	double re, im;
};

/* Everything a transform of one size needs. */
struct transform {
	size_t size;			/* a power of two */
	struct complex *root;		/* owned, [size / 2]: root[k] = exp(-2 pi i k / size) */
	struct complex *data;		/* owned, [size] */
	struct complex *spare;		/* owned, [size] */
};

/* A natural number, least significant limb first. */
struct number {
	uint32_t *limb;			/* owned, [room] */
	size_t count, room;
};

static void *must(void *memory)
{
	if (!memory) {
		fprintf(stderr, "fft: out of memory\n");
		exit(1);
	}
	return memory;
}

static void transform_deinit(struct transform *t)
{
	free(t->root);
	free(t->data);
	free(t->spare);
	*t = (struct transform){0};
}

static void transform_init(struct transform *t, size_t size)
{
	const double pi = 3.14159265358979323846;
	transform_deinit(t);
	t->size = size;
	t->root = must(malloc((size / 2 + 1) * sizeof *t->root));
	t->data = must(malloc(size * sizeof *t->data));
	t->spare = must(malloc(size * sizeof *t->spare));
	for (size_t k = 0; k < size / 2; k++) {
		double angle = -2 * pi * (double)k / (double)size;
		t->root[k] = (struct complex){cos(angle), sin(angle)};
	}
}

/* spare[reversed i] = data[i], then the two change places. */
static void reverse_bits(struct transform *t)
{
	size_t reversed = 0;
	for (size_t i = 0; i < t->size; i++) {
		t->spare[reversed] = t->data[i];
		/* Adds one to the reversed counter: the carry runs from the top bit down. */
		size_t bit = t->size >> 1;
		for (; reversed & bit; bit >>= 1)
			reversed ^= bit;
		reversed |= bit;
	}
	struct complex *swap = t->data;
	t->data = t->spare;
	t->spare = swap;
}

/* One pass: combines pairs of transforms of `half` points into transforms of twice as many. */
static void pass(struct complex *data, size_t size, size_t half, const struct complex *root)
{
	size_t stride = size / 2 / half;
	for (size_t block = 0; block < size; block += 2 * half) {
		struct complex *low = data + block, *high = low + half;
		for (size_t k = 0; k < half; k++) {
			struct complex w = root[k * stride], a = low[k], b = high[k];
			struct complex turned = {b.re * w.re - b.im * w.im, b.re * w.im + b.im * w.re};
			low[k] = (struct complex){a.re + turned.re, a.im + turned.im};
			high[k] = (struct complex){a.re - turned.re, a.im - turned.im};
		}
	}
}

static void forward(struct transform *t)
{
	reverse_bits(t);
	for (size_t half = 1; half < t->size; half *= 2)
		pass(t->data, t->size, half, t->root);
}

/* n := n * n. Returns how far from an integer the worst result was. */
static double square(struct number *n, struct transform *t)
{
	size_t size = 2;
	while (size < 2 * n->count)
		size *= 2;
	if (t->size != size)
		transform_init(t, size);
	for (size_t i = 0; i < size; i++)
		t->data[i] = (struct complex){i < n->count ? n->limb[i] : 0, 0};
	forward(t);
	/* The transform of the square is the square of the transform; conjugated, it is transformed back. */
	for (size_t i = 0; i < size; i++) {
		struct complex c = t->data[i];
		t->data[i] = (struct complex){c.re * c.re - c.im * c.im, -2 * c.re * c.im};
	}
	forward(t);

	double worst = 0, scale = 1 / (double)size;
	uint64_t carry = 0;
	n->count *= 2;
	for (size_t i = 0; i < n->count; i++) {
		double value = t->data[i].re * scale, whole = floor(value + 0.5);
		worst = fmax(worst, fabs(value - whole));
		carry += (uint64_t)whole;
		n->limb[i] = (uint32_t)(carry % LIMB);
		carry /= LIMB;
	}
	while (n->count > 1 && n->limb[n->count - 1] == 0)
		n->count--;
	return worst;
}

static void twice(struct number *n)
{
	uint32_t carry = 0;
	for (size_t i = 0; i < n->count; i++) {
		uint32_t limb = 2 * n->limb[i] + carry;
		carry = limb >= LIMB;
		n->limb[i] = carry ? limb - LIMB : limb;
	}
	if (carry)
		n->limb[n->count++] = carry;
}

static uint64_t remainder_of(const struct number *n, uint64_t by)
{
	uint64_t remainder = 0;
	for (size_t i = n->count; i-- > 0;)
		remainder = (remainder * LIMB + n->limb[i]) % by;
	return remainder;
}

static uint64_t power_modulo(uint64_t base, uint64_t exponent, uint64_t by)
{
	uint64_t result = 1;
	for (; exponent; exponent >>= 1) {
		if (exponent & 1)
			result = result * base % by;
		base = base * base % by;
	}
	return result;
}

/* The digits of n, with no zeros in front; the caller frees them. */
static char *digits_of(const struct number *n)
{
	char *text = must(malloc(n->count * LIMB_DIGITS + 1)), *out = text;
	for (size_t i = n->count; i-- > 0; out += LIMB_DIGITS) {
		uint32_t limb = n->limb[i];
		for (int d = LIMB_DIGITS - 1; d >= 0; d--, limb /= 10)
			out[d] = (char)('0' + limb % 10);
	}
	*out = '\0';
	size_t zeros = strspn(text, "0");
	memmove(text, text + zeros, strlen(text + zeros) + 1);
	return text;
}

static bool mersenne(unsigned exponent, const char *first, const char *last)
{
	struct number n = {.room = 2 * (exponent / 13 + 4)};	/* a limb holds more than 13 bits */
	struct transform t = {0};
	n.limb = must(calloc(n.room, sizeof *n.limb));
	n.limb[0] = 1;
	n.count = 1;
	double worst = 0;
	for (int bit = 31 - __builtin_clz(exponent); bit >= 0; bit--) {
		worst = fmax(worst, square(&n, &t));
		if (exponent >> bit & 1)
			twice(&n);
	}
	n.limb[0]--;	/* a power of two does not end in 0: no borrow */

	char *digits = digits_of(&n);
	size_t length = strlen(digits), from = length < SHOWN ? 0 : length - SHOWN;
	bool ok = worst < 0.25 && strncmp(digits, first, strlen(first)) == 0 && strcmp(digits + from, last) == 0 &&
		  remainder_of(&n, check_prime) == (power_modulo(2, exponent, check_prime) + check_prime - 1) % check_prime;
	printf("2^%u - 1: %zu digits, %.*s ... %s, transforms up to %zu points, error %s 1/4, %s\n", exponent, length,
	       SHOWN, digits, digits + from, t.size, worst < 0.25 ? "below" : "ABOVE", ok ? "ok" : "WRONG");
	free(digits);
	transform_deinit(&t);
	free(n.limb);
	return ok;
}

int main(int argc, char **argv)
{
	FILE *file = argc == 2 ? fopen(argv[1], "r") : NULL;
	if (!file) {
		if (argc == 2)
			perror(argv[1]);
		else
			fprintf(stderr, "usage: fft FILE\n");
		return 2;
	}
	bool ok = true;
	char line[128], first[32], last[32];
	while (fgets(line, sizeof line, file)) {
		unsigned exponent;
		if (line[0] == '#' || line[0] == '\n')
			continue;
		if (sscanf(line, "%u %31s %31s", &exponent, first, last) != 3 || exponent < 1 || exponent > EXPONENT_MAX) {
			printf("not an exponent with its digits: %s", line);
			ok = false;
			continue;
		}
		ok &= mersenne(exponent, first, last);
	}
	fclose(file);
	return !ok;
}
