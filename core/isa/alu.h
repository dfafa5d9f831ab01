/* Integer arithmetic that the bodies in rv64.def name: all of it on 64-bit patterns, none of it
 * undefined. */
#ifndef CYCLOPS_CORE_ISA_ALU_H
#define CYCLOPS_CORE_ISA_ALU_H

#include <stdint.h>

#define SIGN32 (UINT32_C(1) << 31)
#define SIGN64 (UINT64_C(1) << 63)

static inline uint64_t sext8(uint64_t v)
{
	return (uint64_t)(int64_t)(int8_t)v;
}

static inline uint64_t sext16(uint64_t v)
{
	return (uint64_t)(int64_t)(int16_t)v;
}

static inline uint64_t sext32(uint64_t v)
{
	return (uint64_t)(int64_t)(int32_t)v;
}

static inline uint64_t mulhu(uint64_t a, uint64_t b)
{
	return (uint64_t)((unsigned __int128)a * b >> 64);
}

static inline uint64_t mulh(uint64_t a, uint64_t b)
{
	return (uint64_t)((__int128)(int64_t)a * (int64_t)b >> 64);
}

static inline uint64_t mulhsu(uint64_t a, uint64_t b)
{
	return mulhu(a, b) - ((int64_t)a < 0 ? b : 0);
}

/* Division by zero gives all ones and the dividend as remainder; overflow wraps. */
static inline uint64_t divu64(uint64_t a, uint64_t b)
{
	return b == 0 ? UINT64_MAX : a / b;
}

static inline uint64_t remu64(uint64_t a, uint64_t b)
{
	return b == 0 ? a : a % b;
}

static inline uint64_t div64(uint64_t a, uint64_t b)
{
	if (b == 0)
		return UINT64_MAX;
	if (b == UINT64_MAX)
		return -a;
	return (uint64_t)((int64_t)a / (int64_t)b);
}

static inline uint64_t rem64(uint64_t a, uint64_t b)
{
	if (b == 0)
		return a;
	if (b == UINT64_MAX)
		return 0;
	return (uint64_t)((int64_t)a % (int64_t)b);
}

/* The 32-bit forms cannot overflow in 64 bits; only zero is special. */
static inline uint64_t divu32(uint64_t a, uint64_t b)
{
	return (uint32_t)b == 0 ? UINT64_MAX : sext32((uint32_t)a / (uint32_t)b);
}

static inline uint64_t remu32(uint64_t a, uint64_t b)
{
	return sext32((uint32_t)b == 0 ? (uint32_t)a : (uint32_t)a % (uint32_t)b);
}

static inline uint64_t div32(uint64_t a, uint64_t b)
{
	return (int32_t)b == 0 ? UINT64_MAX : sext32((uint64_t)((int64_t)(int32_t)a / (int32_t)b));
}

static inline uint64_t rem32(uint64_t a, uint64_t b)
{
	return sext32((int32_t)b == 0 ? a : (uint64_t)((int64_t)(int32_t)a % (int32_t)b));
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
