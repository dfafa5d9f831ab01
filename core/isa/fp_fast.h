/* Floating point for a loop over many instructions: private to core/isa/functional_loop.inc.
 *
 * The same functions as in fp.h, with the suffix `_fast`. With rounding to nearest even the host's
 * result is the guest's unless it is a NaN, and SSE's flags equal RISC-V's: underflow is detected
 * after rounding, too. So between fp_fast_enter() and fp_fast_gather() no result is checked for
 * exactness: flags accumulate in the host's MXCSR, and fp_fast_gather() adds them to *fflags. Other
 * cases call fp.h, which may clear the host's flags: fp_fast_gather() runs first.
 *
 * FP_HOST_HERE() keeps arithmetic in its place: moved by the compiler, it could raise a flag too
 * early. */
#ifndef CYCLOPS_CORE_ISA_FP_FAST_H
#define CYCLOPS_CORE_ISA_FP_FAST_H

#include <math.h>
#include <stdint.h>

#include "core/isa/fp.h"
#include "core/isa/fp_host.h"

/* libm's software fma may raise flags that the instruction does not. */
#ifdef __x86_64__
#define FP_FAST_HAS_FMA __builtin_cpu_supports("fma")
#else
#define FP_FAST_HAS_FMA false
#endif

#ifdef __SSE2__

#include <emmintrin.h>

/* Moves flags that the host has raised since fp_fast_enter() or the last call to *fflags. */
static inline void fp_fast_gather(uint64_t *fflags)
{
	const unsigned mxcsr = _mm_getcsr();
	if (!(mxcsr & _MM_EXCEPT_MASK))
		return;
	*fflags |= (mxcsr & _MM_EXCEPT_INEXACT ? FFLAG_NX : 0u) |
	           (mxcsr & _MM_EXCEPT_UNDERFLOW ? FFLAG_UF : 0u) |
	           (mxcsr & _MM_EXCEPT_OVERFLOW ? FFLAG_OF : 0u) |
	           (mxcsr & _MM_EXCEPT_DIV_ZERO ? FFLAG_DZ : 0u) |
	           (mxcsr & _MM_EXCEPT_INVALID ? FFLAG_NV : 0u);
	_mm_setcsr(mxcsr & ~(unsigned)_MM_EXCEPT_MASK);
}

static inline void fp_fast_enter(void)
{
	_mm_setcsr(_mm_getcsr() & ~(unsigned)_MM_EXCEPT_MASK);
}

#define FP_IN_SSE(v) __asm__ volatile("" : "+x"(v))

/* Returns the host's result, unless it is a NaN, which alone differs from itself. */
#define FP_FAST_TRY(w, type, operand, operation) \
	if (rm == FRM_RNE) { \
		type x = fp##w##_host(operand); \
		FP_IN_SSE(x); \
		const type v = (operation); \
		if (__builtin_expect(v == v, 1)) \
			return fp##w##_bits(v); \
	} \
	fp_fast_gather(fflags);

#define FP_FAST_TWO(w, type, name, operator)                                                       \
	static inline uint##w##_t fp##w##_##name##_fast(uint##w##_t a, uint##w##_t b, unsigned rm, \
	                                                uint64_t *fflags)                          \
	{                                                                                          \
		FP_FAST_TRY(w, type, a, x operator fp##w##_host(b))                                \
		return fp##w##_##name(a, b, rm, fflags);                                           \
	}

/* Equal numbers go to fp.h: one may be the negative zero. */
#define FP_FAST_PICK(w, type, name, is_before)                                                     \
	static inline uint##w##_t fp##w##_##name##_fast(uint##w##_t a, uint##w##_t b,              \
	                                                uint64_t *fflags)                          \
	{                                                                                          \
		const type x = fp##w##_host(a), y = fp##w##_host(b);                               \
		if (is_before(x, y))                                                               \
			return a;                                                                  \
		return is_before(y, x) ? b : fp##w##_##name(a, b, fflags);                         \
	}

#define FP_FAST_COMPARE(w, type, name, operator) \
	static inline bool fp##w##_##name##_fast(uint##w##_t a, uint##w##_t b, uint64_t *fflags) \
	{ \
		const type x = fp##w##_host(a), y = fp##w##_host(b); \
		return isunordered(x, y) ? fp##w##_##name(a, b, fflags) : x operator y; \
	}

/* The host returns the least integer if the value is out of range; fp.h then computes RISC-V's
 * result. */
#define FP_FAST_TO_INT(w, type, name, int_type, least, set, truncate, nearest)                     \
	static inline uint64_t fp##w##_to_##name##_fast(uint##w##_t a, unsigned rm,                \
	                                                uint64_t *fflags)                          \
	{                                                                                          \
		if (rm == FRM_RTZ || rm == FRM_RNE) {                                              \
			type x = fp##w##_host(a);                                                  \
			FP_IN_SSE(x);                                                              \
			const int_type v = rm == FRM_RTZ ? truncate(set(x)) : nearest(set(x));     \
			if (__builtin_expect(v != (least), 1))                                     \
				return (uint64_t)(int64_t)v;                                       \
		}                                                                                  \
		return fp##w##_to_##name(a, rm, fflags);                                           \
	}

#define FP_FAST_FROM_INT(w, type, name, int_type)                                                  \
	static inline uint##w##_t fp##w##_from_##name##_fast(int_type v, unsigned rm,              \
	                                                     uint64_t *fflags)                     \
	{                                                                                          \
		if (rm == FRM_RNE) {                                                               \
			FP_HOST_HERE(v);                                                           \
			return fp##w##_bits((type)v);                                              \
		}                                                                                  \
		return fp##w##_from_##name(v, rm, fflags);                                         \
	}

