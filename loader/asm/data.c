/* Directives that add data, and that move on in the section: numbers, strings, files, alignment. */
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "loader/asm/directives.h"

/* Emits a number of g->with bytes; -1, -2: as LEB128. */
static bool data_integer(struct assembler *a, const struct arguments *g, const struct value *v,
                         const char *at)
{
	uint8_t bytes[16];
	if (value_is_constant(v) && g->with < 0)
		return piece_bytes(a, bytes, leb_bytes((uint64_t)v->add, g->with == -2, bytes));
	if (value_is_constant(v)) {
		for (int i = 0; i < 8; i++)
			bytes[i] = (uint8_t)((uint64_t)v->add >> 8 * i);
		return piece_bytes(a, bytes, (size_t)g->with);
	}
	if (section_now(a)->kind == SECTION_BSS)
		return asm_fault(a, at, "%s holds zeros only", section_now(a)->name);
	struct piece *p = g->with < 0 ? piece_add(a, PIECE_LEB, 1)
	                              : piece_add(a, PIECE_VALUE, (uint64_t)g->with);
	if (!p)
		return false;
	p->fill = g->with == -2;
	p->value = *v;
	return true;
}

/* 16 bytes a value: a hexadecimal number of up to 32 digits, or one of 64 bits. */
static bool data_octa(struct assembler *a, struct arguments *g)
{
	enum { BYTES = 16, DIGITS = 2 * BYTES };
	for (struct span rest = span_trim(g->rest); rest.n;) {
		const char *comma = memchr(rest.at, ',', rest.n);
		const size_t n = comma ? (size_t)(comma - rest.at) : rest.n;
		const struct span one = span_trim((struct span){rest.at, n});
		uint8_t bytes[BYTES] = {0};
		const bool hex = one.n > 2 && one.at[0] == '0' && (one.at[1] | 32) == 'x' &&
		                 strspn(one.at + 2, "0123456789abcdefABCDEF") >= one.n - 2;
		const size_t digits = hex ? one.n - 2 : 0;
		int64_t v = 0;
		if (digits > DIGITS)
			return asm_fault(a, one.at, "expected at most %d digits", DIGITS);
		if (!digits && !expr_constant(a, one, &v))
			return false;
		memset(bytes, v < 0 ? 0xff : 0, sizeof bytes);
		for (unsigned i = 0; i < 8; i++)
			bytes[i] = (uint8_t)((uint64_t)v >> 8 * i);
		for (size_t i = 0; i < digits; i++) {
			const char c = one.at[one.n - 1 - i];
			const unsigned digit =
				c <= '9' ? (unsigned)(c - '0') : ((unsigned)c | 32) - 'a' + 10;
			bytes[i / 2] |= (uint8_t)(digit << (i % 2 ? 4 : 0));
		}
		if (!piece_bytes(a, bytes, sizeof bytes))
			return false;
		rest = comma ? span_trim((struct span){comma + 1, rest.n - n - 1})
		             : (struct span){rest.at + n, 0};
	}
	return true;
}

static bool data_integers(struct assembler *a, struct arguments *g)
{
	/* Any number of values: split off one at a time. */
	struct span rest = span_trim(g->rest);
	while (rest.n) {
		size_t n = 0, depth = 0;
		while (n < rest.n && (rest.at[n] != ',' || depth)) {
			if (rest.at[n] == '\'') {
				n = scan_quoted(rest.at, rest.n, n);
				continue;
			}
			depth += rest.at[n] == '(';
			depth -= rest.at[n] == ')' && depth;
			n++;
		}
		struct value v;
		/* .word 1 2, and .word 0:10, ten times 0 */
		n = scan_blank_end((struct span){rest.at, n});
		struct span one = span_trim((struct span){rest.at, n});
		int64_t times = 1;
		const char *colon = memchr(one.at, ':', one.n);
		if (colon && *one.at != '\'') {
			const struct span after = {colon + 1, (size_t)(one.at + one.n - colon - 1)};
			one.n = (size_t)(colon - one.at);
			if (!expr_constant(a, after, &times))
				return false;
			if (times < 0 || times > ASM_STATEMENTS_MAX)
				return asm_fault(a, after.at, "expected 0 to %d times",
				                 ASM_STATEMENTS_MAX);
		}
		if (!expr_parse(a, one, &v))
			return false;
		while (times-- > 0)
			if (!data_integer(a, g, &v, one.at))
				return false;
		if (n == rest.n)
			break;
		const bool comma = rest.at[n] == ',';
		rest = span_trim((struct span){rest.at + n + 1, rest.n - n - 1});
		if (!rest.n && comma)
			return asm_fault(a, rest.at, "a number is missing after the comma");
	}
	return true;
}

