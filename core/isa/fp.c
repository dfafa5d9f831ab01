#include "core/isa/fp.h"

#include <math.h>

#include "core/isa/fp_exact.h"
#include "core/isa/fp_host.h"

static bool either_nan(const struct fp_num *a, const struct fp_num *b)
{
	return fp_is_nan(a) || fp_is_nan(b);
}

static bool either_signals(const struct fp_num *a, const struct fp_num *b)
{
	return a->kind == FP_KIND_SNAN || b->kind == FP_KIND_SNAN;
}

/* Maps values that are not NaN to integers of the same order: negative patterns count downwards. -0
 * is less than +0, as min and max need it. */
static int64_t order_key(const struct fp_format *f, uint64_t bits)
{
	uint64_t magnitude = bits & ~fp_sign_bits(f, true);

	return bits & fp_sign_bits(f, true) ? -1 - (int64_t)magnitude : (int64_t)magnitude;
}

static uint64_t min_max(const struct fp_format *f, uint64_t a, uint64_t b, bool want_max,
                        uint64_t *fflags)
{
	struct fp_num x = fp_unpack(f, a), y = fp_unpack(f, b);

	if (either_signals(&x, &y))
		*fflags |= FFLAG_NV;
	if (fp_is_nan(&x))
		return fp_is_nan(&y) ? fp_nan_bits(f) : b;
	if (fp_is_nan(&y))
		return a;
	return (order_key(f, a) < order_key(f, b)) != want_max ? a : b;
}

static bool fp_is_equal(const struct fp_format *f, uint64_t a, uint64_t b, uint64_t *fflags)
{
	struct fp_num x = fp_unpack(f, a), y = fp_unpack(f, b);

	if (either_nan(&x, &y)) {
		if (either_signals(&x, &y))
			*fflags |= FFLAG_NV;
		return false;
	}
	return a == b || (x.kind == FP_KIND_ZERO && y.kind == FP_KIND_ZERO);
}

static bool fp_is_less(const struct fp_format *f, uint64_t a, uint64_t b, bool or_equal,
                       uint64_t *fflags)
{
	struct fp_num x = fp_unpack(f, a), y = fp_unpack(f, b);

	if (either_nan(&x, &y)) {
		*fflags |= FFLAG_NV;
		return false;
	}
	if (a == b || (x.kind == FP_KIND_ZERO && y.kind == FP_KIND_ZERO))
		return or_equal;
	return order_key(f, a) < order_key(f, b);
}

/* The fclass mask: bits 0 to 7 are the classes from -infinity to +infinity, 8 a signalling, 9 a
 * quiet NaN. */
static uint64_t fp_classify_value(const struct fp_format *f, uint64_t a)
{
	struct fp_num x = fp_unpack(f, a);
	unsigned rank = 0; /* distance from the two zeros, bits 3 and 4 */

	switch (x.kind) {
	case FP_KIND_SNAN:
		return 1 << 8;
	case FP_KIND_QNAN:
		return 1 << 9;
	case FP_KIND_ZERO:
		break;
	case FP_KIND_FINITE:
		rank = x.exp + f->bias > 0 ? 2 : 1;
		break;
	case FP_KIND_INF:
		rank = 3;
		break;
	}
	return UINT64_C(1) << (x.sign ? 3 - rank : 4 + rank);
}

/* binary16 never uses the host's arithmetic. */
#define FP_TRY(w, operation) FP_TRY_##w(operation)
#define FP_TRY_16(operation)
#define FP_TRY_32(operation) FP_TRY_HOST(32, a, fp32_plain, operation)
#define FP_TRY_64(operation) FP_TRY_HOST(64, a, fp64_plain, operation)

