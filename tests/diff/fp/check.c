/* Reads the guest's records from standard input, and computes every result and flag again with
 * core/isa/fp.h. Each instruction and rounding mode is a test; the last line has their number, and
 * the exit status is 0 if all passed. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

#include "core/isa/fp.h"
#include "core/isa/regs.h"
#include "tests/diff/fp/record.h"

#define SIGN16 0x8000u
#define SIGN32 (UINT32_C(1) << 31)
#define SIGN64 (UINT64_C(1) << 63)

#define FP(id, mode, text, width, result, call) \
	static uint64_t compute_##id(uint64_t a, uint64_t b, uint64_t c, unsigned rm, uint64_t *f) \
	{ \
		(void)a, (void)b, (void)c, (void)rm, (void)f; \
		return call; \
	}
#include "tests/diff/fp/ops.def"
#undef FP

enum { MODES_NONE = 1, MODES_RM = 5 };

static const struct {
	const char *text;
	unsigned modes;
	uint64_t (*compute)(uint64_t a, uint64_t b, uint64_t c, unsigned rm, uint64_t *f);
} rows[] = {
#define FP(id, mode, text, width, result, call) { text, MODES_##mode, compute_##id },
#include "tests/diff/fp/ops.def"
#undef FP
};

enum { ROWS = sizeof rows / sizeof rows[0], SHOWN_PER_TEST = 3 };

static struct {
	uint64_t records;
	uint64_t wrong;
} tests[ROWS][MODES_RM];

static void fp_check_print_mismatch(const struct record *r, const char *way, uint64_t result,
                                    uint64_t fflags)
{
	printf("%s rm=%u (%s): a=%#" PRIx64 " b=%#" PRIx64 " c=%#" PRIx64 ": %#" PRIx64
	       " fflags %#" PRIx64 ", expected %#" PRIx64 " fflags %#" PRIx64 "\n",
	       rows[r->op].text, r->rm, way, r->a, r->b, r->c, result, fflags, r->result,
	       r->fflags);
}

/* Once with no flag raised before, once with NX, which lets the host's arithmetic help. */
static void fp_check_record(const struct record *r)
{
	uint64_t exact_flags = 0, quick_flags = FFLAG_NX;
	uint64_t exact = rows[r->op].compute(r->a, r->b, r->c, r->rm, &exact_flags);
	uint64_t quick = rows[r->op].compute(r->a, r->b, r->c, r->rm, &quick_flags);
	bool exact_wrong = exact != r->result || exact_flags != r->fflags;
	bool quick_wrong = quick != r->result || quick_flags != (r->fflags | FFLAG_NX);

	tests[r->op][r->rm].records++;
	if (!exact_wrong && !quick_wrong)
		return;
	if (tests[r->op][r->rm].wrong++ >= SHOWN_PER_TEST)
		return;
	if (exact_wrong)
		fp_check_print_mismatch(r, "exact", exact, exact_flags);
	else
		fp_check_print_mismatch(r, "NX set", quick, quick_flags);
}

int main(void)
{
	struct record r;
	unsigned passed = 0, failed = 0;

	while (fread(&r, sizeof r, 1, stdin) == 1) {
		if (r.op >= ROWS || r.rm >= rows[r.op].modes) {
			printf("record of unknown instruction %u, mode %u\n", r.op, r.rm);
			return 1;
		}
		fp_check_record(&r);
	}
	for (unsigned op = 0; op < ROWS; op++) {
		for (unsigned rm = 0; rm < rows[op].modes; rm++) {
			bool ok = tests[op][rm].records != 0 && tests[op][rm].wrong == 0;
			passed += ok;
			failed += !ok;
			if (!ok)
				printf("FAILED %s rm=%u: %" PRIu64 " of %" PRIu64 " records\n",
				       rows[op].text, rm, tests[op][rm].wrong,
				       tests[op][rm].records);
		}
	}
	printf("%u passed, %u failed\n", passed, failed);
	return failed == 0 ? 0 : 1;
}
