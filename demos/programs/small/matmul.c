/*
 * matmul: one matrix product, three loop orders.
 *
 * Shows floating-point latency and cache stride. ijk: a dot product, a chain of dependent
 * multiply-adds at the adder's latency, and B read down its columns. ikj: rows of B and C, no chain
 * between iterations, so the units fill up. jki: every access strides by a row: the worst for the
 * caches. Usage: matmul [N], N 1..512, default 40. The three results are compared and must agree.
 *
 * Tour, two minutes: `build/cyclops build/demos/matmul`, then type (or run demos/tours/matmul.cyc):
 *     break multiply_ijk    also multiply_ikj and multiply_jki, each with:
 *     break multiply_ikj
 *     break multiply_jki
 *     continue
 *     finish                212,000, 143,000, 205,000 cycles
 *     goto start
 *     continue
 *     goto +20001           into the first again
 *     view pipe             a staircase of fmadd.d: each needs the one before
 *     why
 *     print cpi.dependency
 *     step 1000
 *     print cpi.dependency  2,084 of 4,000 slots went there
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void multiply_ijk(size_t n, const double *a, const double *b, double *c)
{
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++) {
			double sum = 0;
			for (size_t k = 0; k < n; k++)
				sum += a[i * n + k] * b[k * n + j];
			c[i * n + j] = sum;
		}
}

static void multiply_ikj(size_t n, const double *a, const double *b, double *c)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < n; k++)
			for (size_t j = 0; j < n; j++)
				c[i * n + j] += a[i * n + k] * b[k * n + j];
}

static void multiply_jki(size_t n, const double *a, const double *b, double *c)
{
	for (size_t j = 0; j < n; j++)
		for (size_t k = 0; k < n; k++)
			for (size_t i = 0; i < n; i++)
				c[i * n + j] += a[i * n + k] * b[k * n + j];
}

int main(int argc, char **argv)
{
	static void (*const orders[])(size_t, const double *, const double *, double *) = {
		multiply_ijk, multiply_ikj, multiply_jki,
	};
	static const char *const names[] = {"ijk", "ikj", "jki"};
	size_t n = argc > 1 ? strtoul(argv[1], NULL, 10) : 40;
	double *m = n >= 1 && n <= 512 ? calloc(4 * n * n, sizeof *m) : NULL;
	if (!m) {
		fprintf(stderr, "matmul: N must be 1..512\n");
		return 1;
	}
	double *a = m, *b = m + n * n, *c = m + 2 * n * n, *first = m + 3 * n * n;

	/* Small integers: every sum is exact, so the order of additions cannot show in the result. */
	for (size_t i = 0; i < n * n; i++) {
		a[i] = (double)(i % 7) - 3;
		b[i] = (double)(i % 5) - 2;
	}
	int status = 0;
	for (int o = 0; o < 3; o++) {
		memset(c, 0, n * n * sizeof *c);
		orders[o](n, a, b, c);
		double trace = 0;
		for (size_t i = 0; i < n; i++)
			trace += c[i * n + i];
		if (o == 0)
			memcpy(first, c, n * n * sizeof *c);
		int same = memcmp(first, c, n * n * sizeof *c) == 0;
		printf("%s: trace %.0f, %s\n", names[o], trace, same ? "same" : "DIFFERENT");
		status |= !same;
	}
	free(m);
	return status;
}
