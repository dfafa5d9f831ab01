/* `printf`: prints a text with values, like C's printf(); and escapes in such texts. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/machine/machine.h"
#include "scripting/expr/expr.h"
#include "ui/cmd/escapes.h"
#include "ui/console/args.h"

enum { TEXT_MAX = 1 << 16, WIDTH_MAX = 1000 };

size_t escapes_read(char *text)
{
	static const char from[] = "abefnrtv", to[] = "\a\b\033\f\n\r\t\v";
	char *out = text;
	for (const char *at = text; *at;) {
		if (*at != '\\' || !at[1]) {
			*out++ = *at++;
			continue;
		}
		at++;
		const char *known = strchr(from, *at);
		if (*at >= '0' && *at <= '7') {
			unsigned v = 0;
			for (unsigned i = 0; i < 3 && *at >= '0' && *at <= '7'; i++)
				v = v * 8 + (unsigned)(*at++ - '0');
			*out++ = (char)v;
		} else {
			*out++ = known ? to[known - from] : *at;
			at++;
		}
	}
	*out = '\0';
	return strlen(text);
}

/* The end of a quoted text that begins at `at`; NULL: none. */
static const char *end_of_quotes(const char *at)
{
	const char quote = *at++;
	while (*at && *at != quote)
		at += *at == '\\' && at[1] ? 2 : 1;
	return *at ? at : NULL;
}

/* Cuts the next argument off; NULL: there is none. */
static char *next_argument(char **rest)
{
	char *begin = *rest + strspn(*rest, " \t"), *at = begin;
	unsigned depth = 0;
	if (!*begin)
		return NULL;
	for (; *at && (*at != ',' || depth); at++) {
		const char *end = *at == '"' || *at == '\'' ? end_of_quotes(at) : NULL;
		depth += *at == '(' || *at == '[' || *at == '{';
		depth -= depth && (*at == ')' || *at == ']' || *at == '}');
		if (end)
			at += end - at;
	}
	*rest = *at ? at + 1 : at;
	*at = '\0';
	parse_trim(begin);
	return begin;
}

/* Writes a zero-terminated text from the program's memory; of a null pointer "(null)". */
static bool cmd_printf_write_guest_string(struct console *c, FILE *out, const char *spec,
                                          uint64_t addr)
{
	if (!addr)
		return fprintf(out, spec, "(null)") >= 0;
	char *text = alloc_zeroed(1, TEXT_MAX);
	size_t n = 0;
	while (text && n + 1 < TEXT_MAX &&
	       machine_peek(c->session->machine, addr + n, &text[n], 1) && text[n])
		n++;
	const bool ok = text && (n || machine_peek(c->session->machine, addr, text, 1));
	if (ok)
		fprintf(out, spec, text);
	else
		console_fail(c, "Cannot access memory at address 0x%" PRIx64, addr);
	free(text);
	return ok;
}

/* Evaluates an argument: *v, its value; *addr, a pointer's target or else the place of the value,
 * 0: none. */
static bool cmd_printf_evaluate_argument(struct console *c, const char *text, struct expr_value *v,
                                         uint64_t *addr)
{
	bool is_code;
	struct err err;
	struct expr *e = expr_compile(c->exprs, text, &c->err);
	const bool ok = e && expr_knows_names(e, &c->err) && expr_compute(e, &c->err);
	*addr = 0;
	if (ok && !expr_computed_address(c->exprs, addr, &is_code, &err))
		*addr = 0;
	/* An array, which has no plain value, is its address. */
	const bool plain = ok && expr_computed(c->exprs, v, &err);
	if (ok && !plain)
		*v = (struct expr_value){.type = EXPR_INT, .i = (int64_t)*addr};
	expr_free(e);
	return ok && (plain || *addr || (console_fail(c, "%.200s: %.300s", text, err.msg), false));
}

static int64_t as_integer(const struct expr_value *v)
{
	return v->type == EXPR_FLOAT ? (int64_t)v->d : v->i;
}

/* Formats one conversion, such as "%-5ld": flags "%-5", length "l", letter 'd'. False with c->err.
 */
