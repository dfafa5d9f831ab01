#include "core/isa/fp_exact.h"

typedef unsigned __int128 u128;

const struct fp_format fp_binary16 = { .frac_bits = 10, .exp_ones = 0x1f, .bias = 15 };
const struct fp_format fp_binary32 = { .frac_bits = 23, .exp_ones = 0xff, .bias = 127 };
const struct fp_format fp_binary64 = { .frac_bits = 52, .exp_ones = 0x7ff, .bias = 1023 };

/* A finite non-zero value sig / 2^126 * 2^exp; normalised, bit 126 leads. Bit 127 is room for the
 * carry of a sum; the lowest bit is sticky: set if alignment shifted out any bits. */
struct wide {
	bool sign;
	int exp;
	u128 sig;
};

static uint64_t shift_right_sticky64(uint64_t v, int count)
{
	if (count == 0)
		return v;
	if (count > 63)
		return v != 0;
	return v >> count | (v << (64 - count) != 0);
}

static u128 shift_right_sticky128(u128 v, int count)
{
	if (count == 0)
		return v;
	if (count > 127)
		return v != 0;
	return v >> count | (v << (128 - count) != 0);
}

static int leading_zeros128(u128 v)
{
	uint64_t high = (uint64_t)(v >> 64);

	return high ? __builtin_clzll(high) : 64 + __builtin_clzll((uint64_t)v);
}

/* The result of overflow: infinity if the mode rounds this sign away from zero, or to nearest, else
 * the largest finite number. */
static uint64_t overflow_bits(const struct fp_format *f, bool sign, unsigned rm)
{
	bool to_finite = rm == FRM_RTZ || rm == (sign ? FRM_RUP : FRM_RDN);

	return fp_sign_bits(f, sign) | (fp_inf_bits(f) - to_finite);
}

uint64_t fp_round_pack(const struct fp_format *f, bool sign, int exp, uint64_t sig, unsigned rm,
		       uint64_t *fflags)
{
	int drop = 63 - f->frac_bits;
	uint64_t half = UINT64_C(1) << (drop - 1);
	uint64_t mask = (UINT64_C(1) << drop) - 1;
	int biased = exp + f->bias;
	bool tiny = false;

	if (biased >= f->exp_ones) {
		*fflags |= FFLAG_OF | FFLAG_NX;
		return overflow_bits(f, sign, rm);
	}
	if (biased <= 0) {
		/* Tiny unless rounding with an unbounded exponent reaches the smallest normal
		 * number. */
		uint64_t kept = sig >> drop;
		kept += fp_rounds_up(rm, sign, kept, sig & mask, half);
		tiny = biased < 0 || kept >> (f->frac_bits + 1) == 0;
		sig = shift_right_sticky64(sig, 1 - biased);
		biased = 1;
	}
	uint64_t rest = sig & mask;
	uint64_t kept = sig >> drop;
	kept += fp_rounds_up(rm, sign, kept, rest, half);
	if (rest != 0)
		*fflags |= tiny ? FFLAG_UF | FFLAG_NX : FFLAG_NX;
	/* The addition moves the leading one of kept, and a carry of rounding, into the
	 * exponent. */
	uint64_t bits = ((uint64_t)(biased - 1) << f->frac_bits) + kept;
	if (bits >= fp_inf_bits(f)) {
		*fflags |= FFLAG_OF | FFLAG_NX;
		return overflow_bits(f, sign, rm);
	}
	return fp_sign_bits(f, sign) | bits;
}

static uint64_t round_pack_wide(const struct fp_format *f, struct wide w, unsigned rm,
                                uint64_t *fflags)
{
	int zeros = leading_zeros128(w.sig);
	u128 sig = w.sig << zeros;
	bool sticky = (uint64_t)sig != 0;

	return fp_round_pack(f, w.sign, w.exp + 1 - zeros, (uint64_t)(sig >> 64) | sticky, rm,
	                     fflags);
}

static struct wide fp_exact_widen_sig(const struct fp_num *n)
{
	return (struct wide){ .sign = n->sign, .exp = n->exp, .sig = (u128)n->sig << 63 };
}