/* The nearest half-precision number, ties to even. */
static uint16_t data_half_of(double d)
{
	const uint16_t sign = signbit(d) ? 0x8000 : 0;
	int exponent;
	d = fabs(d);
	if (isnan(d))
		return sign | 0x7fff;
	if (d >= 65520)
		return sign | 0x7c00;
	if (d < 0x1p-14) /* a multiple of the least one */
		return sign | (uint16_t)nearbyint(d * 0x1p24);
	frexp(d, &exponent);
	/* 11 bits, the first of which is not stored; carrying may raise the exponent */
	const unsigned bits = (unsigned)nearbyint(ldexp(d, 11 - exponent));
	return (uint16_t)(sign + (unsigned)(exponent + 13) * 1024 + bits);
}

static bool data_floats(struct assembler *a, struct arguments *g)
{
	const char *at = g->rest.at, *end = at + g->rest.n;
	while (at < end) {
		char text[64], *stop;
		const char *comma = memchr(at, ',', (size_t)(end - at));
		const struct span one =
			span_trim((struct span){at, (size_t)((comma ? comma : end) - at)});
		if (!one.n || one.n >= sizeof text)
			return asm_fault(a, at, "no number; expected 1.5");
		memcpy(text, one.at, one.n);
		text[one.n] = '\0';
		/* 0r1.5, 0f1.5 of older compilers; any letter, so that 0x10 is 10, as in GNU as */
		const bool marked = text[0] == '0' && isalpha((unsigned char)text[1]);
		const char *digits = text + (marked ? 2 : 0);
		double d = strtod(digits, &stop);
		if (*stop || stop == digits)
			return asm_fault(a, at, "no number; expected 1.5, -2e-3");
		float f = strtof(digits, NULL);
		if (isnan(d)) { /* all bits of the fraction are set, as in GNU as */
			const bool minus = signbit(d);
			const uint64_t wide = (uint64_t)minus << 63 | INT64_MAX;
			const uint32_t narrow = (uint32_t)minus << 31 | INT32_MAX;
			memcpy(&d, &wide, sizeof d);
			memcpy(&f, &narrow, sizeof f);
		}
		const uint16_t h = data_half_of(d);
		if (!piece_bytes(a,
		                 g->with == 8   ? (const void *)&d
		                 : g->with == 4 ? (const void *)&f
		                                : (const void *)&h,
		                 (size_t)g->with))
			return false;
		at = comma ? comma + 1 : end;
	}
	return true;
}

/* \u2605, as RARS has it, as UTF-8: writes up to three bytes. False for any other word. */
static bool data_take_code_point(const char **at, const char *end, uint8_t *out, size_t *n)
{
	enum { DIGITS = 4 };
	const char *p = *at;
	unsigned v = 0;
	if (end - p < 2 + DIGITS || p[0] != '\\' || p[1] != 'u')
		return false;
	for (unsigned i = 0; i < DIGITS; i++) {
		const char c = p[2 + i], low = (char)(c | 32);
		const bool digit = c >= '0' && c <= '9';
		if (!digit && !(low >= 'a' && low <= 'f'))
			return false;
		v = v << 4 | (unsigned)(digit ? c - '0' : low - 'a' + 10);
	}
	if (v >= 0x800) {
		out[(*n)++] = (uint8_t)(0xe0 | v >> 12);
		out[(*n)++] = (uint8_t)(0x80 | (v >> 6 & 0x3f));
	} else if (v >= 0x80) {
		out[(*n)++] = (uint8_t)(0xc0 | v >> 6);
	}
	out[(*n)++] = (uint8_t)(v >= 0x80 ? 0x80 | (v & 0x3f) : v);
	*at = p + 2 + DIGITS;
	return true;
}

