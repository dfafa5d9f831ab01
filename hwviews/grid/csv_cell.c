#include "hwviews/grid/csv_cell.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "hwviews/grid/utf8.h"

/* utf8_decode()'s result for invalid UTF-8. */
enum { REPLACEMENT = 0xfffd };

/* Digits as in "-12.5e+3", to the end or to the next ';'. */
static bool csv_is_number(const char *s)
{
	s += *s == '-' || *s == '+';
	const size_t whole = strspn(s, "0123456789");
	s += whole;
	size_t part = 0;
	if (*s == '.') {
		part = strspn(++s, "0123456789");
		s += part;
	}
	if (whole + part == 0)
		return false;
	if (*s == 'e' || *s == 'E') {
		s++;
		s += *s == '-' || *s == '+';
		const size_t digits = strspn(s, "0123456789");
		if (!digits)
			return false;
		s += digits;
	}
	return !*s || *s == ';';
}

/* True if it is displayed as nothing, or as a blank. */
static bool csv_is_blank(uint32_t c)
{
	return c == ' ' || c == 0xa0 || c == 0x115f || c == 0x1160 || c == 0x1680 ||
	       (c >= 0x2000 && c <= 0x200a) || c == 0x202f || c == 0x205f || c == 0x2800 ||
	       c == 0x3000 || c == 0x3164 || c == 0xffa0 || !utf8_is_shown(c) ||
	       utf8_char_width(c) == 0;
}

static bool csv_begins_formula(uint32_t c)
{
	return c == '=' || c == '+' || c == '-' || c == '@' || c == 0xff1d || c == 0xff0b ||
	       c == 0xff0d || c == 0xff20 || c == 0x2212;
}

/* The first character that is no blank. */
static uint32_t csv_first(const char *text)
{
	for (size_t n; *text; text += n) {
		uint32_t c;
		n = utf8_decode(text, strlen(text), &c);
		if (!csv_is_blank(c))
			return c;
	}
	return 0;
}

static bool csv_needs_quotes(const char *text)
{
	const size_t n = strlen(text);
	return strpbrk(text, ",;\"\n\r\t") || (n && (*text == ' ' || text[n - 1] == ' '));
}

/* True if a spreadsheet would compute the text. */
static bool csv_is_formula(const char *text)
{
	return csv_begins_formula(csv_first(text)) && !csv_is_number(text);
}

void csv_cell(FILE *f, const char *text)
{
	const bool quoted = csv_needs_quotes(text);
	if (quoted)
		fputc('"', f);
	/* A dash alone stands for no value, in tables of ours. */
	if (csv_is_formula(text) && strcmp(text, "-") != 0)
		fputc('\'', f);
	for (size_t n; *text; text += n) {
		uint32_t c;
		n = utf8_decode(text, strlen(text), &c);
		if (c == '\n' || c == '\r' || c == '\t' || c == 0x2028 || c == 0x2029)
			fputc(' ', f);
		else if (c == '"')
			fputs("\"\"", f);
		else if (utf8_is_shown(c))
			fwrite(text, 1, n, f);
		else if (c == REPLACEMENT)
			fputs("\xef\xbf\xbd", f);
		/* In some languages spreadsheets separate cells by ';', and quotes in the middle
		 * of a cell do not count. */
		if (c == ';' && csv_is_formula(text + n))
			fputc('\'', f);
	}
	if (quoted)
		fputc('"', f);
}
