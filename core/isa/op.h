/* The operations and extensions of `core/isa/rv64.def` by name. */
#ifndef CYCLOPS_CORE_ISA_OP_H
#define CYCLOPS_CORE_ISA_OP_H

#include <assert.h>

#include "core/isa/inst.h"

enum op {
	OP_UNDEFINED = OP_ILLEGAL,
#define OP(id, ...) OP_##id,
#include "core/isa/rv64.def"
	OP_COUNT, /* end of RV64's operations; RV32's variants follow */
	OP_BEFORE_RV32 = OP_COUNT - 1,
#define OP32(id, ...) OP_RV32_##id,
#include "core/isa/rv32.def"
	OP_ALL
};
static_assert((int)OP_ALL <= (int)OP_ROOM, "struct inst has OP_BITS bits for the operation");

/* struct inst.form of an operation in its short or its full form. */
#define OP_FORM(op, len) ((op) | (len) << OP_BITS)

/* Extensions that a machine may have beyond RV64GC. */
enum extension {
	EXT_NONE, /* RV64GC, and Xprof */
#define EXTENSION(id, ...) EXT_##id,
#include "core/isa/rv64.def"
	EXT_ZCB, /* short forms only: Zcb has no operations of its own */
	EXT_COUNT
};

/* The ranges (core/base/state_ranges.h) of an instruction's op and len in each of n structures from
 * `table` on; `in` is the member path to the instruction, with a final dot: INST_FORM_RANGES(rs,
 * name, u, n, inst.) */
#define INST_FORM_RANGES(rs, name, table, n, in)                                                   \
	do {                                                                                       \
		RANGE_PART(rs, name, table, n, in form, 0, OP_BITS, #in "op", RANGE_MOST,          \
		           OP_ALL - 1);                                                            \
		RANGE_PART(rs, name, table, n, in form, OP_BITS, 16 - OP_BITS, #in "len",          \
		           RANGE_MOST, 4);                                                         \
	} while (0)

/* An instruction's extension: EXT_ZCB for its short forms, whatever their operation. */
enum extension inst_extension(const struct inst *in);
/* "zba"; of EXT_NONE "rv64gc". */
const char *extension_name(enum extension e);

#endif