static bool cmd_printf_format_conversion(struct console *c, FILE *out, const char *flags,
                                         const char *length, char letter, const char *argument)
{
	char spec[64];
	struct expr_value v = {0};
	uint64_t addr;
	if (!cmd_printf_evaluate_argument(c, argument, &v, &addr))
		return false;
	const bool number = v.type == EXPR_INT || v.type == EXPR_BOOL || v.type == EXPR_FLOAT;
	const int64_t i = as_integer(&v);
	if (letter == 's') {
		snprintf(spec, sizeof spec, "%%%ss", flags);
		if (v.type == EXPR_STRING)
			return fprintf(out, spec, v.text) >= 0;
		return cmd_printf_write_guest_string(c, out, spec, addr);
	}
	if (!number)
		return console_fail(c, "%%%c: '%.80s' is no number", letter, argument) == CMD_OK;
	if (strchr("diuxXoc", letter)) {
		const unsigned bits = letter == 'c' || !strcmp(length, "hh") ? 8
		                      : !strcmp(length, "h")                 ? 16
		                      : !*length                             ? 32
		                                                             : 64;
		const uint64_t cut = (uint64_t)i << (64 - bits);
		snprintf(spec, sizeof spec, "%%%s%s%c", flags, letter == 'c' ? "" : "ll", letter);
		if (letter == 'c')
			fprintf(out, spec, (int)(unsigned char)i);
		else if (letter == 'd' || letter == 'i')
			fprintf(out, spec, (long long)((int64_t)cut >> (64 - bits)));
		else
			fprintf(out, spec, (unsigned long long)(cut >> (64 - bits)));
	} else if (letter == 'p' && *flags && strchr("#0+ ", *flags)) {
		return console_fail(c, "printf: %%p takes a width and `-` alone, not '%c'",
		                    *flags) == CMD_OK;
	} else if (letter == 'p') {
		snprintf(spec, sizeof spec, i ? "%%#%sllx" : "%%%ss", flags);
		if (i)
			fprintf(out, spec, (unsigned long long)i);
		else
			fprintf(out, spec, "(nil)");
	} else {
		snprintf(spec, sizeof spec, "%%%s%c", flags, letter);
		fprintf(out, spec, v.type == EXPR_FLOAT ? v.d : (double)v.i);
	}
	return true;
}

/* Writes the whole text; false with c->err. */
static bool write_all(struct console *c, FILE *out, const char *format, char *rest)
{
	for (const char *at = format; *at;) {
		char flags[32], length[4] = "", *argument;
		if (*at != '%') {
			fputc(*at++, out);
			continue;
		}
		if (at[1] == '%') {
			fputc('%', out);
			at += 2;
			continue;
		}
		const char *begin = ++at;
		at += strspn(at, "-+ #0'");
		unsigned long width = strtoul(at, (char **)(uintptr_t)&at, 10), precision = 0;
		if (*at == '.')
			precision = strtoul(at + 1, (char **)(uintptr_t)&at, 10);
		if ((size_t)(at - begin) >= sizeof flags || width > WIDTH_MAX ||
		    precision > WIDTH_MAX)
			return console_fail(c, "printf: a width or precision is at most %d",
			                    WIDTH_MAX) == CMD_OK;
		snprintf(flags, sizeof flags, "%.*s", (int)(at - begin), begin);
		const size_t n = strspn(at, "hlLqjzt");
		snprintf(length, sizeof length, "%.*s", n < sizeof length ? (int)n : 0, at);
		at += n;
		if (!*at || !strchr("diuxXocspfFeEgGaA", *at))
			return console_fail(c,
			                    "printf: '%%%.8s' is no conversion here; expected %%d "
			                    "%%u %%x %%o %%c %%s %%p %%f %%e %%g %%a %%%%",
			                    begin) == CMD_OK;
		if (!(argument = next_argument(&rest)))
			return console_fail(c, "printf: %%%c has no argument", *at) == CMD_OK;
		if (!cmd_printf_format_conversion(c, out, flags, length, *at++, argument))
			return false;
	}
	return !next_argument(&rest) ||
	       console_fail(c, "printf: more arguments than conversions") == CMD_OK;
}

static enum command_result print_format(struct console *c, const char *args)
{
	char *copy = alloc_text(args), *text = NULL;
	const char *end = *args == '"' ? end_of_quotes(args) : NULL;
	size_t n = 0;
	if (!copy)
		return console_fail(c, "out of memory");
	char *rest = end ? copy + (end - args) + 1 : copy;
	rest += strspn(rest, " \t");
	FILE *out = alloc_stream(&text, &n);
	bool ok = out && end && (!*rest || *rest == ',');
	if (!ok)
		console_fail(c,
		             "no format given; expected printf \"i = %%d, %%s\\n\", i, node->name");
	if (ok) {
		copy[end - args] = '\0';
		escapes_read(copy + 1);
		ok = write_all(c, out, copy + 1, rest + (*rest == ','));
	}
	if (out && fclose(out) == 0 && ok)
		console_print(c, "%s", text);
	free(text);
	free(copy);
	return ok ? CMD_OK : CMD_ERROR;
}

const struct command cmd_printf = {
	.name = "printf",
	.aliases = "",
	.group = "data",
	.usage = "printf \"FORMAT\"[, EXPRESSION...]",
	.summary = "print a text with values in it, as C's printf()",
	.help = "    printf \"%d: %s\\n\", i, node->name\n"
	        "Conversions: d i u x o c s p f e g a, with flags, width, precision and the\n"
	        "lengths hh, h, l, ll. %s is the text at an address, or an array's. Only \\n\n"
	        "ends a line.",
	.complete = COMPLETE_EXPR,
	.exec = print_format,
};
