/* Bodies of loops that more than one group of micro-programs uses; the second argument is how many
 * instructions, or another number by the comment. */
#ifndef CYCLOPS_TESTS_TIMING_BODIES_H
#define CYCLOPS_TESTS_TIMING_BODIES_H

#include "tests/timing/encode.h"
#include "tests/timing/harness.h"

static inline void bodies_emit_taken_branches(struct program *p, int64_t n)
{
	while (n-- > 0) {
		emit(p, rv_beq(0, 0, 8));
		emit(p, rv_nop());
	}
}

static inline void bodies_emit_jumps(struct program *p, int64_t n)
{
	while (n-- > 0) {
		emit(p, rv_jal(0, 8));
		emit(p, rv_nop());
	}
}

/* Straight code of so many bytes, with the loop around it. */
static inline void bodies_emit_code(struct program *p, int64_t bytes)
{
	nops(p, bytes / 4 - 2);
}

static inline void div_chain(struct program *p, int64_t n)
{
	while (n-- > 0)
		emit(p, rv_divu(10, 10, 10));
}

static inline void bodies_emit_divs(struct program *p, int64_t n)
{
	while (n-- > 0)
		emit(p, rv_divu(11, 10, 10));
}

#endif
