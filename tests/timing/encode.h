/* The instructions that the micro-programs use, by name. Registers are 0..31 of their file;
 * immediates must fit and are in bytes where they are offsets. */
#ifndef CYCLOPS_TESTS_TIMING_ENCODE_H
#define CYCLOPS_TESTS_TIMING_ENCODE_H

#include "tests/encode.h"

static inline uint32_t rv_addi(unsigned rd, unsigned rs1, int32_t imm)
{
	return enc_i(OP_ADDI, rd, rs1, imm);
}
static inline uint32_t rv_andi(unsigned rd, unsigned rs1, int32_t imm)
{
	return enc_i(OP_ANDI, rd, rs1, imm);
}
static inline uint32_t rv_slli(unsigned rd, unsigned rs1, int32_t by)
{
	return enc_i(OP_SLLI, rd, rs1, by);
}
static inline uint32_t rv_srli(unsigned rd, unsigned rs1, int32_t by)
{
	return enc_i(OP_SRLI, rd, rs1, by);
}
static inline uint32_t rv_nop(void) { return rv_addi(0, 0, 0); }
static inline uint32_t rv_add(unsigned rd, unsigned rs1, unsigned rs2)
{
	return enc_r(OP_ADD, rd, rs1, rs2);
}
static inline uint32_t rv_sub(unsigned rd, unsigned rs1, unsigned rs2)
{
	return enc_r(OP_SUB, rd, rs1, rs2);
}
static inline uint32_t rv_and(unsigned rd, unsigned rs1, unsigned rs2)
{
	return enc_r(OP_AND, rd, rs1, rs2);
}
static inline uint32_t rv_xor(unsigned rd, unsigned rs1, unsigned rs2)
{
	return enc_r(OP_XOR, rd, rs1, rs2);
}
static inline uint32_t rv_mul(unsigned rd, unsigned rs1, unsigned rs2)
{
	return enc_r(OP_MUL, rd, rs1, rs2);
}
static inline uint32_t rv_divu(unsigned rd, unsigned rs1, unsigned rs2)
{
	return enc_r(OP_DIVU, rd, rs1, rs2);
}
static inline uint32_t rv_ld(unsigned rd, int32_t imm, unsigned rs1)
{
	return enc_i(OP_LD, rd, rs1, imm);
}
static inline uint32_t rv_lw(unsigned rd, int32_t imm, unsigned rs1)
{
	return enc_i(OP_LW, rd, rs1, imm);
}
static inline uint32_t rv_sd(unsigned rs2, int32_t imm, unsigned rs1)
{
	return enc_s(OP_SD, rs2, rs1, imm);
}
static inline uint32_t rv_beq(unsigned rs1, unsigned rs2, int32_t offset)
{
	return enc_b(OP_BEQ, rs1, rs2, offset);
}
static inline uint32_t rv_bne(unsigned rs1, unsigned rs2, int32_t offset)
{
	return enc_b(OP_BNE, rs1, rs2, offset);
}
static inline uint32_t rv_jal(unsigned rd, int32_t offset) { return enc_j(rd, offset); }
static inline uint32_t rv_jalr(unsigned rd, unsigned rs1) { return enc_i(OP_JALR, rd, rs1, 0); }
static inline uint32_t rv_amoadd(unsigned rd, unsigned rs2, unsigned rs1)
{
	return enc_r(OP_AMOADD_D, rd, rs1, rs2);
}
static inline uint32_t rv_rdfflags(unsigned rd) { return enc_i(OP_CSRRS, rd, 0, 1); }
static inline uint32_t rv_fence_i(void) { return ENC(FENCE_I); }
static inline uint32_t rv_ecall(void) { return ENC(ECALL); }
/* Double precision, rounding to nearest. */
static inline uint32_t rv_fadd(unsigned rd, unsigned rs1, unsigned rs2)
{
	return enc_r(OP_FADD_D, rd, rs1, rs2);
}
static inline uint32_t rv_fmul(unsigned rd, unsigned rs1, unsigned rs2)
{
	return enc_r(OP_FMUL_D, rd, rs1, rs2);
}
static inline uint32_t rv_fdiv(unsigned rd, unsigned rs1, unsigned rs2)
{
	return enc_r(OP_FDIV_D, rd, rs1, rs2);
}
static inline uint32_t rv_fsqrt(unsigned rd, unsigned rs1) { return enc_r(OP_FSQRT_D, rd, rs1, 0); }
static inline uint32_t rv_fma(unsigned rd, unsigned rs1, unsigned rs2, unsigned rs3)
{
	return ENC(FMADD_D, .rd = (uint8_t)rd, .rs1 = (uint8_t)rs1, .rs2 = (uint8_t)rs2,
	           .rs3 = (uint8_t)rs3);
}
/* 2 bytes long. */
static inline uint16_t rv_c_j(int32_t offset) { return enc_c_j(offset); }

#endif
