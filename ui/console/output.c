/* Answers of commands: text and errors. */
#include "ui/console/command.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/base/alloc.h"
#include "ui/render/safe_print.h"

void console_write(struct console *c, const char *text, size_t n)
{
	say_to(c->write, c->write_ctx, text, n);
}

void console_print(struct console *c, const char *fmt, ...)
{
	char buf[1024], *text = buf;
	va_list ap;
	va_start(ap, fmt);
	int n = vsnprintf(buf, sizeof buf, fmt, ap);
	va_end(ap);
	if (n < 0)
		return;
	if ((size_t)n >= sizeof buf) {
		va_start(ap, fmt);
		text = alloc_format_args(fmt, ap);
		va_end(ap);
		if (!text)
			return;
	}
	console_write(c, text, (size_t)n);
	if (text != buf)
		free(text);
}

bool console_may(struct console *c, const char *what)
{
	return reach_allows(c->session ? c->session->reach : REACH_ALL, what, &c->err);
}

enum command_result console_fail(struct console *c, const char *fmt, ...)
{
	va_list ap;
	struct err err; /* the arguments may point into c->err */
	va_start(ap, fmt);
	vsnprintf(err.msg, sizeof err.msg, fmt, ap);
	va_end(ap);
	c->err = err;
	return CMD_ERROR;
}