/* The exact product of two finite numbers. Its low 22 bits are zero, so that normalising drops
 * nothing. */
static struct wide fp_exact_wide_product(const struct fp_num *a, const struct fp_num *b)
{
	struct wide w = {
		.sign = a->sign != b->sign, .exp = a->exp + b->exp, .sig = (u128)a->sig * b->sig};

	if (w.sig >> 127) {
		w.sig >>= 1;
		w.exp++;
	}
	return w;
}

/* The zero of an exact cancellation, or of a sum of zeros of different sign. */
static uint64_t cancelled_zero(const struct fp_format *f, unsigned rm)
{
	return fp_sign_bits(f, rm == FRM_RDN);
}

/* Adds and rounds. Cancellation of more than one bit needs exponents that differ by at most one,
 * and then alignment shifts out nothing: the sticky bit always stays below the rounding
 * position. */
static uint64_t add_wide(const struct fp_format *f, struct wide a, struct wide b, unsigned rm,
			 uint64_t *fflags)
{
	if (a.exp < b.exp || (a.exp == b.exp && a.sig < b.sig)) {
		struct wide t = a;
		a = b;
		b = t;
	}
	b.sig = shift_right_sticky128(b.sig, a.exp - b.exp);
	if (a.sign == b.sign)
		a.sig += b.sig;
	else
		a.sig -= b.sig;
	if (a.sig == 0)
		return cancelled_zero(f, rm);
	return round_pack_wide(f, a, rm, fflags);
}

static uint64_t nan_result(const struct fp_format *f, bool invalid, uint64_t *fflags)
{
	if (invalid)
		*fflags |= FFLAG_NV;
	return fp_nan_bits(f);
}

static uint64_t nan_operand(const struct fp_format *f, const struct fp_num *a,
                            const struct fp_num *b, uint64_t *fflags)
{
	return nan_result(f, a->kind == FP_KIND_SNAN || b->kind == FP_KIND_SNAN, fflags);
}

uint64_t fp_exact_add(const struct fp_format *f, uint64_t a, uint64_t b, unsigned rm,
                      uint64_t *fflags)
{
	struct fp_num x = fp_unpack(f, a), y = fp_unpack(f, b);

	if (x.kind == FP_KIND_FINITE && y.kind == FP_KIND_FINITE)
		return add_wide(f, fp_exact_widen_sig(&x), fp_exact_widen_sig(&y), rm, fflags);
	if (fp_is_nan(&x) || fp_is_nan(&y))
		return nan_operand(f, &x, &y, fflags);
	if (x.kind == FP_KIND_INF)
		return y.kind == FP_KIND_INF && x.sign != y.sign ? nan_result(f, true, fflags) : a;
	if (y.kind == FP_KIND_INF || y.kind == FP_KIND_FINITE)
		return b;
	if (x.kind == FP_KIND_FINITE)
		return a;
	return x.sign == y.sign ? a : cancelled_zero(f, rm);
}

uint64_t fp_exact_mul(const struct fp_format *f, uint64_t a, uint64_t b, unsigned rm,
                      uint64_t *fflags)
{
	struct fp_num x = fp_unpack(f, a), y = fp_unpack(f, b);
	bool sign = x.sign != y.sign;

	if (x.kind == FP_KIND_FINITE && y.kind == FP_KIND_FINITE)
		return round_pack_wide(f, fp_exact_wide_product(&x, &y), rm, fflags);
	if (fp_is_nan(&x) || fp_is_nan(&y))
		return nan_operand(f, &x, &y, fflags);
	bool zero = x.kind == FP_KIND_ZERO || y.kind == FP_KIND_ZERO;
	if (x.kind == FP_KIND_INF || y.kind == FP_KIND_INF)
		return zero ? nan_result(f, true, fflags) : fp_sign_bits(f, sign) | fp_inf_bits(f);
	return fp_sign_bits(f, sign);
}

