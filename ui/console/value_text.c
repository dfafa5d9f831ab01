#include "ui/console/value_text.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/defs/stats.h"
#include "core/mem/mem.h"
#include "hwviews/session/view_text.h"

/* Formats a double with as many digits as are needed to read it back. Returns buf. */
static char *value_double(double d, char *buf, size_t n)
{
	for (int digits = 6; digits <= 17; digits++) {
		snprintf(buf, n, "%.*g", digits, d);
		if (strtod(buf, NULL) == d)
			break;
	}
	return buf;
}

bool value_is_count(const char *name)
{
	for (size_t i = 0; i < stat_row_count; i++)
		if (!strcmp(stat_rows[i].name, name))
			return true;
	return !strcmp(name, "cycle") || !strcmp(name, "insts") || !strcmp(name, "newest");
}

bool value_is_place(const struct console *c, uint64_t v)
{
	/* Small numbers are rarely addresses, even if mapped. */
	return c->session && v >= PAGE_BYTES &&
	       mem_prot_at(machine_mem_const(c->session->machine), v) &&
	       program_symbol_at(c->session->program, v);
}

/* A number and, in hexadecimal, its bits. */
static char *plain_text(const struct console *c, uint64_t v, uint64_t bits, char *buf, size_t n)
{
	char place[160] = "";
	if (value_is_place(c, v)) {
		strcpy(place, ", ");
		program_addr_text(c->session->program, v, place + 2, sizeof place - 2);
	}
	if (v < 10)
		snprintf(buf, n, "%" PRIu64, v);
	else
		snprintf(buf, n, "%" PRId64 " (0x%" PRIx64 "%s)", (int64_t)v, bits, place);
	return buf;
}

static char *binary_text(uint64_t v, char *buf, size_t n)
{
	char digits[65];
	size_t at = sizeof digits - 1;
	digits[at] = '\0';
	do
		digits[--at] = (char)('0' + (v & 1));
	while (v >>= 1);
	snprintf(buf, n, "0b%s", digits + at);
	return buf;
}

static char *char_text(uint64_t v, char *buf, size_t n)
{
	static const char escaped[] = "\a\b\f\n\r\t\v\033'\\", letter[] = "abfnrtve'\\";
	const unsigned ch = (unsigned)v & 0xff;
	const char *at = ch ? strchr(escaped, (int)ch) : NULL;
	if (at)
		snprintf(buf, n, "%d '\\%c'", (int8_t)ch, letter[at - escaped]);
	else
		snprintf(buf, n, isprint((int)ch) ? "%d '%c'" : "%d '\\%03o'", (int8_t)ch, ch);
	return buf;
}

static char *value_text_format_float(uint64_t bits, unsigned size, char *buf, size_t n)
{
	double d;
	float f;
	uint32_t low = (uint32_t)bits;
	memcpy(&d, &bits, sizeof d);
	memcpy(&f, &low, sizeof f);
	return value_double(size == 4 ? (double)f : d, buf, n);
}

char *value_bits_text(const struct console *c, uint64_t bits, unsigned size, char letter, char *buf,
                      size_t n)
{
	unsigned shift = 64 - 8 * size;
	int64_t value = (int64_t)(bits << shift) >> shift;
	bits = bits << shift >> shift;
	switch (letter) {
	case 'x':
		snprintf(buf, n, "0x%" PRIx64, bits);
		break;
	case 'z':
		snprintf(buf, n, "0x%0*" PRIx64, (int)size * 2, bits);
		break;
	case 'd':
		snprintf(buf, n, "%" PRId64, value);
		break;
	case 'u':
		snprintf(buf, n, "%" PRIu64, bits);
		break;
	case 'o':
		snprintf(buf, n, "0%" PRIo64, bits);
		break;
	case 't':
		return binary_text(bits, buf, n);
	case 'c':
		return char_text(bits, buf, n);
	case 'f':
		return value_text_format_float(bits, size, buf, n);
	case 'a': {
		char place[160];
		program_addr_text(c->session->program, bits, place, sizeof place);
		snprintf(buf, n, place[0] == '0' ? "0x%" PRIx64 : "0x%" PRIx64 " <%s>", bits,
		         place);
		break;
	}
	case 'n': /* a number without a sign */
		return plain_text(c, bits, bits, buf, n);
	default:
		return plain_text(c, (uint64_t)value, bits, buf, n);
	}
	return buf;
}

static char *value_text_format_string(const struct console *c, uint64_t addr, char *buf, size_t n)
{
	size_t used = 0;
	char ch;
	if (!c->session || !machine_peek(c->session->machine, addr, &ch, 1)) {
		snprintf(buf, n, "0x%" PRIx64 " (not mapped)", addr);
		return buf;
	}
	buf[used++] = '"';
	while (used + 8 < n && used < 200 && machine_peek(c->session->machine, addr++, &ch, 1) &&
	       ch)
		used += (size_t)snprintf(buf + used, n - used,
		                         ch == '\n'                ? "\\n"
		                         : ch == '\t'              ? "\\t"
		                         : ch == '"' || ch == '\\' ? "\\%c"
		                         : isprint((unsigned char)ch) || (unsigned char)ch >= 0x80
		                                 ? "%c"
		                                 : "\\%03o",
		                         (unsigned char)ch);
	snprintf(buf + used, n - used, "\"");
	return buf;
}

char *value_text(const struct console *c, const struct expr_value *v, char letter, char *buf,
                 size_t n)
{
	switch (v->type) {
	case EXPR_NIL:
		snprintf(buf, n, "nothing (nil)");
		return buf;
	case EXPR_BOOL:
		snprintf(buf, n, "%s", v->i ? "true" : "false");
		return buf;
	case EXPR_STRING:
		snprintf(buf, n, "\"%s\"", v->text);
		return buf;
	case EXPR_OTHER:
		snprintf(buf, n, "%s", v->text);
		return buf;
	case EXPR_FLOAT:
		if (letter && letter != 'f') {
			/* As in gdb: convert the value to an integer. */
			int64_t whole =
				v->d >= -9.2e18 && v->d <= 9.2e18 ? (int64_t)v->d : INT64_MIN;
			return value_bits_text(
				c, letter == 'x' || letter == 't' ? expr_bits(v) : (uint64_t)whole,
				8, letter, buf, n);
		}
		return value_double(v->d, buf, n);
	case EXPR_INT:
		break;
	}
	if (letter == 's')
		return value_text_format_string(c, (uint64_t)v->i, buf, n);
	/* a word of RV32 is shown with its digits */
	const bool narrow = c->session && machine_isa(c->session->machine) == ISA_RV32GC &&
	                    v->i == (int32_t)v->i;
	return value_bits_text(c, (uint64_t)v->i, narrow ? 4 : 8, letter, buf, n);
}

void value_print_coming(struct console *c, uint64_t seq, const char *coming)
{
	const struct uop *u = seq ? pipe_find(machine_pipe(c->session->machine), seq) : NULL;
	const bool known = coming && *coming;
	char dis[128], number[32];
	if (u)
		console_print(
			c, "  %s %s %s%s\n",
			format_seq(machine_pipe(c->session->machine), u, number, sizeof number),
			format_uop(c->session, u, dis, sizeof dis),
			known ? "makes it " : "writes it, but is not complete",
			known ? coming : "");
}