/* Bytes of a character: -g->with, or 1. A zero follows each string if g->with is not 0. */
static bool data_strings(struct assembler *a, struct arguments *g)
{
	const char *at = g->rest.at, *end = at + g->rest.n;
	const size_t width = g->with < 0 ? (size_t)-g->with : 1;
	uint8_t *out = alloc_zeroed(g->rest.n + 1, width);
	bool ok = out != NULL || asm_out_of_memory(a);
	while (ok && at < end) {
		size_t n = 0;
		if (*at != '"') {
			ok = asm_fault(a, at, "expected a string in double quotes");
			break;
		}
		for (at++; ok && at < end && *at != '"';) {
			unsigned c;
			if (width == 1 && data_take_code_point(&at, end, out, &n))
				continue;
			ok = scan_character(a, &at, end, &c);
			if (ok)
				out[width * n++] = (uint8_t)c;
		}
		if (ok && at == end)
			ok = asm_fault(a, at, "the string has no end; expected \" at its end");
		if (g->with)
			out[width * n++] = 0;
		ok = ok && piece_bytes(a, out, width * n);
		at++;
		while (ok && at < end && (*at == ' ' || *at == '\t' || *at == ','))
			at++;
	}
	free(out);
	return ok;
}

/* .incbin "FILE"[,SKIP[,COUNT]] */
static bool data_incbin(struct assembler *a, struct arguments *g)
{
	char name[256];
	int64_t skip = 0, count = 0;
	size_t n = 0;
	struct err err;
	if (!directive_split(a, g))
		return false;
	const struct span file = g->count ? g->o[0] : (struct span){a->statement.at, 0};
	if (g->count < 1 || g->count > 3 || file.n < 3 || file.n >= sizeof name ||
	    *file.at != '"' || file.at[file.n - 1] != '"')
		return directive_usage(a, ".incbin \"FILE\",SKIP,COUNT");
	if ((g->count > 1 && g->o[1].n && !expr_constant(a, g->o[1], &skip)) ||
	    (g->count > 2 && !expr_constant(a, g->o[2], &count)))
		return false;
	if (skip < 0 || count < 0)
		return asm_fault(a, g->o[1].at, "expected numbers from 0 on");
	if (!a->options->read)
		return asm_fault(a, a->statement.at,
		                 ".incbin is not allowed in a hand-in: only `cyclops asm` and "
		                 "`cyclops run` read files");
	memcpy(name, file.at + 1, file.n - 2);
	name[file.n - 2] = '\0';
	uint8_t *bytes = a->options->read(a->options->reader, name, false, &n, &err);
	if (!bytes)
		return asm_fault(a, file.at, "%s", err.msg);
	/* A count of 0 means the rest. */
	const size_t from = (uint64_t)skip < n ? (size_t)skip : n,
		     most = count ? (size_t)count : n - from;
	const bool ok = (uint64_t)skip <= n && most <= n - from
	                        ? piece_bytes(a, bytes + from, most)
	                        : asm_fault(a, file.at, "expected SKIP and COUNT within %zu bytes",
	                                    n);
	free(bytes);
	return ok;
}

/* ---- space ---- */
static bool data_zeros(struct assembler *a, struct arguments *g)
{
	int64_t n, fill = 0;
	if (!directive_split(a, g))
		return false;
	if (g->count != 1 && g->count != 2)
		return directive_usage(a, ".zero BYTES");
	if (!expr_constant(a, g->o[0], &n) || (g->count == 2 && !expr_constant(a, g->o[1], &fill)))
		return false;
	if (n < 0)
		return asm_fault(a, g->o[0].at, "a number of bytes is not negative");
	if ((fill & 0xff) && section_now(a)->kind == SECTION_BSS)
		return asm_fault(a, g->o[1].at, "%s holds zeros only", section_now(a)->name);
	struct piece *p = piece_add(a, PIECE_SPACE, (uint64_t)n);
	if (p)
		p->fill = (uint8_t)fill;
	return p != NULL;
}

