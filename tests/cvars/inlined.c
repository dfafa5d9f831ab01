/* Nested inlined functions, for cpp.sh and tests/dap/as_gdb.sh. */
#include <stdio.h>

static int total;

static inline __attribute__((always_inline)) int square(int v)
{
	int twice = v * v;
	total += twice;
	return twice;
}

static inline __attribute__((always_inline)) int both(int a, int b)
{
	int one = square(a);
	int two = square(b);
	return one + two;
}

__attribute__((noinline)) int run(int n)
{
	int sum = 0;
	for (int i = 0; i < n; i++) {
		sum += both(i, i + 1);
		sum ^= total;
	}
	return sum;
}

int main(void)
{
	printf("%d\n", run(5));
	printf("%d\n", square(total));
	return 0;
}
