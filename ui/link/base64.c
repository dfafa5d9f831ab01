#include "ui/link/base64.h"

#include <stdint.h>
#include <string.h>

#include "core/base/alloc.h"

/* Letters, digits, and the two characters in which the forms differ. */
static const char base64_digits[] =
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_";

static char base64_digit(unsigned value, bool address)
{
	return base64_digits[value + (address && value >= 62 ? 2 : 0)];
}

char *base64_encode(const void *bytes, size_t n, bool address)
{
	const unsigned char *in = bytes;
	char *out = alloc_bytes((n + 2) / 3 * 4 + 1), *at = out;
	for (size_t i = 0; out && i < n; i += 3) {
		const size_t have = n - i < 3 ? n - i : 3;
		const unsigned v = (unsigned)in[i] << 16 |
		                   (have > 1 ? (unsigned)in[i + 1] << 8 : 0) |
		                   (have > 2 ? in[i + 2] : 0);
		for (unsigned k = 0; k <= have; k++)
			*at++ = base64_digit(v >> (18 - 6 * k) & 63, address);
		for (size_t k = have; !address && k < 3; k++)
			*at++ = '=';
	}
	if (out)
		*at = '\0';
	return out;
}

unsigned char *base64_decode(const char *text, size_t n, size_t *size, size_t *wrong)
{
	*size = 0;
	for (*wrong = 0; *wrong < n; ++*wrong) {
		const char c = text[*wrong];
		if (!c || c == '+' || c == '/' || !strchr(base64_digits, c))
			return NULL;
	}
	if (n % 4 == 1)
		return NULL;
	unsigned char *out = alloc_bytes(n / 4 * 3 + 3);
	*wrong = SIZE_MAX;
	uint32_t bits = 0;
	for (size_t i = 0; out && i < n; i++) {
		const unsigned at = (unsigned)(strchr(base64_digits, text[i]) - base64_digits);
		bits = bits << 6 | (at >= 64 ? at - 2 : at);
		if (i % 4)
			out[(*size)++] = (unsigned char)(bits >> (6 - 2 * (i % 4)));
	}
	return out;
}
