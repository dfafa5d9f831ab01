#include "core/base/textbuf.h"

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
