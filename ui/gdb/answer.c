/* Text, hexadecimal and binary answers to gdb's packets. */
#include "ui/gdb/answer.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void answer_bytes(struct answer *a, const void *bytes, size_t n)
{
	if (n > sizeof a->bytes - a->n)
		n = sizeof a->bytes - a->n;
	memcpy(a->bytes + a->n, bytes, n);
	a->n += n;
}

void answer_text(struct answer *a, const char *fmt, ...)
{
	char text[1024];
	va_list ap;
	va_start(ap, fmt);
	const int n = vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	if (n > 0)
		answer_bytes(a, text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
}

void answer_hex(struct answer *a, const void *bytes, size_t n)
{
	static const char digits[] = "0123456789abcdef";
	const uint8_t *from = bytes;
	for (size_t i = 0; i < n && a->n + 2 <= sizeof a->bytes; i++) {
		a->bytes[a->n++] = digits[from[i] >> 4];
		a->bytes[a->n++] = digits[from[i] & 15];
	}
}

void answer_piece(struct answer *a, const void *bytes, size_t total, uint64_t offset,
                  uint64_t length)
{
	const size_t most = sizeof a->bytes - 1;
	size_t n = offset < total ? total - (size_t)offset : 0;
	bool last = true;
	if (n > length || n > most) {
		n = length < most ? (size_t)length : most;
		last = false;
	}
	answer_bytes(a, last ? "l" : "m", 1);
	if (n)
		answer_bytes(a, (const char *)bytes + offset, n);
}

static int answer_hex_digit(char c)
{
	return c >= '0' && c <= '9'   ? c - '0'
	       : c >= 'a' && c <= 'f' ? c - 'a' + 10
	       : c >= 'A' && c <= 'F' ? c - 'A' + 10
	                              : -1;
}

bool take_number(const char **text, uint64_t *out)
{
	const char *s = *text;
	uint64_t value = 0;
	for (; answer_hex_digit(*s) >= 0; s++) {
		if (value >> 60)
			return false;
		value = value << 4 | (unsigned)answer_hex_digit(*s);
	}
	if (s == *text)
		return false;
	*text = s;
	*out = value;
	return true;
}

bool take_text(const char **text, const char *what)
{
	const size_t n = strlen(what);
	if (strncmp(*text, what, n) != 0)
		return false;
	*text += n;
	return true;
}

bool take_range(const char **text, uint64_t *addr, uint64_t *n)
{
	return take_number(text, addr) && take_text(text, ",") && take_number(text, n);
}

long from_hex(const char *text, void *to, size_t room)
{
	uint8_t *out = to;
	size_t n = 0;
	for (; *text; text += 2, n++) {
		const int high = answer_hex_digit(text[0]),
			  low = high < 0 ? -1 : answer_hex_digit(text[1]);
		if (low < 0 || n == room)
			return -1;
		out[n] = (uint8_t)(high << 4 | low);
	}
	return (long)n;
}
