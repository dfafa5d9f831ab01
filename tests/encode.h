/* Encodes instructions for tests, by the project's encoder. Registers are 0..31 of the file that
 * the operation uses; immediates are as the assembler takes them, offsets in bytes. An instruction
 * that can't be encoded ends the test. */
#ifndef CYCLOPS_TESTS_ENCODE_H
#define CYCLOPS_TESTS_ENCODE_H

#include <stdio.h>
#include <stdlib.h>

#include "core/isa/encode.h"
#include "core/isa/op.h"

static inline uint32_t enc_inst(struct inst in)
{
	uint32_t raw = 0;
	if (!inst_encode(&in, &raw)) {
		fprintf(stderr, "no such instruction: %s %u, %u, %u, %u, %d, %u in %u bytes\n",
		        op_info[in.op].mnemonic, in.rd, in.rs1, in.rs2, in.rs3, in.imm, in.rm,
		        in.len);
		abort();
	}
	return raw;
}

/* ENC(ADDI, .rd = 5, .rs1 = 6, .imm = -1); ENC_C the same in two bytes. */
#define ENC(operation, ...) enc_inst((struct inst){.op = OP_##operation, .len = 4, __VA_ARGS__})
#define ENC_C(operation, ...)                                                                      \
	((uint16_t)enc_inst((struct inst){.op = OP_##operation, .len = 2, __VA_ARGS__}))

static inline uint32_t enc_r(enum op op, unsigned rd, unsigned rs1, unsigned rs2)
{
	return enc_inst((struct inst){.op = op & OP_MASK,
	                              .len = 4,
	                              .rd = (uint8_t)rd,
	                              .rs1 = (uint8_t)rs1,
	                              .rs2 = (uint8_t)rs2});
}

static inline uint32_t enc_i(enum op op, unsigned rd, unsigned rs1, int32_t imm)
{
	return enc_inst((struct inst){
		.op = op & OP_MASK, .len = 4, .rd = (uint8_t)rd, .rs1 = (uint8_t)rs1, .imm = imm});
}

static inline uint32_t enc_s(enum op op, unsigned rs2, unsigned rs1, int32_t imm)
{
	return enc_inst((struct inst){
		.op = op & OP_MASK, .len = 4, .rs1 = (uint8_t)rs1, .rs2 = (uint8_t)rs2, .imm = imm});
}

static inline uint32_t enc_b(enum op op, unsigned rs1, unsigned rs2, int32_t offset)
{
	return enc_s(op, rs2, rs1, offset);
}

static inline uint32_t enc_j(unsigned rd, int32_t offset)
{
	return enc_i(OP_JAL, rd, 0, offset);
}

/* Of imm, the upper 20 bits. */
static inline uint32_t enc_u(enum op op, unsigned rd, uint32_t imm)
{
	return enc_i(op, rd, 0, (int32_t)(imm & 0xfffff000));
}

/* csrrwi and the like. */
static inline uint32_t enc_csri(enum op op, unsigned rd, unsigned value, unsigned csr)
{
	return enc_inst((struct inst){.op = op & OP_MASK,
	                              .len = 4,
	                              .rd = (uint8_t)rd,
	                              .rm = (uint8_t)value,
	                              .imm = (int32_t)csr});
}

static inline uint16_t enc_c_j(int32_t offset)
{
	return ENC_C(JAL, .imm = offset);
}

#endif
