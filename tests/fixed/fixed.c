/* Runs a fuzz target without a fuzzer: the same inputs each time, from a seed. For builds of any
 * compiler, and for CI.
 *
 *   fixed_NAME COUNT SEED [FILE...]     each file as it is, then COUNT inputs: bytes at random, or
 * files with changes
 *
 * A finding ends the process; the input is printed before on stdout. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerInitialize(int *argc, char ***argv) __attribute__((weak));
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t max, unsigned seed)
	__attribute__((weak));
size_t LLVMFuzzerMutate(uint8_t *data, size_t n, size_t max);

enum { RANDOM_MAX = 600, FILE_MAX = 1 << 20 };

static uint64_t state;

static size_t below(size_t n)
{
	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return n ? (size_t)((state >> 33) % n) : 0;
}

/* A byte or a few. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t n, size_t max)
{
	(void)max;
	for (size_t i = 1 + below(4); n && i; i--)
		data[below(n)] = (uint8_t)(below(2) ? below(256)
		                                    : (size_t[]){0, 1, 127, 128, 255}[below(5)]);
	return n;
}

static size_t read_file(const char *path, uint8_t *to)
{
	FILE *f = fopen(path, "rb");
	if (!f) {
		perror(path);
		exit(2);
	}
	const size_t n = fread(to, 1, FILE_MAX, f);
	fclose(f);
	return n;
}

static size_t make(uint8_t *to, int files, char **file)
{
	size_t n = 0;
	if (files && below(8)) {
		n = read_file(file[below((size_t)files)], to);
		return LLVMFuzzerCustomMutator
		               ? LLVMFuzzerCustomMutator(to, n, FILE_MAX, (unsigned)below(1u << 30))
		               : LLVMFuzzerMutate(to, n, FILE_MAX);
	}
	for (const size_t length = 1 + below(RANDOM_MAX); n < length; n++)
		to[n] = (uint8_t)below(256);
	return n;
}

/* In a block of exact size, so that a sanitizer finds reads beyond it. */
static void run(const uint8_t *bytes, size_t n)
{
	uint8_t *copy = malloc(n + !n);
	if (!copy)
		exit(2);
	memcpy(copy, bytes, n);
	LLVMFuzzerTestOneInput(copy, n);
	free(copy);
}

int main(int argc, char **argv)
{
	static uint8_t input[FILE_MAX];
	if (argc < 3)
		return 2;
	const long count = atol(argv[1]);
	const uint64_t seed = strtoull(argv[2], NULL, 10);
	if (LLVMFuzzerInitialize)
		LLVMFuzzerInitialize(&argc, &argv);
	for (int i = 3; i < argc; i++) {
		printf("%s\n", argv[i]);
		fflush(stdout);
		run(input, read_file(argv[i], input));
	}
	for (long i = 0; i < count; i++) {
		printf("input %ld\n", i);
		fflush(stdout);
		/* Each follows from its number: one can be tried alone. */
		state = (seed << 32) + (uint64_t)i;
		below(1);
		const size_t n = make(input, argc - 3, argv + 3);
		run(input, n);
	}
	printf("%ld inputs\n", count);
	return 0;
}
