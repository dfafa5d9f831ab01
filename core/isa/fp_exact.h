/* Exact arithmetic of fp.h: private to core/isa/fp*.c.
 *
 * Every operation unpacks its operands, computes a result that is exact except for a sticky lowest
 * bit, and rounds once. One body serves all formats; bit patterns are passed in the low bits of a
 * uint64_t. A significand is normalised: bit 63 is the leading one, and a finite value is sig /
 * 2^63 * 2^exp, so subnormals need no care outside of unpacking and rounding. */
#ifndef CYCLOPS_CORE_ISA_FP_EXACT_H
#define CYCLOPS_CORE_ISA_FP_EXACT_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/isa/regs.h"

struct fp_format {
	int frac_bits; /* stored bits of the significand */
	int exp_ones;  /* the biased exponent of infinities and NaNs */
	int bias;
};

extern const struct fp_format fp_binary16, fp_binary32, fp_binary64;

enum fp_kind { FP_KIND_ZERO, FP_KIND_FINITE, FP_KIND_INF, FP_KIND_QNAN, FP_KIND_SNAN };

struct fp_num {
	enum fp_kind kind;
	bool sign;
	int exp;      /* FP_KIND_FINITE only, like sig */
	uint64_t sig;
};

static inline uint64_t fp_inf_bits(const struct fp_format *f)
{
	return (uint64_t)f->exp_ones << f->frac_bits;
}

static inline uint64_t fp_nan_bits(const struct fp_format *f)
{
	return fp_inf_bits(f) | UINT64_C(1) << (f->frac_bits - 1);
}

static inline uint64_t fp_sign_bits(const struct fp_format *f, bool sign)
{
	return sign ? ((uint64_t)f->exp_ones + 1) << f->frac_bits : 0;
}

static inline bool fp_is_nan(const struct fp_num *n)
{
	return n->kind >= FP_KIND_QNAN;
}

static inline struct fp_num fp_unpack(const struct fp_format *f, uint64_t bits)
{
	uint64_t frac = bits & ((UINT64_C(1) << f->frac_bits) - 1);
	int biased = (int)(bits >> f->frac_bits) & f->exp_ones;
	struct fp_num n = { .kind = FP_KIND_FINITE, .sign = bits & fp_sign_bits(f, true) };

	if (biased == f->exp_ones) {
		if (frac == 0)
			n.kind = FP_KIND_INF;
		else
			n.kind = frac >> (f->frac_bits - 1) ? FP_KIND_QNAN : FP_KIND_SNAN;
	} else if (biased != 0) {
		n.exp = biased - f->bias;
		n.sig = (UINT64_C(1) << f->frac_bits | frac) << (63 - f->frac_bits);
	} else if (frac != 0) {
		int zeros = __builtin_clzll(frac);
		n.exp = 64 - f->bias - f->frac_bits - zeros;
		n.sig = frac << zeros;
	} else {
		n.kind = FP_KIND_ZERO;
	}
	return n;
}

/* True if dropping `rest` below `kept` increments the magnitude; `half` is half a unit of kept. */
static inline bool fp_rounds_up(unsigned rm, bool sign, uint64_t kept, uint64_t rest, uint64_t half)
{
	switch (rm) {
	case FRM_RNE:
		return rest > half || (rest == half && (kept & 1));
	case FRM_RTZ:
		return false;
	case FRM_RDN:
		return sign && rest != 0;
	case FRM_RUP:
		return !sign && rest != 0;
	default:
		assert(rm == FRM_RMM);
		return rest >= half;
	}
}

/* Rounds to the format and raises NX, UF and OF as due. sig is normalised, its lowest bit sticky.
 */
uint64_t fp_round_pack(const struct fp_format *f, bool sign, int exp, uint64_t sig, unsigned rm,
		       uint64_t *fflags);

/* The operations of fp.h on patterns of format f, in any rounding mode, raising every flag due. */
uint64_t fp_exact_add(const struct fp_format *f, uint64_t a, uint64_t b, unsigned rm,
                      uint64_t *fflags);
uint64_t fp_exact_mul(const struct fp_format *f, uint64_t a, uint64_t b, unsigned rm,
                      uint64_t *fflags);
uint64_t fp_exact_div(const struct fp_format *f, uint64_t a, uint64_t b, unsigned rm,
                      uint64_t *fflags);
uint64_t fp_exact_sqrt(const struct fp_format *f, uint64_t a, unsigned rm, uint64_t *fflags);
uint64_t fp_exact_fma(const struct fp_format *f, uint64_t a, uint64_t b, uint64_t c, unsigned rm,
		      uint64_t *fflags);

#endif
