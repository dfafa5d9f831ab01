#include "core/base/textbuf.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

void textbuf_add(struct textbuf *t, const char *fmt, ...)
{
	if (t->used >= t->n)
		return;
	const size_t room = t->n - t->used;
	va_list ap;
	va_start(ap, fmt);
	const int length = vsnprintf(t->buf + t->used, room, fmt, ap);
	va_end(ap);
	if (length > 0)
		t->used += (size_t)length < room ? (size_t)length : room - 1;
}

char *group_digits(uint64_t v, char *buf)
{
	char digits[24];
	int n = snprintf(digits, sizeof digits, "%" PRIu64, v);
	char *o = buf;
	for (int i = 0; i < n; i++) {
		if (i && (n - i) % 3 == 0)
			*o++ = ',';
		*o++ = digits[i];
	}
	*o = '\0';
	return buf;
}

char *group_digits_signed(int64_t v, char *buf)
{
	*buf = '-';
	group_digits(v < 0 ? -(uint64_t)v : (uint64_t)v, buf + (v < 0));
	return buf;
}
