#include "hwviews/grid/utf8.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { REPLACEMENT = 0xfffd };

size_t utf8_decode(const char *s, size_t n, uint32_t *code)
{
	const unsigned char *b = (const unsigned char *)s;
	static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
	size_t len = b[0] < 0x80                   ? 1
	             : b[0] >= 0xf0 && b[0] < 0xf8 ? 4 : b[0] >= 0xe0 ? 3 : b[0] >= 0xc0 ? 2 : 0;
	*code = REPLACEMENT;
	if (len == 1) {
		*code = b[0];
		return 1;
	}
	if (!len || len > n || b[0] >= 0xf8)
		return 1;
	uint32_t c = b[0] & (0x7fu >> len);
	for (size_t i = 1; i < len; i++) {
		if ((b[i] & 0xc0) != 0x80)
			return 1;
		c = c << 6 | (b[i] & 0x3f);
	}
	if (c < least[len] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		return 1;
	*code = c;
	return len;
}

static bool utf8_is_in_ranges(uint32_t c, const uint32_t (*r)[2], size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (c >= r[i][0] && c <= r[i][1])
			return true;
	return false;
}

static bool is_control(uint32_t c)
{
	/* Invisible characters, and characters that reverse the order of text: soft hyphen,
	 * joiners, direction marks, separators, tags. */
	static const uint32_t hidden[][2] = {
		{0xad, 0xad},     {0x61c, 0x61c},   {0x180e, 0x180e},
		{0x200b, 0x200f}, {0x2028, 0x202e}, {0x2060, 0x206f},
		{0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0000, 0xe007f}};
	return c < 0x20 || (c >= 0x7f && c < 0xa0) ||
	       (c >= 0xad && utf8_is_in_ranges(c, hidden, sizeof hidden / sizeof *hidden));
}

bool utf8_is_shown(uint32_t code)
{
	return code != REPLACEMENT && !is_control(code);
}

size_t utf8_clean(char *out, const char *s, size_t n, const char *keep)
{
	static const char replacement[] = "\xef\xbf\xbd";
	char *o = out;
	while (n > 0) {
		uint32_t code;
		size_t len = utf8_decode(s, n, &code);
		if (code == REPLACEMENT ||
		    (is_control(code) && (!code || code > 0x7f || !strchr(keep, (int)code)))) {
			memcpy(o, replacement, sizeof replacement - 1);
			o += sizeof replacement - 1;
		} else {
			memcpy(o, s, len);
			o += len;
		}
		s += len;
		n -= len;
	}
	return (size_t)(o - out);
}

unsigned utf8_char_width(uint32_t c)
{
	static const uint32_t none[][2] = {{0x300, 0x36f},   {0x483, 0x489},   {0x591, 0x5bd},
	                                   {0x610, 0x61a},   {0x64b, 0x65f},   {0x200b, 0x200f},
	                                   {0x20d0, 0x20f0}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}};
	static const uint32_t wide[][2] = {
		{0x1100, 0x115f},   {0x2e80, 0x303e},   {0x3041, 0xa4cf},  {0xac00, 0xd7a3},
		{0xf900, 0xfaff},   {0xfe30, 0xfe6f},   {0xff00, 0xff60},  {0xffe0, 0xffe6},
		{0x1f300, 0x1f64f}, {0x1f900, 0x1f9ff}, {0x20000, 0x3fffd}};
	if (c < 0x300)
		return 1;
	if (utf8_is_in_ranges(c, none, sizeof none / sizeof *none))
		return 0;
	return utf8_is_in_ranges(c, wide, sizeof wide / sizeof *wide) ? 2 : 1;
}

unsigned utf8_width(const char *s)
{
	unsigned cells = 0;
	for (size_t n = strlen(s); n > 0;) {
		uint32_t code;
		size_t len = utf8_decode(s, n, &code);
		cells += utf8_char_width(code);
		s += len;
		n -= len;
	}
	return cells;
}

size_t utf8_fit(const char *s, unsigned cells)
{
	size_t at = 0;
	for (size_t n = strlen(s); at < n;) {
		uint32_t code;
		size_t len = utf8_decode(s + at, n - at, &code);
		unsigned w = utf8_char_width(code);
		if (w > cells)
			break;
		cells -= w;
		at += len;
	}
	return at;
}

enum number_kind { NUMBER_HEX, NUMBER_GROUPED, NUMBER_PLAIN, NUMBER_KINDS };

/* True if s[at] may be a character of a number: of 0x5851f42d, of 3,000,000 or 0.25, or of 300. */
static bool utf8_is_number_part(const char *s, size_t at, enum number_kind kind)
{
	const char c = s[at];
	if (isdigit((unsigned char)c))
		return true;
	if (kind != NUMBER_GROUPED)
		return kind == NUMBER_HEX && ((c >= 'a' && c <= 'f') || c == 'x');
	const size_t digits = strspn(s + at + 1, "0123456789");
	return at > 0 && isdigit((unsigned char)s[at - 1]) &&
	       (c == '.' ? digits > 0 : c == ',' && digits == 3);
}

