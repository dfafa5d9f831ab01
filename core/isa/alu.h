/* Integer arithmetic for the bodies in rv64.def: on 64-bit patterns, defined for all operands. */
#ifndef CYCLOPS_CORE_ISA_ALU_H
#define CYCLOPS_CORE_ISA_ALU_H

#include <stdint.h>

#define SIGN16 0x8000u
#define SIGN32 (UINT32_C(1) << 31)
#define SIGN64 (UINT64_C(1) << 63)

static inline uint64_t alu_sext8(uint64_t v)
{
	return (uint64_t)(int64_t)(int8_t)v;
}

static inline uint64_t alu_sext16(uint64_t v)
{
	return (uint64_t)(int64_t)(int16_t)v;
}

static inline uint64_t alu_sext32(uint64_t v)
{
	return (uint64_t)(int64_t)(int32_t)v;
}

static inline uint64_t alu_mulhu(uint64_t a, uint64_t b)
{
	return (uint64_t)((unsigned __int128)a * b >> 64);
}

static inline uint64_t alu_mulh(uint64_t a, uint64_t b)
{
	return (uint64_t)((__int128)(int64_t)a * (int64_t)b >> 64);
}

static inline uint64_t alu_mulhsu(uint64_t a, uint64_t b)
{
	return alu_mulhu(a, b) - ((int64_t)a < 0 ? b : 0);
}

/* Division by zero gives all ones and the dividend as remainder; overflow wraps. */
static inline uint64_t alu_divu64(uint64_t a, uint64_t b)
{
	return b == 0 ? UINT64_MAX : a / b;
}

static inline uint64_t alu_remu64(uint64_t a, uint64_t b)
{
	return b == 0 ? a : a % b;
}

static inline uint64_t alu_div64(uint64_t a, uint64_t b)
{
	if (b == 0)
		return UINT64_MAX;
	if (b == UINT64_MAX)
		return -a;
	return (uint64_t)((int64_t)a / (int64_t)b);
}

static inline uint64_t alu_rem64(uint64_t a, uint64_t b)
{
	if (b == 0)
		return a;
	if (b == UINT64_MAX)
		return 0;
	return (uint64_t)((int64_t)a % (int64_t)b);
}

/* The 32-bit forms cannot overflow in 64 bits; only zero is special. */
static inline uint64_t alu_divu32(uint64_t a, uint64_t b)
{
	return (uint32_t)b == 0 ? UINT64_MAX : alu_sext32((uint32_t)a / (uint32_t)b);
}

static inline uint64_t alu_remu32(uint64_t a, uint64_t b)
{
	return alu_sext32((uint32_t)b == 0 ? (uint32_t)a : (uint32_t)a % (uint32_t)b);
}

static inline uint64_t alu_div32(uint64_t a, uint64_t b)
{
	return (int32_t)b == 0 ? UINT64_MAX
	                       : alu_sext32((uint64_t)((int64_t)(int32_t)a / (int32_t)b));
}

static inline uint64_t alu_rem32(uint64_t a, uint64_t b)
{
	return alu_sext32((int32_t)b == 0 ? a : (uint64_t)((int64_t)(int32_t)a % (int32_t)b));
}

/* ---- Zbb, Zbkb, Zbc ---- */
static inline uint64_t alu_clz64(uint64_t v)
{
	return v ? (uint64_t)__builtin_clzll(v) : 64;
}

static inline uint64_t alu_ctz64(uint64_t v)
{
	return v ? (uint64_t)__builtin_ctzll(v) : 64;
}

static inline uint64_t alu_ror64(uint64_t v, uint64_t by)
{
	return v >> (by & 63) | v << (-by & 63);
}

static inline uint32_t alu_ror32(uint64_t v, uint64_t by)
{
	return (uint32_t)v >> (by & 31) | (uint32_t)v << (-by & 31);
}

/* Sets each nonzero byte to 0xff. */
static inline uint64_t orc_b(uint64_t v)
{
	const uint64_t low = UINT64_C(0x7f7f7f7f7f7f7f7f);
	return ((((v & low) + low) | v) >> 7 & UINT64_C(0x0101010101010101)) * 0xff;
}

/* Reverses the bits of each byte. */
static inline uint64_t alu_brev8(uint64_t v)
{
	const uint64_t fours = UINT64_C(0x0f0f0f0f0f0f0f0f), twos = UINT64_C(0x3333333333333333),
		       ones = UINT64_C(0x5555555555555555);
	v = (v & fours) << 4 | (v >> 4 & fours);
	v = (v & twos) << 2 | (v >> 2 & twos);
	return (v & ones) << 1 | (v >> 1 & ones);
}

/* Carry-less products of 127 bits: alu_clmul() is bits 63:0, alu_clmulr() bits 126:63, alu_clmulh()
 * bits 126:64. */
static inline uint64_t alu_clmul(uint64_t a, uint64_t b)
{
	uint64_t product = 0;
	for (; b; b &= b - 1)
		product ^= a << __builtin_ctzll(b);
	return product;
}

static inline uint64_t alu_clmulr(uint64_t a, uint64_t b)
{
	uint64_t product = 0;
	for (; b; b &= b - 1)
		product ^= a >> (63 - __builtin_ctzll(b));
	return product;
}

static inline uint64_t alu_clmulh(uint64_t a, uint64_t b)
{
	return alu_clmulr(a, b) >> 1;
}

#define ALU_PICK(name, type, cmp) \
	static inline uint64_t name(uint64_t a, uint64_t b) \
	{ \
		return (type)a cmp (type)b ? a : b; \
	}
ALU_PICK(min32, int32_t, <)
ALU_PICK(max32, int32_t, >)
ALU_PICK(minu32, uint32_t, <)
ALU_PICK(maxu32, uint32_t, >)
ALU_PICK(min64, int64_t, <)
ALU_PICK(max64, int64_t, >)
ALU_PICK(minu64, uint64_t, <)
ALU_PICK(maxu64, uint64_t, >)
#undef ALU_PICK

#endif