uint64_t fp_exact_div(const struct fp_format *f, uint64_t a, uint64_t b, unsigned rm,
                      uint64_t *fflags)
{
	struct fp_num x = fp_unpack(f, a), y = fp_unpack(f, b);
	bool sign = x.sign != y.sign;

	if (fp_is_nan(&x) || fp_is_nan(&y))
		return nan_operand(f, &x, &y, fflags);
	if (x.kind == y.kind && x.kind != FP_KIND_FINITE)
		return nan_result(f, true, fflags);
	if (x.kind == FP_KIND_ZERO || y.kind == FP_KIND_INF)
		return fp_sign_bits(f, sign);
	if (x.kind == FP_KIND_INF || y.kind == FP_KIND_ZERO) {
		if (x.kind == FP_KIND_FINITE)
			*fflags |= FFLAG_DZ;
		return fp_sign_bits(f, sign) | fp_inf_bits(f);
	}
	/* Scaled so that the quotient has exactly 64 bits. */
	bool below_one = x.sig < y.sig;
	u128 dividend = (u128)x.sig << (63 + below_one);
	uint64_t quotient = (uint64_t)(dividend / y.sig);
	bool sticky = (u128)quotient * y.sig != dividend;
	return fp_round_pack(f, sign, x.exp - y.exp - below_one, quotient | sticky, rm, fflags);
}

/* The 64-bit root of v >= 2^126, rounded down, its lowest bit sticky. Digit by digit, as by hand.
 */
static uint64_t root_sticky(u128 v)
{
	u128 root = 0;

	for (u128 bit = (u128)1 << 126; bit != 0; bit >>= 2) {
		u128 trial = root + bit;
		root >>= 1;
		if (v >= trial) {
			v -= trial;
			root += bit;
		}
	}
	return (uint64_t)root | (v != 0);
}

uint64_t fp_exact_sqrt(const struct fp_format *f, uint64_t a, unsigned rm, uint64_t *fflags)
{
	struct fp_num x = fp_unpack(f, a);

	if (fp_is_nan(&x))
		return nan_result(f, x.kind == FP_KIND_SNAN, fflags);
	if (x.kind == FP_KIND_ZERO)
		return a;
	if (x.sign)
		return nan_result(f, true, fflags);
	if (x.kind == FP_KIND_INF)
		return a;
	int odd = x.exp & 1;
	return fp_round_pack(f, false, (x.exp - odd) / 2, root_sticky((u128)x.sig << (63 + odd)),
	                     rm, fflags);
}

uint64_t fp_exact_fma(const struct fp_format *f, uint64_t a, uint64_t b, uint64_t c, unsigned rm,
		      uint64_t *fflags)
{
	struct fp_num x = fp_unpack(f, a), y = fp_unpack(f, b), z = fp_unpack(f, c);
	bool sign = x.sign != y.sign;
	bool inf = x.kind == FP_KIND_INF || y.kind == FP_KIND_INF;
	bool zero = x.kind == FP_KIND_ZERO || y.kind == FP_KIND_ZERO;

	if (fp_is_nan(&x) || fp_is_nan(&y) || fp_is_nan(&z)) {
		bool signalling =
			x.kind == FP_KIND_SNAN || y.kind == FP_KIND_SNAN || z.kind == FP_KIND_SNAN;
		return nan_result(f, signalling || (inf && zero), fflags);
	}
	if (inf && (zero || (z.kind == FP_KIND_INF && z.sign != sign)))
		return nan_result(f, true, fflags);
	if (inf)
		return fp_sign_bits(f, sign) | fp_inf_bits(f);
	if (z.kind == FP_KIND_INF)
		return c;
	if (zero && z.kind == FP_KIND_ZERO)
		return sign == z.sign ? c : cancelled_zero(f, rm);
	if (zero)
		return c;
	struct wide product = fp_exact_wide_product(&x, &y);
	if (z.kind == FP_KIND_ZERO)
		return round_pack_wide(f, product, rm, fflags);
	return add_wide(f, product, fp_exact_widen_sig(&z), rm, fflags);
}