/* .fill REPEAT, SIZE, VALUE */
static bool data_fill(struct assembler *a, struct arguments *g)
{
	int64_t n, size = 1, v = 0;
	uint8_t bytes[8];
	if (!directive_split(a, g))
		return false;
	if (g->count < 1 || g->count > 3)
		return directive_usage(a, ".fill TIMES,BYTES,VALUE");
	if (!expr_constant(a, g->o[0], &n) || (g->count > 1 && !expr_constant(a, g->o[1], &size)) ||
	    (g->count > 2 && !expr_constant(a, g->o[2], &v)))
		return false;
	if (n < 0 || size < 0 || size > 8)
		return directive_usage(a, ".fill TIMES,BYTES,VALUE, with 0 to 8 bytes");
	for (int i = 0; i < 8; i++)
		bytes[i] = (uint8_t)(i < 4 ? (uint64_t)v >> 8 * i : 0);
	if (n > ASM_STATEMENTS_MAX)
		return asm_fault(a, g->o[0].at, "at most %d times", ASM_STATEMENTS_MAX);
	while (n-- > 0)
		if (!piece_bytes(a, bytes, (size_t)size))
			return false;
	return true;
}

/* .dcb TIMES,VALUE: numbers of g->with bytes, floating-point ones of -g->with. */
static bool data_block(struct assembler *a, struct arguments *g)
{
	int64_t n;
	if (!directive_split(a, g))
		return false;
	if (g->count != 2)
		return directive_usage(a, ".dcb TIMES,VALUE");
	if (!expr_constant(a, g->o[0], &n))
		return false;
	if (n < 0 || n > ASM_STATEMENTS_MAX)
		return asm_fault(a, g->o[0].at, "expected 0 to %d times", ASM_STATEMENTS_MAX);
	struct arguments one = {.rest = g->o[1], .with = g->with < 0 ? -g->with : g->with};
	while (n-- > 0)
		if (!(g->with < 0 ? data_floats : data_integers)(a, &one))
			return false;
	return true;
}

/* .ds N: zeros, N times g->with bytes. */
static bool data_reserve(struct assembler *a, struct arguments *g)
{
	int64_t n;
	if (!directive_split(a, g))
		return false;
	if (g->count != 1)
		return directive_usage(a, ".ds TIMES");
	if (!expr_constant(a, g->o[0], &n))
		return false;
	if (n < 0 || n > INT32_MAX)
		return asm_fault(a, g->o[0].at, "expected a number of times from 0 on");
	return piece_add(a, PIECE_SPACE, (uint64_t)(n * g->with)) != NULL;
}

static bool data_nop(struct assembler *a, struct arguments *g)
{
	static const uint8_t nop[] = {0x13, 0, 0, 0}, c_nop[] = {1, 0};
	(void)g;
	return a->rvc ? piece_bytes(a, c_nop, sizeof c_nop) : piece_bytes(a, nop, sizeof nop);
}

static bool data_align(struct assembler *a, struct arguments *g)
{
	int64_t n, v = 0, most = 0;
	if (!directive_split(a, g))
		return false;
	if (g->count < 1 || g->count > 3)
		return directive_usage(a, g->with ? ".align LOG2" : ".balign BYTES");
	if (!expr_constant(a, g->o[0], &n) ||
	    (g->count > 1 && g->o[1].n && !expr_constant(a, g->o[1], &v)) ||
	    (g->count > 2 && !expr_constant(a, g->o[2], &most)))
		return false;
	if (g->with ? n < 0 || n > 12 : n < 0 || n > 4096 || (n & (n - 1)))
		return asm_fault(a, g->o[0].at,
		                 g->with ? "expected 0 to 12, for 1 to 4096 bytes"
		                         : "expected a power of two, at most 4096");
	if (most < 0)
		return asm_fault(a, g->o[2].at, "a number of bytes is not negative");
	struct piece *p = piece_add(a, PIECE_ALIGN, 0);
	struct section *s = section_now(a);
	if (!p)
		return false;
	p->from = g->with ? UINT64_C(1) << n : n ? (uint64_t)n : 1;
	p->most = most > UINT32_MAX ? 0 : (uint32_t)most;
	p->fill = (uint8_t)v;
	p->code = s->kind == SECTION_TEXT && !(g->count > 1 && g->o[1].n);
	if (p->from > s->align && !(p->code && p->from <= (p->rvc ? 2 : 4)))
		s->align = p->from;
	return true;
}

