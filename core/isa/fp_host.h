/* The host's arithmetic as a fast path: private to core/isa/fp*.c.
 *
 * With rounding to nearest even the host computes the same bits, and a plain result (see below) can
 * raise NX only. If NX is already raised, the host's flags need not be read; else they show whether
 * the result was exact. Any other result is computed again by fp_exact.c, and each one is before NX
 * is raised on a host without flags, such as WebAssembly. */
#ifndef CYCLOPS_CORE_ISA_FP_HOST_H
#define CYCLOPS_CORE_ISA_FP_HOST_H

#include <assert.h>
#include <float.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#ifdef __SSE2__
#include <xmmintrin.h>
#else
#include <fenv.h>
#endif

#include "core/isa/regs.h"

static_assert(FLT_EVAL_METHOD == 0 && FLT_MANT_DIG == 24 && DBL_MANT_DIG == 53,
	      "float and double must be IEEE 754 formats, computed without excess precision");

/* fp_host_rounded() is true if arithmetic since fp_host_forget() was inexact. Compilers move
 * arithmetic without regard to flags: FP_HOST_HERE() keeps the computation or use of a value after
 * it. */
#if defined __SSE2__
enum { FP_HOST_HAS_FLAGS = true };

static inline void fp_host_forget(void)
{
	_mm_setcsr(_mm_getcsr() & ~(unsigned)_MM_EXCEPT_INEXACT);
}

static inline bool fp_host_rounded(void)
{
	return _mm_getcsr() & _MM_EXCEPT_INEXACT;
}
#elif defined FE_INEXACT
enum { FP_HOST_HAS_FLAGS = true };

static inline void fp_host_forget(void)
{
	feclearexcept(FE_INEXACT);
}

static inline bool fp_host_rounded(void)
{
	return fetestexcept(FE_INEXACT);
}
#else
enum { FP_HOST_HAS_FLAGS = false };

static inline void fp_host_forget(void)
{
}

static inline bool fp_host_rounded(void)
{
	return false;
}
#endif

#define FP_HOST_HERE(value) __asm__ volatile("" : "+r"(value))

static inline float fp32_host(uint32_t bits)
{
	float v;
	memcpy(&v, &bits, sizeof v);
	return v;
}

static inline double fp64_host(uint64_t bits)
{
	double v;
	memcpy(&v, &bits, sizeof v);
	return v;
}

static inline uint32_t fp32_bits(float v)
{
	uint32_t bits;
	memcpy(&bits, &v, sizeof bits);
	return bits;
}

static inline uint64_t fp64_bits(double v)
{
	uint64_t bits;
	memcpy(&bits, &v, sizeof bits);
	return bits;
}

/* Plain: finite and at least twice the smallest normal number. It was not rounded up from a tiny
 * value (UF), did not overflow (OF), and did not come from an infinity, a NaN or a zero divisor,
 * which all end in zero, infinity or NaN. The biased exponent is 2 to the greatest finite one. */
static inline bool fp32_plain(uint32_t bits)
{
	return ((bits >> 23 & 0xff) - 2) < 0xff - 2;
}

static inline bool fp64_plain(uint64_t bits)
{
	return ((bits >> 52 & 0x7ff) - 2) < 0x7ff - 2;
}

/* Accepts any result. */
static inline bool fp_any(uint64_t bits)
{
	(void)bits;
	return true;
}

/* If rm is the host's rounding: tries one host operation on `operand` and maybe others, and returns
 * its result if it is accepted; else continues after the macro. */
#define FP_TRY_HOST(w, operand, accepted, operation) \
	if (rm == FRM_RNE && (FP_HOST_HAS_FLAGS || *fflags & FFLAG_NX)) { \
		const bool raised = *fflags & FFLAG_NX; \
		if (!raised) { \
			fp_host_forget(); \
			FP_HOST_HERE(operand); \
		} \
		uint##w##_t host_result = fp##w##_bits(operation); \
		if (accepted(host_result)) { \
			FP_HOST_HERE(host_result); \
			if (!raised && fp_host_rounded()) \
				*fflags |= FFLAG_NX; \
			return host_result; \
		} \
	}

#endif
