/* Executes every row of ops.def, in every rounding mode that it has, on seeded operands, and writes a
 * record of each to standard output.
 *
 *   guest SEED COUNT     COUNT operand lists per instruction and mode
 */
#include <stdio.h>
#include <stdlib.h>

#include "tests/diff/fp/operands.h"
#include "tests/diff/fp/record.h"

struct row {
	unsigned width;
	void (*run[5])(struct record *r); /* by rounding mode; only the first if there is none */
};

#define RESULT_F "fmv.x.d %[r], ft3\n\t"
#define RESULT_X ""

#define EXECUTE(text, result_kind) \
	__asm__ volatile("fmv.d.x ft0, %[a]\n\t" \
			 "fmv.d.x ft1, %[b]\n\t" \
			 "fmv.d.x ft2, %[c]\n\t" \
			 "fsflags zero\n\t" text "\n\t" \
			 "frflags %[f]\n\t" RESULT_##result_kind \
			 : [r] "=&r"(r->result), [f] "=&r"(r->fflags) \
			 : [a] "r"(r->a), [b] "r"(r->b), [c] "r"(r->c) \
			 : "ft0", "ft1", "ft2", "ft3")

#define RUN(id, mode, text, result_kind) \
	static void run_##id##_##mode(struct record *r) \
	{ \
		EXECUTE(text, result_kind); \
	}
#define RUN_RM(id, text, result_kind) \
	RUN(id, rne, text ", rne", result_kind) \
	RUN(id, rtz, text ", rtz", result_kind) \
	RUN(id, rdn, text ", rdn", result_kind) \
	RUN(id, rup, text ", rup", result_kind) \
	RUN(id, rmm, text ", rmm", result_kind)
#define RUN_NONE(id, text, result_kind) RUN(id, none, text, result_kind)
#define FP(id, mode, text, width, result_kind, call) RUN_##mode(id, text, result_kind)
#include "tests/diff/fp/ops.def"
#undef FP

#define MODES_RM(id) run_##id##_rne, run_##id##_rtz, run_##id##_rdn, run_##id##_rup, run_##id##_rmm
#define MODES_NONE(id) run_##id##_none
#define FP(id, mode, text, width, result_kind, call) { width, { MODES_##mode(id) } },
static const struct row rows[] = {
#include "tests/diff/fp/ops.def"
};
#undef FP

/* Boxes a narrower number, sometimes badly: the instruction must then read a NaN. */
static uint64_t source_register(unsigned width, uint64_t v, uint64_t *seed)
{
	if (width != 32 && width != 16)
		return v;
	return v | (hash_splitmix64_next(seed) % 64 == 0 ? hash_splitmix64_next(seed) : UINT64_MAX)
	                   << width;
}

int main(int argc, char **argv)
{
	if (argc != 3) {
		fprintf(stderr, "usage: guest SEED COUNT\n");
		return 2;
	}
	uint64_t seed = strtoull(argv[1], NULL, 0);
	unsigned long count = strtoul(argv[2], NULL, 0);

	for (uint32_t op = 0; op < sizeof rows / sizeof rows[0]; op++) {
		const struct row *row = &rows[op];
		for (uint32_t rm = 0; rm < 5 && row->run[rm]; rm++) {
			for (unsigned long n = 0; n < count; n++) {
				uint64_t v[3];
				fp_operands(row->width, &seed, v);
				struct record r = { .op = op, .rm = rm };
				r.a = source_register(row->width, v[0], &seed);
				r.b = source_register(row->width, v[1], &seed);
				r.c = source_register(row->width, v[2], &seed);
				row->run[rm](&r);
				if (fwrite(&r, sizeof r, 1, stdout) != 1) {
					perror("guest");
					return 1;
				}
			}
		}
	}
	return fflush(stdout) == 0 ? 0 : 1;
}
