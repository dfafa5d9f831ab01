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

/* [OP_ROOM]: whatever stands in a byte; zeros where no operation is. */
extern const struct encoding encodings[OP_ROOM];

/* The bits of an instruction of in->len bytes (2 or 4) that decodes to in's op, rd, rs1, rs2, rs3,
 * imm and rm; klass and raw are not read. Operands that its format has not are zero. A destination
 * x0 may be 0 or REG_SINK, and a floating-point register may be given as 0..31. False, *raw as it
 * was, if there is no such encoding: an immediate does not fit, a register can't stand there, or
 * the operation has no form of that length. A 2-byte form is searched for, some thousand times
 * slower. */
bool inst_encode(const struct inst *in, uint32_t *raw);

/* The same for a branch or jal, of either length, that is to lead `offset` bytes away instead: at
 * once, where inst_encode() searches. in->raw is read. False if it doesn't reach. */
bool inst_retarget(const struct inst *in, int64_t offset, uint32_t *raw);
/* The branch that is taken when this one isn't. */
enum op inst_opposite(enum op branch);

#endif
