/* core/isa/fp.c against itself (host short cut against exact way), against the host's floating
 * point unit in the four modes that it has, and against cases worked out by hand. */

#include <fenv.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "core/isa/fp.h"
#include "core/isa/fp_host.h"
#include "tests/cases.h"
#include "tests/diff/fp/operands.h"

/* An operation on patterns in the low bits of 64; missing operands are ignored. host: computes the
 * same in the host's current rounding mode, or NULL. */
struct operation {
	const char *name;
	unsigned width;        /* of the operands; 0: integers */
	unsigned result_width; /* 0: an integer */
	uint64_t (*ours)(uint64_t a, uint64_t b, uint64_t c, unsigned rm, uint64_t *fflags);
	uint64_t (*host)(uint64_t a, uint64_t b, uint64_t c);
};

/* The volatile variables keep the host's operation between the calls that set and read its state.
 */
#define OPERATION(w, type, id, call, host_expression)                                              \
	static uint64_t ours_##id(uint64_t a, uint64_t b, uint64_t c, unsigned rm,                 \
	                          uint64_t *fflags)                                                \
	{                                                                                          \
		(void)a, (void)b, (void)c, (void)rm;                                               \
		return call;                                                                       \
	}                                                                                          \
	static uint64_t host_##id(uint64_t a, uint64_t b, uint64_t c)                              \
	{                                                                                          \
		volatile type x = fp##w##_host((uint##w##_t)a);                                    \
		volatile type y = fp##w##_host((uint##w##_t)b);                                    \
		volatile type z = fp##w##_host((uint##w##_t)c);                                    \
		volatile type r = host_expression;                                                 \
		(void)x, (void)y, (void)z;                                                         \
		return fp##w##_bits(r);                                                            \
	}

