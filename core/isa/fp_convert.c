/* Conversions between integers and floating point, with RISC-V's rounding and flags. */
#include "core/isa/fp.h"
#include "core/isa/fp_exact.h"
#include "core/isa/fp_host.h"

/* The integer results of a conversion: -below..above, as magnitudes. */
struct int_range {
	uint64_t below;
	uint64_t above;
};

static const struct int_range range_i32 = { UINT64_C(1) << 31, INT32_MAX };
static const struct int_range range_u32 = { 0, UINT32_MAX };
static const struct int_range range_i64 = { UINT64_C(1) << 63, INT64_MAX };
static const struct int_range range_u64 = { 0, UINT64_MAX };

static uint64_t fp_convert_saturate_int(const struct int_range *range, bool negative,
                                        uint64_t *fflags)
{
	*fflags |= FFLAG_NV;
	return negative ? -range->below : range->above;
}

/* Converts to two's complement in 64 bits. A value out of range after rounding raises NV alone,
 * never NX. */
static uint64_t to_int(const struct fp_format *f, uint64_t a, const struct int_range *range,
                       unsigned rm, uint64_t *fflags)
{
	struct fp_num x = fp_unpack(f, a);

	if (x.kind == FP_KIND_ZERO)
		return 0;
	if (x.kind != FP_KIND_FINITE || x.exp > 63)
		return fp_convert_saturate_int(range, x.sign && !fp_is_nan(&x), fflags);
	/* Split at the binary point: whole, and the fraction in units of 2^-64. */
	uint64_t whole = x.exp < 0 ? 0 : x.sig >> (63 - x.exp);
	uint64_t rest;
	if (x.exp >= 0)
		rest = x.exp == 63 ? 0 : x.sig << (x.exp + 1);
	else
		rest = x.exp == -1 ? x.sig : 1;
	whole += fp_rounds_up(rm, x.sign, whole, rest, UINT64_C(1) << 63);
	if (whole > (x.sign ? range->below : range->above))
		return fp_convert_saturate_int(range, x.sign, fflags);
	if (rest != 0)
		*fflags |= FFLAG_NX;
	return x.sign ? -whole : whole;
}

static uint64_t from_magnitude(const struct fp_format *f, bool sign, uint64_t v, unsigned rm,
                               uint64_t *fflags)
{
	if (v == 0)
		return 0;
	int zeros = __builtin_clzll(v);
	return fp_round_pack(f, sign, 63 - zeros, v << zeros, rm, fflags);
}

static uint64_t fp_convert_format(const struct fp_format *from, const struct fp_format *to,
                                  uint64_t a, unsigned rm, uint64_t *fflags)
{
	struct fp_num x = fp_unpack(from, a);

	switch (x.kind) {
	case FP_KIND_FINITE:
		return fp_round_pack(to, x.sign, x.exp, x.sig, rm, fflags);
	case FP_KIND_ZERO:
		return fp_sign_bits(to, x.sign);
	case FP_KIND_INF:
		return fp_sign_bits(to, x.sign) | fp_inf_bits(to);
	case FP_KIND_SNAN:
		*fflags |= FFLAG_NV;
		break;
	case FP_KIND_QNAN:
		break;
	}
	return fp_nan_bits(to);
}

static uint64_t sign_extend32(uint64_t v)
{
	return (uint64_t)(int32_t)(uint32_t)v;
}

/* binary16 never uses the host's arithmetic. */
#define FP_TRY(w, operation) FP_TRY_##w(operation)
#define FP_TRY_16(operation)
#define FP_TRY_32(operation) FP_TRY_HOST(32, v, fp_any, operation)
#define FP_TRY_64(operation) FP_TRY_HOST(64, v, fp_any, operation)

#define FP_DEFINE_CONVERSIONS(w, host_type) \
	uint64_t fp##w##_to_i32(uint##w##_t a, unsigned rm, uint64_t *fflags) \
	{ \
		return to_int(&fp_binary##w, a, &range_i32, rm, fflags); \
	} \
	uint64_t fp##w##_to_u32(uint##w##_t a, unsigned rm, uint64_t *fflags) \
	{ \
		return sign_extend32(to_int(&fp_binary##w, a, &range_u32, rm, fflags)); \
	} \
	uint64_t fp##w##_to_i64(uint##w##_t a, unsigned rm, uint64_t *fflags) \
	{ \
		return to_int(&fp_binary##w, a, &range_i64, rm, fflags); \
	} \
	uint64_t fp##w##_to_u64(uint##w##_t a, unsigned rm, uint64_t *fflags) \
	{ \
		return to_int(&fp_binary##w, a, &range_u64, rm, fflags); \
	} \
	uint##w##_t fp##w##_from_i64(int64_t v, unsigned rm, uint64_t *fflags) \
	{ \
		FP_TRY(w, (host_type)v) \
		uint64_t magnitude = v < 0 ? -(uint64_t)v : (uint64_t)v; \
		return (uint##w##_t)from_magnitude(&fp_binary##w, v < 0, magnitude, rm, fflags); \
	} \
	uint##w##_t fp##w##_from_u64(uint64_t v, unsigned rm, uint64_t *fflags) \
	{ \
		FP_TRY(w, (host_type)v) \
		return (uint##w##_t)from_magnitude(&fp_binary##w, false, v, rm, fflags); \
	}

FP_DEFINE_CONVERSIONS(16, )
FP_DEFINE_CONVERSIONS(32, float)
FP_DEFINE_CONVERSIONS(64, double)

uint32_t fp64_to_fp32(uint64_t a, unsigned rm, uint64_t *fflags)
{
	FP_TRY_HOST(32, a, fp32_plain, (float)fp64_host(a))
	return (uint32_t)fp_convert_format(&fp_binary64, &fp_binary32, a, rm, fflags);
}

uint64_t fp32_to_fp64(uint32_t a, uint64_t *fflags)
{
	/* Exact for every number; a subnormal becomes a normal one, so that no flag is possible. */
	if (fp32_plain(a))
		return fp64_bits((double)fp32_host(a));
	return fp_convert_format(&fp_binary32, &fp_binary64, a, FRM_RNE, fflags);
}

uint16_t fp64_to_fp16(uint64_t a, unsigned rm, uint64_t *fflags)
{
	return (uint16_t)fp_convert_format(&fp_binary64, &fp_binary16, a, rm, fflags);
}

uint16_t fp32_to_fp16(uint32_t a, unsigned rm, uint64_t *fflags)
{
	return (uint16_t)fp_convert_format(&fp_binary32, &fp_binary16, a, rm, fflags);
}

/* Both are exact: the only possible flag is that of a signalling NaN. */
uint32_t fp16_to_fp32(uint16_t a, uint64_t *fflags)
{
	return (uint32_t)fp_convert_format(&fp_binary16, &fp_binary32, a, FRM_RNE, fflags);
}

uint64_t fp16_to_fp64(uint16_t a, uint64_t *fflags)
{
	return fp_convert_format(&fp_binary16, &fp_binary64, a, FRM_RNE, fflags);
}
