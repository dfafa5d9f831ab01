/* Compares two files of records (layout.h) and prints which blocks differ and where.
 *
 *   compare REFERENCE OTHER FIRST COUNT REPLAY
 *
 * REPLAY is printed with the seed and " 1" after it. Prints "N passed, N failed"; status 1 if any
 * failed. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/isa/regs.h"
#include "tests/diff/random/layout.h"

enum { WORDS = sizeof(struct record) / 8, SHOWN = 10 };

static const char *word_name(unsigned i)
{
	if (i == 0)
		return "seed";
	if (i < 32)
		return reg_name(i);
	if (i < 64)
		return reg_name(REG_F0 + i - 32);
	return i == 64 ? "fcsr" : "memory digest";
}

static void show_differences(const struct record *want, const struct record *got)
{
	uint64_t a[WORDS], b[WORDS];
	memcpy(a, want, sizeof(a));
	memcpy(b, got, sizeof(b));
	for (unsigned i = 0; i < WORDS; i++)
		if (a[i] != b[i])
			printf("    %-14s reference %016" PRIx64 ", here %016" PRIx64 "\n",
			       word_name(i), a[i], b[i]);
}

int main(int argc, char **argv)
{
	if (argc != 6) {
		fprintf(stderr, "usage: compare REFERENCE OTHER FIRST COUNT REPLAY\n");
		return 2;
	}
	FILE *reference = fopen(argv[1], "rb"), *other = fopen(argv[2], "rb");
	if (!reference || !other) {
		perror(reference ? argv[2] : argv[1]);
		return 2;
	}
	uint32_t first = (uint32_t)strtoul(argv[3], NULL, 10),
		 count = (uint32_t)strtoul(argv[4], NULL, 10);
	unsigned failed = 0;
	bool ended = false;
	for (uint32_t i = 0; i < count; i++) {
		struct record want, got;
		bool have = fread(&want, sizeof(want), 1, reference) == 1;
		bool answered = !ended && fread(&got, sizeof(got), 1, other) == 1;
		if (have && answered && memcmp(&want, &got, sizeof(want)) == 0)
			continue;
		if (failed++ < SHOWN && !ended) {
			printf("seed %" PRIu32 ": %s; replay: %s %" PRIu32 " 1\n", first + i,
			       !have       ? "the reference wrote no record"
			       : !answered ? "no record: it ended early"
			                   : "differs",
			       argv[5], first + i);
			if (have && answered)
				show_differences(&want, &got);
		}
		ended = ended || !answered;
	}
	printf("%u passed, %u failed\n", count - failed, failed);
	fclose(reference);
	fclose(other);
	return failed != 0;
}
