/* Instructions as bits: the inverse of inst_decode(), from the same table. */
#ifndef CYCLOPS_CORE_ISA_ENCODE_H
#define CYCLOPS_CORE_ISA_ENCODE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/isa/inst.h"

/* The 4-byte form of an operation: raw & mask == match, the other bits are operands. */
struct encoding {
	uint32_t match, mask;
};

extern const struct encoding encodings[]; /* [op_count] */

/* The bits of an instruction of in->len bytes (2 or 4) that decodes to in's op, rd, rs1, rs2, rs3,
 * imm and rm; klass and raw are not read. Operands that its format lacks must be zero. A
 * destination x0 may be 0 or REG_SINK, and a floating-point register may be given as 0..31. False,
 * *raw unchanged, if there is no such encoding: an immediate does not fit, a register is not
 * encodable there, or the operation has no form of that length. A 2-byte form is found by search,
 * about a thousand times slower. */
bool inst_encode(const struct inst *in, uint32_t *raw);

/* Encodes a branch or jal, of either length, with a new `offset` in bytes, without the search of
 * inst_encode(). Reads in->raw. False if the offset does not fit. */
bool inst_retarget(const struct inst *in, int64_t offset, uint32_t *raw);
/* The branch with the opposite condition; OP_ILLEGAL if `branch` is not a branch. */
unsigned inst_opposite(unsigned branch);

#endif
