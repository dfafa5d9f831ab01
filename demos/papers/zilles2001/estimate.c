/* The estimation of invariances at the end of a value profile (Zilles and Sohi, appendix), for the machine to execute: what cyclops.values does in
 * Lua, so that its cycles can be counted among the overhead.
 *
 *     estimate TABLE PASSES    reads the entries of a cop_profile; estimates PASSES times, and prints the sum of all estimates
 *
 * The cycles of an estimation are those of a run with one pass, less those of a run without. */
#include <stdio.h>
#include <stdlib.h>

#include "cop_profile.h"

/* As in scripting/lua/values.lua. */
#define TESTED 8
#define GIVEN_UP (1 / 6.)
enum { ENTRIES_MAX = 1 << 14 };

static struct value_entry table[ENTRIES_MAX];
static double estimates[ENTRIES_MAX][VALUES];

static double least(double a, double b)
{
	return a < b ? a : b;
}

static void estimate(const struct value_entry *e, double out[VALUES])
{
	double hits = 0, rest = (double)e->total, n = 0;
	for (const struct value_count *v = e->values; v < e->values + VALUES && v->hits; v++) {
		hits += v->hits;
		rest -= (double)v->hits + v->misses;
		n++;
	}
	rest = rest > 0 ? rest : 0;
	for (unsigned i = 0; i < VALUES && e->values[i].hits; i++) {
		const struct value_count *v = &e->values[i];
		const double most = (v->hits - 1.) / ((double)v->hits + v->misses - 1 + TESTED);
		double samples = v->hits + rest * least(least(1 / n, most), GIVEN_UP);
		for (unsigned k = 0; k < VALUES && e->values[k].hits; k++)
			if (k != i)
				samples += e->values[k].misses * least(v->hits / (hits - e->values[k].hits), most);
		out[i] = samples / (double)e->total;
	}
}

int main(int argc, char **argv)
{
	FILE *f = argc == 3 ? fopen(argv[1], "rb") : NULL;
	if (!f) {
		fputs("usage: estimate TABLE PASSES\n", stderr);
		return 2;
	}
	const size_t n = fread(table, sizeof *table, ENTRIES_MAX, f);
	fclose(f);
	for (long passes = atol(argv[2]); passes > 0; passes--)
		for (size_t i = 0; i < n; i++)
			if (table[i].pc)
				estimate(&table[i], estimates[i]);
	double sum = 0;
	for (size_t i = 0; i < n; i++)
		for (unsigned k = 0; k < VALUES; k++)
			sum += estimates[i][k];
	printf("%.9f\n", sum);
	return 0;
}
