/* Parses counts: 1500, 1,500, 10k, 1.5M. */
#include "ui/console/counts.h"

#include <string.h>

/* True for a comma that separates thousands, as in 3,000,000: after at most three first digits or a
 * group of three, before exactly three digits. */
static bool is_group(const char *text, const char *s)
{
	const char *first = strchr(text, ',');
	return *s == ',' && first - text <= 3 && (s - first) % 4 == 0 &&
	       strspn(s + 1, "0123456789") == 3;
}

bool count_parse(const char *text, uint64_t *out, struct err *err)
{
	static const char suffixes[] = "kMGT";
	uint64_t whole = 0, fraction_unit = 1, unit = 1;
	unsigned __int128 fraction = 0;
	const char *s = text;
	bool grouped = false;

	if (*s < '0' || *s > '9')
		goto bad;
	for (; (*s >= '0' && *s <= '9') || is_group(text, s); s++)
		if (*s == ',')
			grouped = true;
		else if (__builtin_mul_overflow(whole, 10, &whole) ||
		         __builtin_add_overflow(whole, (uint64_t)(*s - '0'), &whole))
			goto too_large;
	if (*s && grouped)
		goto bad;
	if (*s == '.')
		for (s++; *s >= '0' && *s <= '9' && fraction_unit < 1000000000; s++) {
			fraction = fraction * 10 + (unsigned)(*s - '0');
			fraction_unit *= 10;
		}
	if (*s) {
		const char *at = strchr(suffixes, *s == 'K'                ? 'k'
		                                  : *s == 'm' || *s == 'g' ? *s - 32
		                                                           : *s);
		if (!at || s[1])
			goto bad;
		for (const char *p = suffixes; p <= at; p++)
			unit *= 1000;
	}
	if ((fraction * unit) % fraction_unit)
		goto bad;
	if (__builtin_mul_overflow(whole, unit, &whole) ||
	    __builtin_add_overflow(whole, (uint64_t)(fraction * unit / fraction_unit), &whole))
		goto too_large;
	*out = whole;
	return true;
bad:
	return err_set(err, "'%s' is not a count; expected 1500, 1,500, 10k, 1.5M, 2G", text);
too_large:
	return err_set(err, "'%s' is too large; at most 2^64 - 1", text);
}