#define FP_FAST_DEFINE(w, type, sse_sqrt, sse_fma, set, to_i32, nearest_i32, to_i64, nearest_i64)  \
	FP_FAST_TWO(w, type, add, +)                                                               \
	FP_FAST_TWO(w, type, sub, -)                                                               \
	FP_FAST_TWO(w, type, mul, *)                                                               \
	FP_FAST_TWO(w, type, div, /)                                                               \
	FP_FAST_PICK(w, type, min, isless)                                                         \
	FP_FAST_PICK(w, type, max, isgreater)                                                      \
	FP_FAST_COMPARE(w, type, lt, <)                                                            \
	FP_FAST_COMPARE(w, type, le, <=)                                                           \
	FP_FAST_COMPARE(w, type, eq, ==)                                                           \
	FP_FAST_TO_INT(w, type, i32, int32_t, INT32_MIN, set, to_i32, nearest_i32)                 \
	FP_FAST_TO_INT(w, type, i64, int64_t, INT64_MIN, set, to_i64, nearest_i64)                 \
	FP_FAST_FROM_INT(w, type, i64, int64_t)                                                    \
	FP_FAST_FROM_INT(w, type, u64, uint64_t)                                                   \
	static inline uint##w##_t fp##w##_sqrt_fast(uint##w##_t a, unsigned rm, uint64_t *fflags)  \
	{                                                                                          \
		FP_FAST_TRY(w, type, a, sse_sqrt(x))                                               \
		return fp##w##_sqrt(a, rm, fflags);                                                \
	}                                                                                          \
	/* has_fma: true if the host is known to have the instruction. */                          \
	static inline __attribute__((always_inline))                                               \
	uint##w##_t fp##w##_fma_fast(uint##w##_t a, uint##w##_t b, uint##w##_t c, unsigned rm,     \
	                             uint64_t *fflags, bool has_fma)                               \
	{                                                                                          \
		if (has_fma || FP_FAST_HAS_FMA) {                                                  \
			FP_FAST_TRY(w, type, a, sse_fma(x, fp##w##_host(b), fp##w##_host(c)))      \
		} else {                                                                           \
			fp_fast_gather(fflags);                                                    \
		}                                                                                  \
		return fp##w##_fma(a, b, c, rm, fflags);                                           \
	}

FP_FAST_DEFINE(32, float, sqrtf, fmaf, _mm_set_ss, _mm_cvttss_si32, _mm_cvtss_si32, _mm_cvttss_si64,
               _mm_cvtss_si64)
FP_FAST_DEFINE(64, double, sqrt, fma, _mm_set_sd, _mm_cvttsd_si32, _mm_cvtsd_si32, _mm_cvttsd_si64,
               _mm_cvtsd_si64)

static inline uint32_t fp64_to_fp32_fast(uint64_t a, unsigned rm, uint64_t *fflags)
{
	if (rm == FRM_RNE) {
		double x = fp64_host(a);
		FP_IN_SSE(x);
		const float v = (float)x;
		if (__builtin_expect(v == v, 1))
			return fp32_bits(v);
	}
	fp_fast_gather(fflags);
	return fp64_to_fp32(a, rm, fflags);
}

static inline uint64_t fp32_to_fp64_fast(uint32_t a, uint64_t *fflags)
{
	const double v = (double)fp32_host(a);
	return __builtin_expect(v == v, 1) ? fp64_bits(v) : fp32_to_fp64(a, fflags);
}

/* From here on the names in fp.h are these; the including file defines HAS_FMA, see above. */
#define fp32_add fp32_add_fast
#define fp32_sub fp32_sub_fast
#define fp32_mul fp32_mul_fast
#define fp32_div fp32_div_fast
#define fp32_sqrt fp32_sqrt_fast
#define fp32_fma(...) fp32_fma_fast(__VA_ARGS__, HAS_FMA)
#define fp32_min fp32_min_fast
#define fp32_max fp32_max_fast
#define fp32_eq fp32_eq_fast
#define fp32_lt fp32_lt_fast
#define fp32_le fp32_le_fast
#define fp32_to_i32 fp32_to_i32_fast
#define fp32_to_i64 fp32_to_i64_fast
#define fp32_from_i64 fp32_from_i64_fast
#define fp32_from_u64 fp32_from_u64_fast
#define fp32_to_fp64 fp32_to_fp64_fast
#define fp64_add fp64_add_fast
#define fp64_sub fp64_sub_fast
#define fp64_mul fp64_mul_fast
#define fp64_div fp64_div_fast
#define fp64_sqrt fp64_sqrt_fast
#define fp64_fma(...) fp64_fma_fast(__VA_ARGS__, HAS_FMA)
#define fp64_min fp64_min_fast
#define fp64_max fp64_max_fast
#define fp64_eq fp64_eq_fast
#define fp64_lt fp64_lt_fast
#define fp64_le fp64_le_fast
#define fp64_to_i32 fp64_to_i32_fast
#define fp64_to_i64 fp64_to_i64_fast
#define fp64_from_i64 fp64_from_i64_fast
#define fp64_from_u64 fp64_from_u64_fast
#define fp64_to_fp32 fp64_to_fp32_fast

#else

static inline void fp_fast_enter(void)
{
}

static inline void fp_fast_gather(uint64_t *fflags)
{
	(void)fflags;
}

#endif

#endif
