/* RISC-V instructions as numbers: just those that the micro-programs use. Registers are 0..31 of their
 * file; immediates must fit and are in bytes where they are offsets. */
#ifndef CYCLOPS_TESTS_TIMING_ENCODE_H
#define CYCLOPS_TESTS_TIMING_ENCODE_H

#include <stdint.h>

/* Offset bits hi..lo moved to position at. */
static inline uint32_t rv_bits(int32_t value, unsigned hi, unsigned lo, unsigned at)
{
	return ((uint32_t)value >> lo & ((2u << (hi - lo)) - 1)) << at;
}

static inline uint32_t rv_r(unsigned funct7, unsigned rs2, unsigned rs1, unsigned funct3, unsigned rd, unsigned op)
{
	return funct7 << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | op;
}

static inline uint32_t rv_i(int32_t imm, unsigned rs1, unsigned funct3, unsigned rd, unsigned op)
{
	return rv_bits(imm, 11, 0, 20) | rs1 << 15 | funct3 << 12 | rd << 7 | op;
}

static inline uint32_t rv_s(int32_t imm, unsigned rs2, unsigned rs1, unsigned funct3)
{
	return rv_bits(imm, 11, 5, 25) | rs2 << 20 | rs1 << 15 | funct3 << 12 | rv_bits(imm, 4, 0, 7) | 0x23;
}

static inline uint32_t rv_b(int32_t offset, unsigned rs2, unsigned rs1, unsigned funct3)
{
	return rv_bits(offset, 12, 12, 31) | rv_bits(offset, 10, 5, 25) | rs2 << 20 | rs1 << 15 | funct3 << 12 |
	       rv_bits(offset, 4, 1, 8) | rv_bits(offset, 11, 11, 7) | 0x63;
}

static inline uint32_t rv_addi(unsigned rd, unsigned rs1, int32_t imm) { return rv_i(imm, rs1, 0, rd, 0x13); }
static inline uint32_t rv_andi(unsigned rd, unsigned rs1, int32_t imm) { return rv_i(imm, rs1, 7, rd, 0x13); }
static inline uint32_t rv_slli(unsigned rd, unsigned rs1, int32_t by) { return rv_i(by, rs1, 1, rd, 0x13); }
static inline uint32_t rv_srli(unsigned rd, unsigned rs1, int32_t by) { return rv_i(by, rs1, 5, rd, 0x13); }
static inline uint32_t rv_nop(void) { return rv_addi(0, 0, 0); }
static inline uint32_t rv_add(unsigned rd, unsigned rs1, unsigned rs2) { return rv_r(0, rs2, rs1, 0, rd, 0x33); }
static inline uint32_t rv_sub(unsigned rd, unsigned rs1, unsigned rs2) { return rv_r(32, rs2, rs1, 0, rd, 0x33); }
static inline uint32_t rv_and(unsigned rd, unsigned rs1, unsigned rs2) { return rv_r(0, rs2, rs1, 7, rd, 0x33); }
static inline uint32_t rv_xor(unsigned rd, unsigned rs1, unsigned rs2) { return rv_r(0, rs2, rs1, 4, rd, 0x33); }
static inline uint32_t rv_mul(unsigned rd, unsigned rs1, unsigned rs2) { return rv_r(1, rs2, rs1, 0, rd, 0x33); }
static inline uint32_t rv_divu(unsigned rd, unsigned rs1, unsigned rs2) { return rv_r(1, rs2, rs1, 5, rd, 0x33); }
static inline uint32_t rv_ld(unsigned rd, int32_t imm, unsigned rs1) { return rv_i(imm, rs1, 3, rd, 0x03); }
static inline uint32_t rv_lw(unsigned rd, int32_t imm, unsigned rs1) { return rv_i(imm, rs1, 2, rd, 0x03); }
static inline uint32_t rv_sd(unsigned rs2, int32_t imm, unsigned rs1) { return rv_s(imm, rs2, rs1, 3); }
static inline uint32_t rv_beq(unsigned rs1, unsigned rs2, int32_t offset) { return rv_b(offset, rs2, rs1, 0); }
static inline uint32_t rv_bne(unsigned rs1, unsigned rs2, int32_t offset) { return rv_b(offset, rs2, rs1, 1); }
static inline uint32_t rv_jal(unsigned rd, int32_t offset)
{
	return rv_bits(offset, 20, 20, 31) | rv_bits(offset, 10, 1, 21) | rv_bits(offset, 11, 11, 20) |
	       rv_bits(offset, 19, 12, 12) | rd << 7 | 0x6f;
}
static inline uint32_t rv_jalr(unsigned rd, unsigned rs1) { return rv_i(0, rs1, 0, rd, 0x67); }
static inline uint32_t rv_amoadd(unsigned rd, unsigned rs2, unsigned rs1) { return rv_r(0, rs2, rs1, 3, rd, 0x2f); }
static inline uint32_t rv_rdfflags(unsigned rd) { return rv_i(1, 0, 2, rd, 0x73); }
static inline uint32_t rv_fence_i(void) { return rv_i(0, 0, 1, 0, 0x0f); }
static inline uint32_t rv_ecall(void) { return 0x73; }
/* Double precision, rounding to nearest. */
static inline uint32_t rv_fadd(unsigned rd, unsigned rs1, unsigned rs2) { return rv_r(1, rs2, rs1, 0, rd, 0x53); }
static inline uint32_t rv_fmul(unsigned rd, unsigned rs1, unsigned rs2) { return rv_r(9, rs2, rs1, 0, rd, 0x53); }
static inline uint32_t rv_fdiv(unsigned rd, unsigned rs1, unsigned rs2) { return rv_r(13, rs2, rs1, 0, rd, 0x53); }
static inline uint32_t rv_fsqrt(unsigned rd, unsigned rs1) { return rv_r(45, 0, rs1, 0, rd, 0x53); }
static inline uint32_t rv_fma(unsigned rd, unsigned rs1, unsigned rs2, unsigned rs3)
{
	return rv_r(rs3 << 2 | 1, rs2, rs1, 0, rd, 0x43);
}
/* 2 bytes long. */
static inline uint16_t rv_c_j(int32_t offset)
{
	return (uint16_t)(0xa001 | rv_bits(offset, 11, 11, 12) | rv_bits(offset, 4, 4, 11) | rv_bits(offset, 9, 8, 9) |
	                  rv_bits(offset, 10, 10, 8) | rv_bits(offset, 6, 6, 7) | rv_bits(offset, 7, 7, 6) |
	                  rv_bits(offset, 3, 1, 3) | rv_bits(offset, 5, 5, 2));
}

#endif
