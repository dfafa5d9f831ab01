/* IEEE 754 binary16, 32 and 64 arithmetic with RISC-V's rounding modes, flags, tininess after
 * rounding and canonical NaNs. Pure functions on bit patterns; the host's floating point
 * environment is never touched.
 *
 * rm is FRM_RNE..FRM_RMM, already resolved (never DYN). Raised FFLAG_* bits are OR-ed into *fflags.
 * Speed: when rm is RNE and *fflags already has NX, the host's arithmetic is used and only results
 * that could raise another flag (zero, subnormal, infinite, NaN, or near overflow) go the exact
 * way. binary16 always does: hosts have no such arithmetic. */
#ifndef CYCLOPS_CORE_ISA_FP_H
#define CYCLOPS_CORE_ISA_FP_H

#include <stdbool.h>
#include <stdint.h>

#define FP_NAN16 0x7e00u
#define FP_NAN32 UINT32_C(0x7fc00000)
#define FP_NAN64 UINT64_C(0x7ff8000000000000)

#define FP_OPS(w, T)                                                                               \
	T fp##w##_add(T a, T b, unsigned rm, uint64_t *fflags);                                    \
	T fp##w##_sub(T a, T b, unsigned rm, uint64_t *fflags);                                    \
	T fp##w##_mul(T a, T b, unsigned rm, uint64_t *fflags);                                    \
	T fp##w##_div(T a, T b, unsigned rm, uint64_t *fflags);                                    \
	T fp##w##_sqrt(T a, unsigned rm, uint64_t *fflags);                                        \
	T fp##w##_fma(T a, T b, T c, unsigned rm, uint64_t *fflags); /* a*b+c, one rounding */     \
	T fp##w##_min(T a, T b, uint64_t *fflags); /* RISC-V 2.2 minimumNumber */                  \
	T fp##w##_max(T a, T b, uint64_t *fflags);                                                 \
	bool fp##w##_eq(T a, T b, uint64_t *fflags); /* quiet */                                   \
	bool fp##w##_lt(T a, T b, uint64_t *fflags); /* signalling */                              \
	bool fp##w##_le(T a, T b, uint64_t *fflags);                                               \
	uint64_t fp##w##_class(T a); /* fclass mask */                                             \
	/* To integers, saturating as in RISC-V; 32-bit results sign-extended to 64 (also          \
	 * unsigned). */                                                                           \
	uint64_t fp##w##_to_i32(T a, unsigned rm, uint64_t *fflags);                               \
	uint64_t fp##w##_to_u32(T a, unsigned rm, uint64_t *fflags);                               \
	uint64_t fp##w##_to_i64(T a, unsigned rm, uint64_t *fflags);                               \
	uint64_t fp##w##_to_u64(T a, unsigned rm, uint64_t *fflags);                               \
	T fp##w##_from_i64(int64_t v, unsigned rm,                                                 \
	                   uint64_t *fflags); /* 32-bit sources: extend first */                   \
	T fp##w##_from_u64(uint64_t v, unsigned rm, uint64_t *fflags);

FP_OPS(16, uint16_t)
FP_OPS(32, uint32_t)
FP_OPS(64, uint64_t)
#undef FP_OPS

uint32_t fp64_to_fp32(uint64_t a, unsigned rm, uint64_t *fflags);
uint64_t fp32_to_fp64(uint32_t a, uint64_t *fflags);
uint16_t fp64_to_fp16(uint64_t a, unsigned rm, uint64_t *fflags);
uint16_t fp32_to_fp16(uint32_t a, unsigned rm, uint64_t *fflags);
uint32_t fp16_to_fp32(uint16_t a, uint64_t *fflags);
uint64_t fp16_to_fp64(uint16_t a, uint64_t *fflags);

/* NaN boxing: a narrower number in a 64-bit register has all upper bits set, else it reads as the
 * canonical NaN. */
static inline uint64_t fp_box(uint32_t v)
{
	return UINT64_C(0xffffffff00000000) | v;
}

static inline uint32_t fp_unbox(uint64_t v)
{
	return v >> 32 == UINT32_MAX ? (uint32_t)v : FP_NAN32;
}

static inline uint64_t fp_box16(unsigned v)
{
	return ~UINT64_C(0xffff) | (uint16_t)v;
}

static inline uint16_t fp_unbox16(uint64_t v)
{
	return v >= ~UINT64_C(0xffff) ? (uint16_t)v : FP_NAN16;
}

#endif
