/* The host's arithmetic as a short cut: private to core/isa/fp*.c.
 *
 * With rounding to nearest even the host computes the same bits, and with NX already raised a plain
 * result (see below) can raise nothing more, so its flags need not be read: that is what makes it
 * quick. Any other result is computed again by fp_exact.c. */
#ifndef CYCLOPS_CORE_ISA_FP_HOST_H
#define CYCLOPS_CORE_ISA_FP_HOST_H

#include <assert.h>
#include <float.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "core/isa/regs.h"

static_assert(FLT_EVAL_METHOD == 0 && FLT_MANT_DIG == 24 && DBL_MANT_DIG == 53,
	      "float and double must be IEEE 754 formats, computed without excess precision");

static inline bool fp_host_serves(unsigned rm, uint64_t fflags)
{
	return rm == FRM_RNE && (fflags & FFLAG_NX);
}

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
 * value (UF), did not overflow (OF), and did not come from an infinity, a NaN or a zero divisor, which
 * all end in zero, infinity or NaN. The biased exponent is 2 to the greatest finite one. */
static inline bool fp32_plain(uint32_t bits)
{
	return ((bits >> 23 & 0xff) - 2) < 0xff - 2;
}

static inline bool fp64_plain(uint64_t bits)
{
	return ((bits >> 52 & 0x7ff) - 2) < 0x7ff - 2;
}

#endif
