#include "ui/render/safe_print.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "hwviews/grid/utf8.h"
#include "ui/cli/cli.h"

enum { PIECE = 4096, CHARACTER_MAX = 4 };

/* Bytes of text[0..n) without an incomplete character at the end. */
static size_t whole_characters(const char *text, size_t n)
{
	size_t cut = n;
	while (cut > 0 && n - cut < CHARACTER_MAX && ((unsigned char)text[cut] & 0xc0) == 0x80)
		cut--;
	return cut ? cut : n;
}

static void put_clean(say_fn *write, void *ctx, const char *text, size_t n, const char *keep)
{
	char clean[3 * PIECE];
	while (n > 0) {
		const size_t take = n > PIECE ? whole_characters(text, PIECE) : n;
		write(ctx, clean, utf8_clean(clean, text, take, keep));
		text += take;
		n -= take;
	}
}

void say_to(say_fn *write, void *ctx, const char *text, size_t n)
{
	put_clean(write, ctx, text, n, "\n\t");
}

static void to_file(void *ctx, const char *text, size_t n)
{
	fwrite(text, 1, n, ctx);
}

void say_output(FILE *f, const void *bytes, size_t n)
{
	if (isatty(fileno(f)))
		put_clean(to_file, f, bytes, n, "\n\t\r\b");
	else
		fwrite(bytes, 1, n, f);
}

void say_text(FILE *f, const char *text, size_t n)
{
	say_to(to_file, f, text, n);
}

static const char LACK[] = "out of memory";
static bool lack_said;

bool say_lack_said(void)
{
	return lack_said;
}

static void say_va(FILE *f, const char *keep, const char *fmt, va_list ap)
{
	char *text = alloc_format_args(fmt, ap);
	const char *said = text ? text : LACK;
	lack_said |= f == stderr && strstr(said, LACK);
	put_clean(to_file, f, said, strlen(said), keep);
	free(text);
}

void say(FILE *f, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	say_va(f, "\n\t", fmt, ap);
	va_end(ap);
}

int say_error(const char *fmt, ...)
{
	va_list ap;
	fflush(stdout);
	fputs("cyclops: ", stderr);
	va_start(ap, fmt);
	say_va(stderr, "\t", fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	return STATUS_ERROR;
}

void say_warning(void *ctx, const char *line)
{
	(void)ctx;
	say_error("%s", line);
}
