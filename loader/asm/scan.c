/* The smallest parts of an assembly text: comments, names, operands, characters. */
#include <string.h>

#include "loader/asm/asm_priv.h"

/* Letters of other alphabets are bytes from 0x80 on. */
bool is_name_start(char c)
{
	return (unsigned char)c >= 0x80 || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       c == '_' || c == '.' || c == '$';
}

bool is_name(char c)
{
	return is_name_start(c) || (c >= '0' && c <= '9');
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

struct span span_trim(struct span s)
{
	while (s.n && is_blank(*s.at))
		s.at++, s.n--;
	while (s.n && is_blank(s.at[s.n - 1]))
		s.n--;
	return s;
}

bool span_is(struct span s, const char *word)
{
	return s.n == strlen(word) && memcmp(s.at, word, s.n) == 0;
}

size_t scan_quoted(const char *text, size_t n, size_t i)
{
	const char quote = text[i++];
	if (quote == '\'') {
		if (i < n && text[i] == '\\')
			i++;
		if (i < n && text[i] != '\n')
			i++;
		return i < n && text[i] == '\'' ? i + 1 : i;
	}
	while (i < n && text[i] != quote && text[i] != '\n') {
		if (text[i] == '\\' && i + 1 < n && text[i + 1] != '\n')
			i++;
		i++;
	}
	return i < n && text[i] == quote ? i + 1 : i;
}

size_t scan_name(struct span s, struct span *name)
{
	size_t n = 0;
	if (s.n && *s.at == '"') {
		n = scan_quoted(s.at, s.n, 0);
		const bool ends = n > 2 && s.at[n - 1] == '"';
		*name = (struct span){s.at + 1, ends ? n - 2 : 0};
		return ends ? n : 0;
	}
	while (n < s.n && is_name(s.at[n]))
		n++;
	*name = (struct span){s.at, n};
	return n;
}

bool scan_comments(char *text, size_t n, size_t *at)
{
	for (size_t i = 0; i < n;) {
		const bool slash = text[i] == '/' && i + 1 < n;
		if (text[i] == '"' || text[i] == '\'') {
			i = scan_quoted(text, n, i);
		} else if (text[i] == '#' || (slash && text[i + 1] == '/')) {
			while (i < n && text[i] != '\n')
				text[i++] = ' ';
		} else if (slash && text[i + 1] == '*') {
			const char *end = memmem(text + i + 2, n - i - 2, "*/", 2);
			*at = i;
			if (!end)
				return false;
			for (; text + i < end + 2; i++)
				if (text[i] != '\n')
					text[i] = ' ';
		} else {
			i++;
		}
	}
	return true;
}

bool scan_operands(struct assembler *a, struct span s, struct span *out, unsigned *count)
{
	unsigned depth = 0;
	size_t from = 0;
	*count = 0;
	s = span_trim(s);
	if (!s.n)
		return true;
	for (size_t i = 0; i <= s.n;) {
		if (i == s.n || (s.at[i] == ',' && depth == 0)) {
			if (*count == ASM_OPERANDS_MAX)
				return asm_fault(a, s.at + from, "too many operands");
			out[(*count)++] = span_trim((struct span){s.at + from, i - from});
			from = ++i;
			continue;
		}
		if (s.at[i] == '"' || s.at[i] == '\'') {
			i = scan_quoted(s.at, s.n, i);
			continue;
		}
		depth += s.at[i] == '(';
		depth -= s.at[i] == ')' && depth > 0;
		i++;
	}
	return true;
}

/* Whether an expression may end before, or begin at, this character. */
static bool scan_ends_value(char c)
{
	return is_name(c) || c == ')' || c == '"' || c == '\'';
}

size_t scan_blank_end(struct span s)
{
	unsigned depth = 0;
	for (size_t i = 0; i < s.n;) {
		if (s.at[i] == '"' || s.at[i] == '\'') {
			i = scan_quoted(s.at, s.n, i);
			continue;
		}
		depth += s.at[i] == '(';
		depth -= s.at[i] == ')' && depth > 0;
		const size_t from = i++;
		if (depth || !is_blank(s.at[from]) || !from || !scan_ends_value(s.at[from - 1]))
			continue;
		while (i < s.n && is_blank(s.at[i]))
			i++;
		/* "8 -4" is two numbers, "8 - 4" is one. */
		const bool sign = i + 1 < s.n && s.at[i] == '-' && !is_blank(s.at[i + 1]);
		if (i < s.n && (sign || is_name(s.at[i]) || strchr("\"'%", s.at[i])))
			return from;
	}
	return s.n;
}

bool scan_blank_operands(struct assembler *a, const struct span *from, unsigned n, struct span *out,
                         unsigned *count)
{
	*count = 0;
	for (unsigned i = 0; i < n; i++)
		for (struct span s = from[i]; s.n || (i + 1 < n && !from[i].n);) {
			const size_t end = scan_blank_end(s);
			if (*count == ASM_OPERANDS_MAX)
				return asm_fault(a, s.at, "too many operands");
			out[(*count)++] = (struct span){s.at, end};
			s = span_trim((struct span){s.at + end, s.n - end});
			if (!s.n)
				break;
		}
	return true;
}

static int scan_digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 99;
}

bool scan_character(struct assembler *a, const char **at, const char *end, unsigned *out)
{
	static const char names[] = "btnfr\"\\'", values[] = "\b\t\n\f\r\"\\'";
	const char *p = *at;
	if (*p != '\\') {
		*out = (unsigned char)*p;
		*at = p + 1;
		return true;
	}
	if (++p == end)
		return asm_fault(a, *at,
		                 "a \\ with nothing after it; expected \\\\ for the character");
	const char *known = memchr(names, *p, sizeof names - 1);
	if (known) {
		*out = (unsigned char)values[known - names];
		*at = p + 1;
		return true;
	}
	unsigned v = 0;
	const char *first = p;
	if (*p == 'x') {
		for (first = ++p; p < end && scan_digit_value(*p) < 16; p++)
			v = v << 4 | (unsigned)scan_digit_value(*p);
	} else {
		for (; p < end && p < first + 3 && scan_digit_value(*p) < 8; p++)
			v = v << 3 | (unsigned)scan_digit_value(*p);
	}
	if (p == first && *first == 'u')
		return asm_fault(a, *at,
		                 "expected four hexadecimal digits after \\u, as in \\u00e9");
	if (p == first)
		return asm_fault(a, *at,
		                 "there is no \\%c; there are \\n \\t \\r \\b \\f \\\\ \\\" "
		                 "\\0 and \\x41",
		                 *first >= ' ' && *first < 127 ? *first : '?');
	*out = v & 0xff;
	*at = p;
	return true;
}