bool data_move_to(struct assembler *a, struct span place)
{
	struct value v;
	int64_t to;
	if (!expr_parse(a, place, &v))
		return false;
	struct section *s = section_now(a);
	if (v.plus && !v.minus && a->symbols[v.plus].state == SYMBOL_PLACE &&
	    a->symbols[v.plus].section == a->section && a->symbols[v.plus].variable == s->variable)
		to = (int64_t)a->symbols[v.plus].fixed + v.add;
	else if (value_is_constant(&v))
		to = v.add;
	else
		return asm_fault(a, place.at, "expected a number, or a label of this section");
	if (to < (int64_t)s->fixed)
		return asm_fault(a, place.at,
		                 "%" PRId64 " has passed: the section has %" PRIu64 " bytes here",
		                 to, s->fixed);
	if (!s->variable || !value_is_constant(&v))
		return piece_add(a, PIECE_SPACE, (uint64_t)to - s->fixed) != NULL;
	struct piece *p = piece_add(a, PIECE_ORG, (uint64_t)to);
	if (!p)
		return false;
	p->from = (uint64_t)to;
	p->size = 0;
	return true;
}

static bool data_org(struct assembler *a, struct arguments *g)
{
	return directive_split(a, g) && g->count ? data_move_to(a, g->o[0])
	                                         : directive_usage(a, ".org OFFSET");
}

const struct directive data_directives[] = {
	{".byte", data_integers, 1, true},
	{".half", data_integers, 2, true},
	{".short", data_integers, 2, true},
	{".hword", data_integers, 2, true},
	{".2byte", data_integers, 2, true},
	{".word", data_integers, 4, true},
	{".long", data_integers, 4, true},
	{".int", data_integers, 4, true},
	{".4byte", data_integers, 4, true},
	{".dword", data_integers, 8, true},
	{".quad", data_integers, 8, true},
	{".8byte", data_integers, 8, true},
	{".uleb128", data_integers, -1, true},
	{".sleb128", data_integers, -2, true},
	{".float16", data_floats, 2, true},
	{".float", data_floats, 4, true},
	{".single", data_floats, 4, true},
	{".double", data_floats, 8, true},
	{".ascii", data_strings, 0, true},
	{".asciz", data_strings, 1, true},
	{".asciiz", data_strings, 1, true},
	{".string", data_strings, 1, true},
	{".align", data_align, 1, true},
	{".p2align", data_align, 1, true},
	{".balign", data_align, 0, true},
	{".zero", data_zeros, 0, true},
	{".space", data_zeros, 0, true},
	{".skip", data_zeros, 0, true},
	{".fill", data_fill, 0, true},
	{".dc", data_integers, 2, true},
	{".dc.b", data_integers, 1, true},
	{".dc.w", data_integers, 2, true},
	{".dc.l", data_integers, 4, true},
	{".dc.a", data_integers, 8, true},
	{".dcb", data_block, 2, true},
	{".dcb.b", data_block, 1, true},
	{".dcb.w", data_block, 2, true},
	{".dcb.l", data_block, 4, true},
	{".dcb.s", data_block, -4, true},
	{".dcb.d", data_block, -8, true},
	{".ds", data_reserve, 2, true},
	{".ds.b", data_reserve, 1, true},
	{".ds.w", data_reserve, 2, true},
	{".ds.l", data_reserve, 4, true},
	{".ds.s", data_reserve, 4, true},
	{".ds.d", data_reserve, 8, true},
	{".ds.p", data_reserve, 12, true},
	{".ds.x", data_reserve, 12, true},
	{".nop", data_nop, 0, true},
	{".string8", data_strings, 1, true},
	{".string16", data_strings, -2, true},
	{".string32", data_strings, -4, true},
	{".string64", data_strings, -8, true},
	{".octa", data_octa, 0, false},
	{".spc", data_zeros, 0, true},
	{".dc.s", data_floats, 4, true},
	{".dc.d", data_floats, 8, true},
	{".incbin", data_incbin, 0, false},
	{".org", data_org, 0, false},
	{".dtprelword", data_integers, 4, true},
	{".dtpreldword", data_integers, 8, true},
	{0},
};
