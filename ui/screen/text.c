#include "ui/screen/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void text_append(struct text *t, const char *s, size_t n)
{
	if (t->n + n + 1 > t->room) {
		size_t room = (t->n + n + 1) * 2;
		char *bigger = realloc(t->s, room);
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
	char *s;
	va_list ap;
	va_start(ap, fmt);
	int n = vasprintf(&s, fmt, ap);
	va_end(ap);
	if (n < 0)
		return;
	text_append(t, s, (size_t)n);
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
