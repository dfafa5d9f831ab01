#include "core/base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Replaces line breaks, which names of files and texts of guests may contain, by \n and \r. */
static void one_line(char *msg, size_t size)
{
	for (char *at = msg; (at = strpbrk(at, "\n\r")); at += 2) {
		const size_t room = size - (size_t)(at - msg);
		const char letter = *at == '\n' ? 'n' : 'r';
		if (room < 3) {
			*at = 0;
			return;
		}
		memmove(at + 2, at + 1, room - 2);
		at[0] = '\\';
		at[1] = letter;
		msg[size - 1] = 0;
	}
}

void err_format(struct err *err, const char *fmt, ...)
{
	if (!err)
		return;
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(err->msg, sizeof err->msg, fmt, ap);
	va_end(ap);
	one_line(err->msg, sizeof err->msg);
}
