/* What code alone fixes: which registers have one value at an instruction whatever its function was
 * called with, and which.
 *
 * Constants are followed along all ways through a function: a register is known where every way
 * that leads there has put the same value into it. Unknown are what a function begins with (but
 * zero, sp and gp), what calls may change, and what is read from memory that can be written. Where
 * an indirect jump leads is not known: anywhere that no other way leads to. */
#ifndef CYCLOPS_HWVIEWS_REPORTS_CONSTANTS_H
#define CYCLOPS_HWVIEWS_REPORTS_CONSTANTS_H

#include "hwviews/program/code_lines.h"

enum constant_base { BASE_UNKNOWN, BASE_NUMBER, BASE_SP, BASE_GP };

/* Registers before an instruction, x0..x31, f0..f31. */
struct constants {
	/* the number, or bytes from what sp and gp were as the function began */
	uint64_t value[64];
	uint8_t base[64];   /* enum constant_base */
};

/* What is so before the instruction at pc. Where its function is too long, or memory is out, that
 * is what all functions begin with. */
void constants_before(const struct session *s, uint64_t pc, struct constants *out);

static inline enum constant_base constants_base(const struct constants *c, unsigned reg)
{
	return reg < 64 ? (enum constant_base)c->base[reg] : BASE_UNKNOWN;
}

/* Whether the code fixes what the instruction writes. */
bool constants_fix_result(const struct session *s, const struct constants *before,
                          const struct code *c);

#endif
