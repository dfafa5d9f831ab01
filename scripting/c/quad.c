/* Reads, writes and prints numbers of 128 bits. */
#include "scripting/c/quad.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FRACTION_BITS = 112, HIGH_BITS = 48, EXPONENT_MAX = 0x7fff, BIAS = 0x3fff, DIGITS = 36 };

/* Sign, exponent and the higher part of the fraction; and its lower part. */
struct halves {
	uint64_t low, high;
};

static const uint64_t FRACTION = (UINT64_C(1) << HIGH_BITS) - 1;

#ifdef QUAD_IS_FLOAT128
quad quad_from_bytes(const uint8_t bytes[QUAD_BYTES])
{
	quad q;
	memcpy(&q, bytes, sizeof q);
	return q;
}

void quad_to_bytes(quad q, uint8_t bytes[QUAD_BYTES])
{
	memcpy(bytes, &q, sizeof q);
}

static void write_digits(quad q, char *buf, size_t n)
{
	strfromf128(buf, n, "%.36g", q);
}

quad quad_read(const char *text, char **end)
{
	return strtof128(text, end);
}
#else
quad quad_from_bytes(const uint8_t bytes[QUAD_BYTES])
{
	struct halves h;
	memcpy(&h, bytes, sizeof h);
	const int exponent = (int)(h.high >> HIGH_BITS & EXPONENT_MAX);
	const uint64_t high = h.high & FRACTION;
	const quad fraction = ldexpl((quad)high, 64) + (quad)h.low;
	quad q = exponent == EXPONENT_MAX
	                 ? (high || h.low ? (quad)NAN : (quad)INFINITY)
	                 : ldexpl(fraction + (exponent ? ldexpl(1, FRACTION_BITS) : 0),
	                          (exponent ? exponent : 1) - BIAS - FRACTION_BITS);
	return h.high >> 63 ? -q : q;
}

void quad_to_bytes(quad q, uint8_t bytes[QUAD_BYTES])
{
	int exponent = 0;
	struct halves h = {0, signbit(q) ? UINT64_C(1) << 63 : 0};
	quad m = fabsl(q);
	if (isnan(q) || isinf(q)) {
		h.high |= (uint64_t)EXPONENT_MAX << HIGH_BITS;
		h.high |= isnan(q) ? UINT64_C(1) << (HIGH_BITS - 1) : 0;
	} else if (m > 0) {
		m = frexpl(m, &exponent);
		const int biased = exponent - 1 + BIAS;
		/* scale to an integer with as many bits as the fraction */
		m = ldexpl(m, FRACTION_BITS + 1 + (biased < 1 ? biased - 1 : 0));
		const uint64_t high = (uint64_t)ldexpl(m, -64);
		h.low = (uint64_t)(m - ldexpl((quad)high, 64));
		h.high |= high & FRACTION;
		h.high |= biased < 1 ? 0 : (uint64_t)biased << HIGH_BITS;
	}
	memcpy(bytes, &h, sizeof h);
}

static void write_digits(quad q, char *buf, size_t n)
{
	snprintf(buf, n, "%.*Lg", LDBL_MANT_DIG < 113 ? LDBL_DECIMAL_DIG : (int)DIGITS, q);
}

quad quad_read(const char *text, char **end)
{
	return strtold(text, end);
}
#endif

char *quad_text(quad q, char *buf, size_t n)
{
	struct halves h;
	uint8_t bytes[QUAD_BYTES];
	quad_to_bytes(q, bytes);
	memcpy(&h, bytes, sizeof h);
	const uint64_t fraction = h.high & FRACTION;
	if (q == q) {
		write_digits(q, buf, n);
		return buf;
	}
	/* its fraction, as in gdb */
	const char *minus = h.high >> 63 ? "-" : "";
	if (fraction)
		snprintf(buf, n, "%snan(0x%" PRIx64 "%016" PRIx64 ")", minus, fraction, h.low);
	else
		snprintf(buf, n, "%snan(0x%" PRIx64 ")", minus, h.low);
	return buf;
}

__int128 quad_integer(quad q)
{
	const __int128 least = (__int128)((unsigned __int128)1 << 127);
	const quad limit = (quad)(UINT64_C(1) << 63) * 2 * (quad)(UINT64_C(1) << 63);
	return q >= limit ? ~least : q >= -limit ? (__int128)q : least;
}