#define FP_DEFINE(w, host_sqrt, host_fma)                                                          \
	uint##w##_t fp##w##_add(uint##w##_t a, uint##w##_t b, unsigned rm, uint64_t *fflags)       \
	{                                                                                          \
		FP_TRY(w, fp##w##_host(a) + fp##w##_host(b))                                       \
		return (uint##w##_t)fp_exact_add(&fp_binary##w, a, b, rm, fflags);                 \
	}                                                                                          \
	uint##w##_t fp##w##_sub(uint##w##_t a, uint##w##_t b, unsigned rm, uint64_t *fflags)       \
	{                                                                                          \
		FP_TRY(w, fp##w##_host(a) - fp##w##_host(b))                                       \
		b ^= (uint##w##_t)fp_sign_bits(&fp_binary##w, true);                               \
		return (uint##w##_t)fp_exact_add(&fp_binary##w, a, b, rm, fflags);                 \
	}                                                                                          \
	uint##w##_t fp##w##_mul(uint##w##_t a, uint##w##_t b, unsigned rm, uint64_t *fflags)       \
	{                                                                                          \
		FP_TRY(w, fp##w##_host(a) * fp##w##_host(b))                                       \
		return (uint##w##_t)fp_exact_mul(&fp_binary##w, a, b, rm, fflags);                 \
	}                                                                                          \
	uint##w##_t fp##w##_div(uint##w##_t a, uint##w##_t b, unsigned rm, uint64_t *fflags)       \
	{                                                                                          \
		FP_TRY(w, fp##w##_host(a) / fp##w##_host(b))                                       \
		return (uint##w##_t)fp_exact_div(&fp_binary##w, a, b, rm, fflags);                 \
	}                                                                                          \
	uint##w##_t fp##w##_sqrt(uint##w##_t a, unsigned rm, uint64_t *fflags)                     \
	{                                                                                          \
		FP_TRY(w, host_sqrt(fp##w##_host(a)))                                              \
		return (uint##w##_t)fp_exact_sqrt(&fp_binary##w, a, rm, fflags);                   \
	}                                                                                          \
	uint##w##_t fp##w##_fma(uint##w##_t a, uint##w##_t b, uint##w##_t c, unsigned rm,          \
	                        uint64_t *fflags)                                                  \
	{                                                                                          \
		FP_TRY(w, host_fma(fp##w##_host(a), fp##w##_host(b), fp##w##_host(c)))             \
		return (uint##w##_t)fp_exact_fma(&fp_binary##w, a, b, c, rm, fflags);              \
	}                                                                                          \
	uint##w##_t fp##w##_min(uint##w##_t a, uint##w##_t b, uint64_t *fflags)                    \
	{                                                                                          \
		return (uint##w##_t)min_max(&fp_binary##w, a, b, false, fflags);                   \
	}                                                                                          \
	uint##w##_t fp##w##_max(uint##w##_t a, uint##w##_t b, uint64_t *fflags)                    \
	{                                                                                          \
		return (uint##w##_t)min_max(&fp_binary##w, a, b, true, fflags);                    \
	}                                                                                          \
	bool fp##w##_eq(uint##w##_t a, uint##w##_t b, uint64_t *fflags)                            \
	{                                                                                          \
		return fp_is_equal(&fp_binary##w, a, b, fflags);                                   \
	}                                                                                          \
	bool fp##w##_lt(uint##w##_t a, uint##w##_t b, uint64_t *fflags)                            \
	{                                                                                          \
		return fp_is_less(&fp_binary##w, a, b, false, fflags);                             \
	}                                                                                          \
	bool fp##w##_le(uint##w##_t a, uint##w##_t b, uint64_t *fflags)                            \
	{                                                                                          \
		return fp_is_less(&fp_binary##w, a, b, true, fflags);                              \
	}                                                                                          \
	uint64_t fp##w##_class(uint##w##_t a)                                                      \
	{                                                                                          \
		return fp_classify_value(&fp_binary##w, a);                                        \
	}

FP_DEFINE(16, , )
FP_DEFINE(32, sqrtf, fmaf)
FP_DEFINE(64, sqrt, fma)