/* Beginning of the number that ends before s[at], or continues there; `at` if there is none. */
static size_t utf8_number_before(const char *s, size_t at)
{
	for (enum number_kind kind = NUMBER_HEX; kind < NUMBER_KINDS; kind++) {
		size_t from = at;
		while (from > 0 && utf8_is_number_part(s, from - 1, kind))
			from--;
		const bool whole = !from || !(isalnum((unsigned char)s[from - 1]) ||
		                              s[from - 1] == '_' || (s[from - 1] & 0x80));
		if (from < at && whole && isdigit((unsigned char)s[from]) &&
		    (kind != NUMBER_HEX || !strncmp(s + from, "0x", 2)))
			return from && strchr("-+#", s[from - 1]) ? from - 1 : from;
	}
	return at;
}

size_t utf8_fit_text(const char *s, unsigned cells)
{
	const size_t at = utf8_fit(s, cells);
	return s[at] ? utf8_number_before(s, at) : at;
}

/* Writes 3,000,000 as "3.00 M", as exactly as it fits; false if nothing does. */
static bool utf8_round_number(const char *s, unsigned cells, char *buf, size_t n)
{
	static const char *const units[] = {"", "k", "M", "G", "T", "P", "E"};
	const char *digits = s + (*s == '-');
	double v = 0;
	unsigned unit = 0;
	for (const char *d = digits; *d; d++) {
		if (!isdigit((unsigned char)*d) && *d != ',')
			return false;
		v = *d == ',' ? v : 10 * v + (*d - '0');
	}
	for (; v >= 999.5; unit++)
		v /= 1000;
	for (int decimals = 2; decimals >= 0; decimals--) {
		const int length = snprintf(buf, n, "%s%.*f%s%s", *s == '-' ? "-" : "",
		                            unit ? decimals : 0, v,
		                            decimals ? " " : "", units[unit]);
		if (length > 0 && (unsigned)length <= cells)
			return true;
	}
	return false;
}

bool utf8_is_hex(const char *s)
{
	return !strncmp(s, "0x", 2) && s[2] && !s[2 + strspn(s + 2, "0123456789abcdef")];
}

const char *utf8_shorten(const char *s, unsigned cells, char *buf, size_t n)
{
	enum { NAME_LEAST = 3 };
	if (utf8_width(s) <= cells || utf8_round_number(s, cells, buf, n))
		return utf8_width(s) <= cells ? s : buf;
	const char *offset = strstr(s, "+0x");
	if (!offset || memchr(s, ' ', (size_t)(offset - s)) || utf8_width(s) <= cells)
		return s;
	size_t tail = strlen(offset);
	if (tail + NAME_LEAST + 1 > cells)
		tail = strcspn(offset, " ");
	if (tail + NAME_LEAST + 1 > cells ||
	    utf8_fit(s, cells - 1 - (unsigned)tail) >= (size_t)(offset - s))
		return s;
	snprintf(buf, n, "%.*s…%.*s", (int)utf8_fit(s, cells - 1 - (unsigned)tail), s, (int)tail,
	         offset);
	return buf;
}

char utf8_ascii(uint32_t code)
{
	static const struct {
		uint32_t code;
		char ascii;
	} table[] = {{0x2026, '~'}, {0x22ef, ':'}, {0xb7, '.'},   {0x25b6, '>'}, {0x25b7, '>'},
	             {0x25c0, '<'}, {0x25c6, '*'}, {0x25c7, 'o'}, {0x25cf, '*'}, {0x25d0, '+'},
	             {0x25cb, 'o'}, {0x25a0, '#'}, {0x25a1, '_'}, {0x2588, '#'}, {0x2589, '#'},
	             {0x258a, '#'}, {0x258b, '='}, {0x258c, '='}, {0x258d, '-'}, {0x258e, '.'},
	             {0x258f, '.'}, {0x2581, ','}, {0x2582, ':'}, {0x2583, '-'}, {0x2584, '='},
	             {0x2585, '+'}, {0x2586, '%'}, {0x2587, '@'}, {0x2593, '%'}, {0x2592, '+'},
	             {0x2591, ':'}, {0x2013, '-'}, {0x2014, '-'}, {0x2500, '-'}, {0x2502, '|'},
	             {0x250c, '+'}, {0x251c, '+'}, {0x2514, '+'}, {0x2510, '+'}, {0x2518, '+'},
	             {0x2524, '+'}, {0x252c, '+'}, {0x2534, '+'}, {0x253c, '+'}, {0x2192, '>'},
	             {0x2190, '<'}, {0x2193, 'v'}, {0x2191, '^'}, {0xd7, 'x'},   {0x25be, 'v'},
	             {0x25b8, '>'}, {0x21ba, '@'}, {0xb1, '~'}};
	if (code < 0x80)
		return (char)code;
	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		if (table[i].code == code)
			return table[i].ascii;
	return '?';
}
