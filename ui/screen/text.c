#include "ui/screen/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"

void text_append(struct text *t, const char *s, size_t n)
{
	if (t->n + n + 1 > t->room) {
		size_t room = (t->n + n + 1) * 2;
		char *bigger = alloc_resize(t->s, room);
		if (!bigger)
			return;
		t->s = bigger;
		t->room = room;
	}
	memcpy(t->s + t->n, s, n);
	t->n += n;
	t->s[t->n] = '\0';
}

void text_printf(struct text *t, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	char *s = alloc_format_args(fmt, ap);
	va_end(ap);
	if (!s)
		return;
	text_append(t, s, strlen(s));
	free(s);
}

void text_clear(struct text *t)
{
	t->n = 0;
	if (t->s)
		t->s[0] = '\0';
}

void text_deinit(struct text *t)
{
	free(t->s);
	*t = (struct text){0};
}

void text_keep_end(struct text *t, size_t most)
{
	if (t->n <= most)
		return;
	const char *from = strchr(t->s + (t->n - most), '\n');
	size_t drop = from ? (size_t)(from + 1 - t->s) : t->n - most;
	memmove(t->s, t->s + drop, t->n - drop + 1);
	t->n -= drop;
}
