/* Half precision as compilers write it: sums, products, square roots, comparisons and conversions
 * of _Float16. */
#include <stdint.h>
#include <stdio.h>

static _Float16 table[256];

static _Float16 horner(_Float16 x)
{
	_Float16 y = 0;
	for (int i = 0; i < 8; i++)
		y = y * x + table[i];
	return y;
}

int main(void)
{
	uint32_t seed = 34;
	float sum = 0;
	int less = 0;
	for (int i = 0; i < 256; i++) {
		seed = seed * 1664525 + 1013904223;
		table[i] = (_Float16)((int)(seed >> 16) - 32768) / (_Float16)4096;
	}
	for (int round = 0; round < 20; round++)
		for (int i = 1; i < 256; i++) {
			const _Float16 x = table[i], y = table[i - 1];
			table[i - 1] = x < y ? horner(x) / (y + (_Float16)3)
			                     : (_Float16)((float)x * 0.5f + (float)y);
			less += x < y;
			if (table[i - 1] > (_Float16)100 || table[i - 1] < (_Float16)-100 ||
			    table[i - 1] != table[i - 1])
				table[i - 1] = (_Float16)(i / 16.0);
			sum += (float)table[i - 1];
		}
	printf("%a %d %d %ld %a\n", (double)sum, less, (int)table[3],
	       (long)(table[7] * (_Float16)10), (double)table[200]);
	return 0;
}