#define ARITHMETIC(w, type, host_sqrt, host_fma)                                                   \
	OPERATION(w, type, add##w, fp##w##_add((uint##w##_t)a, (uint##w##_t)b, rm, fflags), x + y) \
	OPERATION(w, type, sub##w, fp##w##_sub((uint##w##_t)a, (uint##w##_t)b, rm, fflags), x - y) \
	OPERATION(w, type, mul##w, fp##w##_mul((uint##w##_t)a, (uint##w##_t)b, rm, fflags), x *y)  \
	OPERATION(w, type, div##w, fp##w##_div((uint##w##_t)a, (uint##w##_t)b, rm, fflags), x / y) \
	OPERATION(w, type, sqrt##w, fp##w##_sqrt((uint##w##_t)a, rm, fflags), host_sqrt(x))        \
	OPERATION(w, type, fma##w,                                                                 \
	          fp##w##_fma((uint##w##_t)a, (uint##w##_t)b, (uint##w##_t)c, rm, fflags),         \
	          host_fma(x, y, z))

ARITHMETIC(32, float, sqrtf, fmaf)
ARITHMETIC(64, double, sqrt, fma)

#define CONVERSION(id, call, from, from_type, host_result)                                         \
	static uint64_t ours_##id(uint64_t a, uint64_t b, uint64_t c, unsigned rm,                 \
	                          uint64_t *fflags)                                                \
	{                                                                                          \
		(void)b, (void)c, (void)rm;                                                        \
		return call;                                                                       \
	}                                                                                          \
	static uint64_t host_##id(uint64_t a, uint64_t b, uint64_t c)                              \
	{                                                                                          \
		volatile from_type x = from;                                                       \
		(void)b, (void)c;                                                                  \
		return host_result;                                                                \
	}

#define STORED(w, type, expression) ({ volatile type r = (type)(expression); fp##w##_bits(r); })

CONVERSION(narrow, fp64_to_fp32(a, rm, fflags), fp64_host(a), double, STORED(32, float, x))
CONVERSION(widen, fp32_to_fp64((uint32_t)a, fflags), fp32_host((uint32_t)a), float,
           STORED(64, double, x))
CONVERSION(i64_to_32, fp32_from_i64((int64_t)a, rm, fflags), (int64_t)a, int64_t,
           STORED(32, float, x))
CONVERSION(i64_to_64, fp64_from_i64((int64_t)a, rm, fflags), (int64_t)a, int64_t,
           STORED(64, double, x))

static uint64_t ours_u64_to_32(uint64_t a, uint64_t b, uint64_t c, unsigned rm, uint64_t *fflags)
{
	(void)b, (void)c;
	return fp32_from_u64(a, rm, fflags);
}

static uint64_t ours_u64_to_64(uint64_t a, uint64_t b, uint64_t c, unsigned rm, uint64_t *fflags)
{
	(void)b, (void)c;
	return fp64_from_u64(a, rm, fflags);
}

#define ROW(id, width, result_width) { #id, width, result_width, ours_##id, host_##id }

static const struct operation operations[] = {
	ROW(add32, 32, 32),
	ROW(sub32, 32, 32),
	ROW(mul32, 32, 32),
	ROW(div32, 32, 32),
	ROW(sqrt32, 32, 32),
	ROW(fma32, 32, 32),
	ROW(add64, 64, 64),
	ROW(sub64, 64, 64),
	ROW(mul64, 64, 64),
	ROW(div64, 64, 64),
	ROW(sqrt64, 64, 64),
	ROW(fma64, 64, 64),
	ROW(narrow, 64, 32),
	ROW(widen, 32, 64),
	ROW(i64_to_32, 0, 32),
	ROW(i64_to_64, 0, 64),
	/* The host has no single instruction for these, and compilers' sequences raise other flags.
         */
	{"u64_to_32", 0, 32, ours_u64_to_32, NULL},
	{"u64_to_64", 0, 64, ours_u64_to_64, NULL},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void fp_expect_result(const struct operation *op, const uint64_t v[3], unsigned rm,
                             uint64_t result, uint64_t flags, uint64_t want, uint64_t want_flags)
{
	if (result != want || flags != want_flags)
		fail_msg("%s rm=%u %#" PRIx64 " %#" PRIx64 " %#" PRIx64 ": %#" PRIx64
		         " flags %#" PRIx64 ", expected %#" PRIx64 " flags %#" PRIx64,
		         op->name, rm, v[0], v[1], v[2], result, flags, want, want_flags);
}

TEST(host_short_cut_equals_exact_way)
{
	uint64_t seed = 1, v[3];

	(void)state;
	for (size_t i = 0; i < COUNT(operations); i++) {
		const struct operation *op = &operations[i];
		for (int n = 0; n < 300000; n++) {
			uint64_t exact_flags = 0, quick_flags = FFLAG_NX;
			fp_operands(op->width, &seed, v);
			uint64_t exact = op->ours(v[0], v[1], v[2], FRM_RNE, &exact_flags);
			uint64_t quick = op->ours(v[0], v[1], v[2], FRM_RNE, &quick_flags);
			fp_expect_result(op, v, FRM_RNE, quick, quick_flags, exact,
			                 exact_flags | FFLAG_NX);
		}
	}
}

static bool is_nan(unsigned width, uint64_t bits)
{
	return width == 32 ? isnan(fp32_host((uint32_t)bits))
	                   : width == 64 && isnan(fp64_host(bits));
}

static uint64_t host_flags(void)
{
	static const struct {
		int host;
		uint64_t ours;
	} flags[] = {{FE_INEXACT, FFLAG_NX},
	             {FE_UNDERFLOW, FFLAG_UF},
	             {FE_OVERFLOW, FFLAG_OF},
	             {FE_DIVBYZERO, FFLAG_DZ},
	             {FE_INVALID, FFLAG_NV}};
	int raised = fetestexcept(FE_ALL_EXCEPT);
	uint64_t result = 0;

	for (size_t i = 0; i < COUNT(flags); i++)
		if (raised & flags[i].host)
			result |= flags[i].ours;
	return result;
}

TEST(exact_way_equals_host)
{
	static const int modes[] = { [FRM_RNE] = FE_TONEAREST, [FRM_RTZ] = FE_TOWARDZERO,
				     [FRM_RDN] = FE_DOWNWARD, [FRM_RUP] = FE_UPWARD };
	uint64_t seed = 2, v[3];
	uint64_t compared = ~UINT64_C(0);

	(void)state;
#ifndef __x86_64__
	/* hosts differ in detecting tininess before or after rounding */
	compared &= ~(uint64_t)FFLAG_UF;
#endif
	for (size_t i = 0; i < COUNT(operations); i++) {
		const struct operation *op = &operations[i];
		for (int n = 0; op->host && n < 300000; n++) {
			unsigned rm = (unsigned)n & 3;
			uint64_t flags = 0, flags_nx = FFLAG_NX;
			fp_operands(op->width, &seed, v);
			fesetround(modes[rm]);
			feclearexcept(FE_ALL_EXCEPT);
			uint64_t want = op->host(v[0], v[1], v[2]);
			uint64_t want_flags = host_flags();
			uint64_t result = op->ours(v[0], v[1], v[2], rm, &flags);
			fesetround(FE_TONEAREST);
			uint64_t result_nx = op->ours(v[0], v[1], v[2], rm, &flags_nx);
			if (is_nan(op->result_width, want))
				want = op->result_width == 32 ? FP_NAN32 : FP_NAN64;
			/* IEEE 754 leaves open whether inf * 0 + quiet NaN is invalid. */
			uint64_t mask =
				is_nan(op->width, v[2]) ? compared & ~(uint64_t)FFLAG_NV : compared;
			fp_expect_result(op, v, rm, result, flags & mask, want, want_flags & mask);
			fp_expect_result(op, v, rm, result_nx, flags_nx, result, flags | FFLAG_NX);
		}
	}
}

#define INF32 0x7f800000u
#define SNAN32 0x7f800001u
#define NEG32 0x80000000u
#define SNAN64 UINT64_C(0x7ff0000000000001)
#define INF64 UINT64_C(0x7ff0000000000000)
#define NEG64 UINT64_C(0x8000000000000000)

/* Evaluates a call that raises flags in `f`, and checks its result and the flags. */
#define assert_fp(call, want, raised) \
	do { \
		uint64_t f = 0; \
		assert_int_equal(call, want); \
		assert_int_equal(f, raised); \
	} while (0)

TEST(ties_away_from_zero)
{
	uint32_t one = fp32_bits(1), ulp_half = fp32_bits(0x1p-24f),
		 below_half = fp32_bits(0x1.fffffep-25f);

	(void)state;
	assert_fp(fp32_add(one, ulp_half, FRM_RMM, &f), one + 1, FFLAG_NX);
	assert_fp(fp32_add(one, ulp_half, FRM_RNE, &f), one, FFLAG_NX);
	assert_fp(fp32_add(one, below_half, FRM_RMM, &f), one, FFLAG_NX);
	assert_fp(fp32_add(one | NEG32, ulp_half | NEG32, FRM_RMM, &f), (one + 1) | NEG32,
	          FFLAG_NX);
	assert_fp(fp64_add(fp64_bits(1), fp64_bits(0x1p-53), FRM_RMM, &f), fp64_bits(1) + 1,
	          FFLAG_NX);
	assert_fp(fp64_mul(1, fp64_bits(0.5), FRM_RMM, &f), 1, FFLAG_UF | FFLAG_NX);
	assert_fp(fp64_mul(1, fp64_bits(0.5), FRM_RNE, &f), 0, FFLAG_UF | FFLAG_NX);
	assert_fp(fp32_mul(fp32_bits(0x1.fffffep127f), fp32_bits(2), FRM_RMM, &f), INF32,
	          FFLAG_OF | FFLAG_NX);
	assert_fp(fp64_to_fp32(fp64_bits(0x1.000001p0), FRM_RMM, &f), one + 1, FFLAG_NX);
	assert_fp(fp64_to_i32(fp64_bits(2.5), FRM_RMM, &f), 3, FFLAG_NX);
	assert_fp(fp64_to_i32(fp64_bits(2.5), FRM_RNE, &f), 2, FFLAG_NX);
	assert_fp(fp64_to_i32(fp64_bits(-2.5), FRM_RMM, &f), -3, FFLAG_NX);
	assert_fp(fp32_to_i64(fp32_bits(0.5f), FRM_RMM, &f), 1, FFLAG_NX);
	assert_fp(fp32_to_i64(fp32_bits(0.25f), FRM_RMM, &f), 0, FFLAG_NX);
	assert_fp(fp32_from_u64((1u << 25) + 2, FRM_RMM, &f), fp32_bits(0x1p25f) + 1, FFLAG_NX);
	assert_fp(fp32_from_i64(-(1 << 25) - 2, FRM_RMM, &f), fp32_bits(-0x1p25f) + 1, FFLAG_NX);
}

/* The largest value below the smallest normal number that rounds up to it is tiny only if rounding
 * with an unbounded exponent would have left it below. */
TEST(tininess_is_detected_after_rounding)
{
	uint64_t below_one = fp64_bits(1) - 1, smallest = fp64_bits(0x1p-1022);

	(void)state;
	assert_fp(fp64_mul(smallest, below_one, FRM_RNE, &f), smallest, FFLAG_UF | FFLAG_NX);
	assert_fp(fp64_fma(smallest, below_one, 1, FRM_RNE, &f), smallest, FFLAG_NX);
	assert_fp(fp64_mul(smallest + 1, below_one, FRM_RUP, &f), smallest + 1, FFLAG_NX);
	/* (1 + 2^-52)(1 - 2^-52) = 1 - 2^-104 rounds to 1 in 53 bits. */
	assert_fp(fp64_mul(smallest + 1, fp64_bits(1) - 2, FRM_RNE, &f), smallest, FFLAG_NX);
	assert_fp(fp64_mul(smallest + 1, fp64_bits(1) - 2, FRM_RTZ, &f), smallest - 1,
	          FFLAG_UF | FFLAG_NX);
	assert_fp(fp64_mul(smallest, fp64_bits(0.5), FRM_RNE, &f), smallest / 2, 0);
}

TEST(nans_are_canonical_and_signalling_ones_raise)
{
	uint32_t one = fp32_bits(1), payload = 0xffc01234;

	(void)state;
	assert_fp(fp32_add(payload, one, FRM_RNE, &f), FP_NAN32, 0);
	assert_fp(fp32_add(SNAN32, one, FRM_RNE, &f), FP_NAN32, FFLAG_NV);
	assert_fp(fp32_sub(INF32, INF32, FRM_RNE, &f), FP_NAN32, FFLAG_NV);
	assert_fp(fp32_mul(INF32, 0, FRM_RNE, &f), FP_NAN32, FFLAG_NV);
	assert_fp(fp32_div(0, 0, FRM_RNE, &f), FP_NAN32, FFLAG_NV);
	assert_fp(fp32_div(one, NEG32, FRM_RNE, &f), INF32 | NEG32, FFLAG_DZ);
	assert_fp(fp32_div(INF32, 0, FRM_RNE, &f), INF32, 0);
	assert_fp(fp32_sqrt(fp32_bits(-1), FRM_RNE, &f), FP_NAN32, FFLAG_NV);
	assert_fp(fp32_sqrt(NEG32, FRM_RNE, &f), NEG32, 0);
	assert_fp(fp32_fma(INF32, 0, payload, FRM_RNE, &f), FP_NAN32, FFLAG_NV);
	assert_fp(fp32_fma(one, one, payload, FRM_RNE, &f), FP_NAN32, 0);
	assert_fp(fp64_fma(INF64, fp64_bits(1), INF64 | NEG64, FRM_RNE, &f), FP_NAN64, FFLAG_NV);
	assert_fp(fp64_to_fp32(SNAN64, FRM_RNE, &f), FP_NAN32, FFLAG_NV);
	assert_fp(fp32_to_fp64(payload, &f), FP_NAN64, 0);
	assert_fp(fp32_to_fp64(SNAN32, &f), FP_NAN64, FFLAG_NV);
	assert_int_equal(fp_unbox(fp_box(one)), one);
	assert_int_equal(fp_unbox(one), FP_NAN32);
}

TEST(min_max_and_compare)
{
	uint32_t one = fp32_bits(1), two = fp32_bits(2);

	(void)state;
	assert_fp(fp32_min(0, NEG32, &f), NEG32, 0);
	assert_fp(fp32_min(NEG32, 0, &f), NEG32, 0);
	assert_fp(fp32_max(0, NEG32, &f), 0, 0);
	assert_fp(fp32_max(NEG32, 0, &f), 0, 0);
	assert_fp(fp32_min(one, FP_NAN32, &f), one, 0);
	assert_fp(fp32_max(SNAN32, one, &f), one, FFLAG_NV);
	assert_fp(fp32_min(0xffc01234, 0x7fc01234, &f), FP_NAN32, 0);
	assert_fp(fp32_max(SNAN32, SNAN32, &f), FP_NAN32, FFLAG_NV);
	assert_fp(fp32_min(one | NEG32, two | NEG32, &f), two | NEG32, 0);
	assert_fp(fp32_max(one | NEG32, two | NEG32, &f), one | NEG32, 0);
	assert_fp(fp64_max(fp64_bits(-1), INF64, &f), INF64, 0);
	assert_fp(fp32_eq(0, NEG32, &f), true, 0);
	assert_fp(fp32_eq(one, FP_NAN32, &f), false, 0);
	assert_fp(fp32_eq(one, SNAN32, &f), false, FFLAG_NV);
	assert_fp(fp32_lt(NEG32, 0, &f), false, 0);
	assert_fp(fp32_le(0, NEG32, &f), true, 0);
	assert_fp(fp32_lt(two | NEG32, one | NEG32, &f), true, 0);
	assert_fp(fp32_lt(one | NEG32, two | NEG32, &f), false, 0);
	assert_fp(fp32_lt(one | NEG32, two, &f), true, 0);
	assert_fp(fp64_le(FP_NAN64, 0, &f), false, FFLAG_NV);
}

TEST(test_fp_classes)
{
	static const struct {
		uint32_t narrow;
		uint64_t wide;
	} by_bit[] = {
		{ INF32 | NEG32, INF64 | NEG64 },
		{ 0xbf800000, UINT64_C(0xbff0000000000000) },
		{ NEG32 | 1, NEG64 | 1 },
		{ NEG32, NEG64 },
		{ 0, 0 },
		{ 0x007fffff, UINT64_C(0x000fffffffffffff) },
		{ 0x00800000, UINT64_C(0x0010000000000000) },
		{ INF32, INF64 },
		{ SNAN32 | NEG32, SNAN64 },
		{ FP_NAN32, FP_NAN64 | NEG64 },
	};

	(void)state;
	for (size_t bit = 0; bit < COUNT(by_bit); bit++) {
		assert_int_equal(fp32_class(by_bit[bit].narrow), 1 << bit);
		assert_int_equal(fp64_class(by_bit[bit].wide), 1 << bit);
	}
}

TEST(conversions_to_integers_saturate)
{
	uint64_t all = UINT64_MAX, top32 = fp64_bits(0x1p31), top64 = fp64_bits(0x1p63);

	(void)state;
	assert_fp(fp64_to_i32(top32, FRM_RTZ, &f), INT32_MAX, FFLAG_NV);
	assert_fp(fp64_to_i32(top32 | NEG64, FRM_RTZ, &f), INT32_MIN, 0);
	assert_fp(fp64_to_i32(fp64_bits(-0x1p31 - 0.5), FRM_RTZ, &f), INT32_MIN, FFLAG_NX);
	assert_fp(fp64_to_i32(fp64_bits(-0x1p31 - 0.5), FRM_RDN, &f), INT32_MIN, FFLAG_NV);
	assert_fp(fp64_to_i32(fp64_bits(0x1p31 - 0.5), FRM_RNE, &f), INT32_MAX, FFLAG_NV);
	assert_fp(fp64_to_i32(FP_NAN64 | NEG64, FRM_RNE, &f), INT32_MAX, FFLAG_NV);
	assert_fp(fp64_to_i32(INF64 | NEG64, FRM_RNE, &f), INT32_MIN, FFLAG_NV);
	assert_fp(fp64_to_u32(top32, FRM_RTZ, &f), UINT64_C(0xffffffff80000000), 0);
	assert_fp(fp64_to_u32(fp64_bits(0x1p32), FRM_RTZ, &f), all, FFLAG_NV);
	assert_fp(fp64_to_u32(FP_NAN64, FRM_RTZ, &f), all, FFLAG_NV);
	assert_fp(fp64_to_u32(fp64_bits(-0.5), FRM_RNE, &f), 0, FFLAG_NX);
	assert_fp(fp64_to_u32(fp64_bits(-0.5), FRM_RMM, &f), 0, FFLAG_NV);
	assert_fp(fp64_to_u32(fp64_bits(-0.5), FRM_RDN, &f), 0, FFLAG_NV);
	assert_fp(fp64_to_u32(NEG64, FRM_RDN, &f), 0, 0);
	assert_fp(fp64_to_i64(top64, FRM_RTZ, &f), INT64_MAX, FFLAG_NV);
	assert_fp(fp64_to_i64(top64 | NEG64, FRM_RTZ, &f), INT64_MIN, 0);
	assert_fp(fp64_to_i64(top64 - 1, FRM_RTZ, &f), INT64_C(0x7ffffffffffffc00), 0);
	assert_fp(fp64_to_u64(top64, FRM_RTZ, &f), NEG64, 0);
	assert_fp(fp64_to_u64(fp64_bits(0x1p64), FRM_RTZ, &f), all, FFLAG_NV);
	assert_fp(fp64_to_u64(fp64_bits(-1), FRM_RTZ, &f), 0, FFLAG_NV);
	assert_fp(fp64_to_u64(FP_NAN64, FRM_RTZ, &f), all, FFLAG_NV);
	assert_fp(fp32_to_u64(INF32, FRM_RTZ, &f), all, FFLAG_NV);
	assert_fp(fp32_to_u64(1, FRM_RUP, &f), 1, FFLAG_NX);
	assert_fp(fp32_to_i64(1 | NEG32, FRM_RDN, &f), -1, FFLAG_NX);
	assert_fp(fp32_to_i32(fp32_bits(-7.5f), FRM_RTZ, &f), -7, FFLAG_NX);
}

TEST(conversions_from_integers_round)
{
	assert_fp(fp64_from_u64(UINT64_MAX, FRM_RNE, &f), fp64_bits(0x1p64), FFLAG_NX);
	assert_fp(fp64_from_u64(UINT64_MAX, FRM_RTZ, &f), fp64_bits(0x1p64) - 1, FFLAG_NX);
	assert_fp(fp64_from_i64(INT64_MIN, FRM_RTZ, &f), fp64_bits(-0x1p63), 0);
	assert_fp(fp64_from_i64(-1, FRM_RTZ, &f), fp64_bits(-1), 0);
	assert_fp(fp32_from_i64(0, FRM_RDN, &f), 0, 0);
	assert_fp(fp32_from_i64(-16777217, FRM_RDN, &f), fp32_bits(-16777218), FFLAG_NX);
	assert_fp(fp32_from_u64(16777217, FRM_RUP, &f), fp32_bits(16777218), FFLAG_NX);
}

/* Each operation reports its own inexactness: the host's flag of the previous one is cleared. */
TEST(an_exact_result_raises_nothing)
{
	const uint64_t one = fp64_bits(1), three = fp64_bits(3);
	const uint32_t one32 = fp32_bits(1), three32 = fp32_bits(3);
	for (unsigned i = 0; i < 4; i++) {
		uint64_t flags = 0;
		fp64_div(one, three, FRM_RNE, &flags);
		assert_int_equal(flags, FFLAG_NX);
		flags = 0;
		assert_int_equal(fp64_add(one, three, FRM_RNE, &flags), fp64_bits(4));
		assert_int_equal(fp64_fma(three, three, one, FRM_RNE, &flags), fp64_bits(10));
		assert_int_equal(fp64_from_i64(-7, FRM_RNE, &flags), fp64_bits(-7));
		assert_int_equal(fp64_to_fp32(three, FRM_RNE, &flags), three32);
		assert_int_equal(flags, 0);
		fp32_div(one32, three32, FRM_RNE, &flags);
		assert_int_equal(flags, FFLAG_NX);
		flags = 0;
		assert_int_equal(fp32_mul(three32, three32, FRM_RNE, &flags), fp32_bits(9));
		assert_int_equal(flags, 0);
		fp64_from_u64(UINT64_MAX, FRM_RNE, &flags);
		assert_int_equal(flags, FFLAG_NX);
	}
}
