/* The speed of compressors: tuples a second, also by component, for a stream like a program's loads.
 *
 *   build/release/tests/bench/compress [COMPRESSOR...]
 *
 * The fastest of REPEAT rounds counts, since other load only slows a round. For callgrind:
 *   valgrind --tool=callgrind build/release/tests/bench/compress "P(256)" */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/base/hash.h"
#include "core/prof/sampler/tuple_profile.h"

enum { TUPLES = 1 << 20, REPEAT = 5, MESSAGES = 4096, PCS = 400 };

/* 400 loads of very different frequency; half of them load few values, one in four addresses, one
 * in four random values. */
static void bench_compress_fill_tuples(struct tuple *t)
{
	uint64_t random = 1;
	for (unsigned i = 0; i < TUPLES; i++) {
		uint64_t r = hash_splitmix64_next(&random);
		uint64_t pc = (r % PCS) * (r >> 32 & 0xffff) >> 16,
			 w = hash_splitmix64_next(&random);
		t[i].pc = 0x10400 + 4 * pc;
		t[i].value = pc % 4 < 2 ? w % 4 : pc % 4 == 2 ? 0x7ff000 + 8 * (w & 1023) : w;
	}
}

static double bench_compress_cpu_seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void bench_compress_measure_spec(const char *text, const struct tuple *t)
{
	static struct message out[MESSAGES];
	struct compressor_spec spec;
	struct compressor c;
	struct err err;
	double best = 1e9;
	size_t messages = 0;
	if (!compressor_parse(text, &spec, &err)) {
		fprintf(stderr, "%s\n", err.msg);
		exit(1);
	}
	void *memory = aligned_alloc(64, compressor_bytes(&spec));
	if (!memory || !compressor_init(&c, &spec, memory, &err))
		exit(1);
	memset(memory, 0, compressor_bytes(&spec));
	compressor_reset(&c, 1);
	for (unsigned i = 0; i < REPEAT; i++) {
		double start = bench_compress_cpu_seconds();
		messages = 0;
		for (size_t at = 0, taken; at < TUPLES; at += taken)
			messages += compressor_feed(&c, t + at, TUPLES - at, out, MESSAGES, &taken);
		double took = bench_compress_cpu_seconds() - start;
		best = took < best ? took : best;
	}
	printf("| %-32s | %8.1f | %8.2f | %9.2f |\n", text, TUPLES / best / 1e6, best * 1e9 / TUPLES, 100.0 * (double)messages / TUPLES);
	compressor_deinit(&c);
	free(memory);
}

static void bench_profile(const struct tuple *t)
{
	double best = 1e9;
	for (unsigned i = 0; i < REPEAT; i++) {
		struct tuple_profile p;
		tuple_profile_init(&p, tuple_memory_host);
		double start = bench_compress_cpu_seconds();
		for (unsigned i = 0; i < TUPLES; i++)
			if (!tuple_profile_add(&p, t[i], 1))
				exit(1);
		double took = bench_compress_cpu_seconds() - start;
		best = took < best ? took : best;
		tuple_profile_deinit(&p);
	}
	printf("| %-32s | %8.1f | %8.2f | %9s |\n", "the ideal profile", TUPLES / best / 1e6, best * 1e9 / TUPLES, "");
}

int main(int argc, char **argv)
{
	static const char *const usual[] = {
		"R(256)", "Rc(256)", "P(256)", "C(R(256))", "H(P(256), 2048)", "H(P(256), 2048, fold)", "H(P(256), 2048, modulo)", "H(P(512), 2048)", "H(R(256), 2048)",
		"T(2048, ways=1)", "T(2048, ways=2)", "T(2048, ways=4)", "A(16)", "H(P(256), 2048), A(16)", "T(2048, ways=2), A(16)",
	};
	struct tuple *t = malloc(TUPLES * sizeof *t);
	if (!t)
		return 1;
	bench_compress_fill_tuples(t);
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("| compressor                       | M tuples | ns/tuple | messages %% |\n| -------------------------------- | -------: | -------: | ---------: |\n");
	for (int i = 1; i < argc; i++)
		bench_compress_measure_spec(argv[i], t);
	for (size_t i = 0; argc == 1 && i < sizeof usual / sizeof *usual; i++)
		bench_compress_measure_spec(usual[i], t);
	if (argc == 1)
		bench_profile(t);
	free(t);
	return 0;
}
