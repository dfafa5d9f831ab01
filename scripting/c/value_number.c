/* Numbers in values: printed by their types, and in the formats of `print`. */
#include <inttypes.h>
#include <string.h>

#include "scripting/c/quad.h"
#include "scripting/c/value_show.h"

typedef unsigned __int128 wide;

static void add_digits(struct text *t, wide v, unsigned base, unsigned least)
{
	char digits[130], *at = &digits[sizeof digits - 1];
	*at = '\0';
	do
		*--at = "0123456789abcdef"[(unsigned)(v % base)];
	while ((v /= base));
	for (size_t n = strlen(at); n < least; n++)
		textbuf_add(&t->out, "0");
	textbuf_add(&t->out, "%s", at);
}

static void add_integer(struct text *t, wide v, bool is_signed)
{
	const bool minus = is_signed && v >> 127;
	textbuf_add(&t->out, "%s", minus ? "-" : "");
	add_digits(t, minus ? -v : v, 10, 1);
}

static void add_double(struct text *t, double d, unsigned size)
{
	uint64_t bits;
	memcpy(&bits, &d, sizeof bits);
	if (d != d && size == 4)
		textbuf_add(&t->out, "%snan(0x%" PRIx64 ")", bits >> 63 ? "-" : "",
		            (bits >> 29) & 0x7fffff);
	else if (d != d)
		textbuf_add(&t->out, "%snan(0x%" PRIx64 ")", bits >> 63 ? "-" : "",
		            bits & ((UINT64_C(1) << 52) - 1));
	else
		textbuf_add(&t->out, "%.*g", size == 4 ? 9 : 17, d);
}

/* size: of the number's type. */
static void add_float(struct text *t, quad q, unsigned size)
{
	char text[64];
	if (size == QUAD_BYTES)
		textbuf_add(&t->out, "%s", quad_text(q, text, sizeof text));
	else
		add_double(t, (double)q, size);
}

/* Interprets the bits as a floating-point number, if there is one of their size. */
static bool add_as_float(struct text *t, const struct c_value *v, wide bits)
{
	uint8_t bytes[QUAD_BYTES];
	float f;
	double d;
	memcpy(bytes, &bits, sizeof bytes);
	memcpy(&f, bytes, sizeof f);
	memcpy(&d, bytes, sizeof d);
	if (v->bit_size)
		return false;
	switch (v->type.size) {
	case 4: add_double(t, (double)f, 4); return true;
	case 8: add_double(t, d, 8); return true;
	case QUAD_BYTES: add_float(t, quad_from_bytes(bytes), QUAD_BYTES); return true;
	default: return false;
	}
}

static void add_formatted(struct text *t, const struct c_value *v, wide bits)
{
	const unsigned size = v->type.kind == CTYPE_MEMBER ? 8 : (unsigned)v->type.size,
		       away = 128 - 8 * size;
	const wide low = bits << away >> away;
	const __int128 whole = (__int128)(bits << away) >> away;
	char place[160];
	switch (t->show->letter) {
	case 'x': case 'z':
		textbuf_add(&t->out, "0x");
		add_digits(t, low, 16, t->show->letter == 'z' ? 2 * size : 1);
		break;
	case 'u': add_integer(t, low, false); break;
	case 'o':
		textbuf_add(&t->out, "%s", low ? "0" : "");
		add_digits(t, low, 8, 1);
		break;
	case 't': add_digits(t, low, 2, 1); break;
	case 'c':
		textbuf_add(&t->out, "%d ", v->type.is_signed ? (int8_t)low : (uint8_t)low);
		show_char(t, (uint8_t)low, 1, 0);
		break;
	case 'a':
		program_addr_text(t->calls->program, (uint64_t)low, place, sizeof place);
		textbuf_add(&t->out, "0x");
		add_digits(t, low, 16, 1);
		if (*place != '0' && !(low >> 64))
			textbuf_add(&t->out, " <%s>", place);
		break;
	case 'd': add_integer(t, (wide)whole, true); break;
	case 'f':
		if (add_as_float(t, v, low))
			break;
		__attribute__((fallthrough));
	default: add_integer(t, v->type.is_signed ? (wide)whole : low, v->type.is_signed);
	}
}

bool show_number(struct text *t, const struct c_value *v, struct err *err)
{
	const char letter = t->show ? t->show->letter : 'f';
	const bool is_float = v->type.kind == CTYPE_FLOAT;
	wide bits = 0;
	quad q = 0;
	if (is_float ? !c_quad(t->calls, v, &q, err) : !c_wide(t->calls, v, &bits, err))
		return false;
	if (is_float && letter == 'f') {
		add_float(t, q, (unsigned)v->type.size);
		return true;
	}
	/* The raw bits; with 'c', the number converted to an integer. */
	if (is_float && letter == 'c')
		bits = q > -9.2e18 && q < 9.2e18 ? (wide)(int64_t)q : 0;
	else if (is_float)
		c_read(t->calls, v, 0, &bits, v->type.size);
	if (t->show)
		add_formatted(t, v, bits);
	else
		add_integer(t, bits, v->type.is_signed);
	return true;
}

void show_complex(struct text *t, const struct c_value *v, unsigned depth)
{
	struct c_value part[2];
	c_complex_parts(v, part);
	show_value(t, &part[0], depth + 1);
	textbuf_add(&t->out, " + ");
	show_value(t, &part[1], depth + 1);
	textbuf_add(&t->out, "i");
}
