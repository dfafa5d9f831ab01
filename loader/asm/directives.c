/* Directives: sections, data, alignment, symbols, options. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/nearest_word.h"
#include "core/isa/op.h"
#include "loader/asm/asm_priv.h"

struct arguments {
	struct span o[ASM_OPERANDS_MAX];
	unsigned count;
	struct span rest;
	int64_t with; /* parameter from the table's row */
};

static bool directive_report_usage(struct assembler *a, const char *right)
{
	return asm_fault(a, a->statement.at, "expected %s", right);
}

static bool directive_split_arguments(struct assembler *a, struct arguments *g)
{
	return scan_operands(a, g->rest, g->o, &g->count);
}

/* ---- sections ---- */
static bool directive_enter_named_section(struct assembler *a, struct arguments *g)
{
	static const char *const names[] = {".text", ".data", ".bss", ".rodata"};
	return section_enter(a, names[g->with], strlen(names[g->with]), -1);
}

static bool directive_handle_section(struct assembler *a, struct arguments *g)
{
	if (!directive_split_arguments(a, g))
		return false;
	if (!g->count || !g->o[0].n)
		return directive_report_usage(
			a, ".section NAME[,\"FLAGS\"[,@progbits]]; flags a, w, x");
	struct span name = g->o[0], flags = g->count > 1 ? g->o[1] : (struct span){"", 0};
	if (*name.at == '"' && name.n > 2)
		name = (struct span){name.at + 1, name.n - 2};
	int kind = -1;
	if (flags.n && *flags.at == '"') {
		const bool bits = g->count < 3 || !span_is(g->o[2], "@nobits");
		kind = memchr(flags.at, 'x', flags.n)    ? SECTION_TEXT
		       : !memchr(flags.at, 'a', flags.n) ? SECTION_DROPPED
		       : memchr(flags.at, 'T', flags.n)  ? (bits ? SECTION_TDATA : SECTION_TBSS)
		       : !memchr(flags.at, 'w', flags.n) ? SECTION_RODATA
		       : bits                            ? SECTION_DATA
		                                         : SECTION_BSS;
	}
	return section_enter(a, name.at, name.n, kind);
}

static bool directive_handle_pushsection(struct assembler *a, struct arguments *g)
{
	const uint32_t section = a->section, before = a->section_before;
	if (a->pushed_depth == ASM_OPTIONS_DEPTH)
		return asm_fault(a, a->statement.at, "at most %d sections are kept",
		                 ASM_OPTIONS_DEPTH);
	if (!directive_handle_section(a, g))
		return false;
	a->pushed[a->pushed_depth].section = section;
	a->pushed[a->pushed_depth++].before = before;
	return true;
}

static bool directive_handle_popsection(struct assembler *a, struct arguments *g)
{
	(void)g;
	if (!a->pushed_depth)
		return asm_fault(a, a->statement.at, ".popsection without .pushsection");
	a->section = a->pushed[--a->pushed_depth].section;
	a->section_before = a->pushed[a->pushed_depth].before;
	return true;
}

static bool directive_handle_previous(struct assembler *a, struct arguments *g)
{
	(void)g;
	const uint32_t before = a->section;
	a->section = a->section_before;
	a->section_before = before;
	return true;
}

/* ---- data ---- */
/* Emits a number of g->with bytes; -1, -2: as LEB128. */
static bool directive_emit_integer(struct assembler *a, const struct arguments *g,
                                   const struct value *v, const char *at)
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
static bool directive_emit_octa(struct assembler *a, struct arguments *g)
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
			const unsigned digit = c <= '9' ? (unsigned)(c - '0')
			                                : ((unsigned)c | 32) - 'a' + 10;
			bytes[i / 2] |= (uint8_t)(digit << (i % 2 ? 4 : 0));
		}
		if (!piece_bytes(a, bytes, sizeof bytes))
			return false;
		rest = comma ? span_trim((struct span){comma + 1, rest.n - n - 1})
		             : (struct span){rest.at + n, 0};
	}
	return true;
}

static bool directive_emit_integers(struct assembler *a, struct arguments *g)
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
			if (!directive_emit_integer(a, g, &v, one.at))
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
static uint16_t directive_half_of(double d)
{
	const uint16_t sign = signbit(d) ? 0x8000 : 0;
	int exponent;
	d = fabs(d);
	if (isnan(d))
		return 0x7e00;
	if (d >= 65520)
		return sign | 0x7c00;
	if (d < 0x1p-14) /* a multiple of the least one */
		return sign | (uint16_t)nearbyint(d * 0x1p24);
	frexp(d, &exponent);
	/* 11 bits, the first of which is not stored; carrying may raise the exponent */
	const unsigned bits = (unsigned)nearbyint(ldexp(d, 11 - exponent));
	return (uint16_t)(sign + (unsigned)(exponent + 13) * 1024 + bits);
}

static bool directive_emit_floats(struct assembler *a, struct arguments *g)
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
		/* 0r1.5, 0f1.5 and 0d1.5 of older compilers */
		const bool marked = text[0] == '0' && strchr("rRfFdD", text[1]) && text[1];
		const char *digits = text + (marked ? 2 : 0);
		const double d = strtod(digits, &stop);
		if (*stop || stop == digits)
			return asm_fault(a, at, "no number; expected 1.5, -2e-3");
		const float f = strtof(digits, NULL);
		const uint16_t h = directive_half_of(d);
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

static bool directive_emit_strings(struct assembler *a, struct arguments *g)
{
	const char *at = g->rest.at, *end = at + g->rest.n;
	uint8_t *out = alloc_bytes(g->rest.n + 1);
	bool ok = out != NULL || asm_out_of_memory(a);
	while (ok && at < end) {
		size_t n = 0;
		if (*at != '"') {
			ok = asm_fault(a, at, "expected a string in double quotes");
			break;
		}
		for (at++; ok && at < end && *at != '"';) {
			unsigned c;
			ok = scan_character(a, &at, end, &c);
			if (ok)
				out[n++] = (uint8_t)c;
		}
		if (ok && at == end)
			ok = asm_fault(a, at, "the string has no end; expected \" at its end");
		if (g->with)
			out[n++] = 0;
		ok = ok && piece_bytes(a, out, n);
		at++;
		while (ok && at < end && (*at == ' ' || *at == '\t' || *at == ','))
			at++;
	}
	free(out);
	return ok;
}

static bool directive_handle_zero(struct assembler *a, struct arguments *g)
{
	int64_t n, fill = 0;
	if (!directive_split_arguments(a, g))
		return false;
	if (g->count != 1 && g->count != 2)
		return directive_report_usage(a, ".zero BYTES");
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
static bool directive_handle_fill(struct assembler *a, struct arguments *g)
{
	int64_t n, size = 1, v = 0;
	uint8_t bytes[8];
	if (!directive_split_arguments(a, g))
		return false;
	if (g->count < 1 || g->count > 3)
		return directive_report_usage(a, ".fill TIMES,BYTES,VALUE");
	if (!expr_constant(a, g->o[0], &n) || (g->count > 1 && !expr_constant(a, g->o[1], &size)) ||
	    (g->count > 2 && !expr_constant(a, g->o[2], &v)))
		return false;
	if (n < 0 || size < 0 || size > 8)
		return directive_report_usage(a, ".fill TIMES,BYTES,VALUE, with 0 to 8 bytes");
	for (int i = 0; i < 8; i++)
		bytes[i] = (uint8_t)(i < 4 ? (uint64_t)v >> 8 * i : 0);
	if (n > ASM_STATEMENTS_MAX)
		return asm_fault(a, g->o[0].at, "at most %d times", ASM_STATEMENTS_MAX);
	while (n-- > 0)
		if (!piece_bytes(a, bytes, (size_t)size))
			return false;
	return true;
}

static bool directive_handle_align(struct assembler *a, struct arguments *g)
{
	int64_t n, v = 0, most = 0;
	if (!directive_split_arguments(a, g))
		return false;
	if (g->count < 1 || g->count > 3)
		return directive_report_usage(a, g->with ? ".align LOG2" : ".balign BYTES");
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

/* ---- symbols ---- */
static bool directive_parse_symbol_name(struct assembler *a, struct span s, uint32_t *out)
{
	struct span name;
	if (s.n && *s.at == '"' && scan_name(s, &name) == s.n)
		return (*out = symbol_get(a, name)) != 0;
	if (!s.n || !is_name_start(*s.at))
		return asm_fault(a, s.at, "expected the name of a symbol");
	for (size_t i = 0; i < s.n; i++)
		if (!is_name(s.at[i]))
			return asm_fault(a, s.at + i, "no name has '%c' in it",
			                 s.at[i] > ' ' && s.at[i] < 127 ? s.at[i] : '?');
	*out = symbol_get(a, s);
	return *out != 0;
}

static bool directive_handle_globl(struct assembler *a, struct arguments *g)
{
	uint32_t s;
	if (!directive_split_arguments(a, g))
		return false;
	if (!g->count)
		return directive_report_usage(a, ".globl SYMBOL");
	for (unsigned i = 0; i < g->count; i++) {
		if (!directive_parse_symbol_name(a, g->o[i], &s))
			return false;
		a->symbols[s].global |= g->with != 2;
		a->symbols[s].weak |= g->with == 1;
		a->symbols[s].local_common |= g->with == 2;
	}
	return true;
}

static bool directive_define_symbol(struct assembler *a, struct span name, struct span value)
{
	uint32_t s;
	struct value v;
	if (!directive_parse_symbol_name(a, name, &s) || !expr_parse(a, value, &v))
		return false;
	struct symbol *y = &a->symbols[s];
	if (y->state == SYMBOL_PLACE)
		return asm_fault(a, name.at, "'%.80s' is a label in line %u already", y->name,
		                 y->line);
	if (v.plus == s || v.minus == s)
		return asm_fault(a, value.at, "'%.80s' is defined by itself", y->name);
	y->state = SYMBOL_VALUE;
	y->value = v;
	y->line = a->line;
	y->column = asm_column(a, name.at);
	return true;
}

static bool directive_handle_equ(struct assembler *a, struct arguments *g)
{
	return !directive_split_arguments(a, g) ? false
	       : g->count != 2                  ? directive_report_usage(a, ".equ NAME,VALUE")
	                                        : directive_define_symbol(a, g->o[0], g->o[1]);
}

static bool directive_handle_comm(struct assembler *a, struct arguments *g)
{
	uint32_t s;
	int64_t size, aligned = 1;
	if (!directive_split_arguments(a, g))
		return false;
	if (g->count != 2 && g->count != 3)
		return directive_report_usage(a, ".comm SYMBOL,BYTES,ALIGNMENT");
	if (!directive_parse_symbol_name(a, g->o[0], &s) || !expr_constant(a, g->o[1], &size) ||
	    (g->count == 3 && !expr_constant(a, g->o[2], &aligned)))
		return false;
	if (size < 0 || aligned < 1 || aligned > 4096 || (aligned & (aligned - 1)))
		return directive_report_usage(
			a, ".comm SYMBOL,BYTES,ALIGNMENT; the alignment is a power of two, at "
			   "most 4096");
	const bool local = g->with || a->symbols[s].local_common;
	a->symbols[s].common = !local;
	const uint32_t here = a->section, before = a->section_before;
	if (!section_enter(a, local ? ".bss" : "COMMON", local ? 4 : 6, -1))
		return false;
	struct piece *p = piece_add(a, PIECE_ALIGN, 0);
	bool ok = p != NULL;
	if (ok) {
		p->from = (uint64_t)aligned;
		if (section_now(a)->align < p->from)
			section_now(a)->align = p->from;
		ok = symbol_define(a, s, g->o[0].at) && piece_add(a, PIECE_SPACE, (uint64_t)size);
		a->symbols[s].object = true;
		a->symbols[s].size = (uint64_t)size;
		a->symbols[s].global |= !local;
	}
	a->section = here;
	a->section_before = before;
	return ok;
}

static bool directive_handle_type(struct assembler *a, struct arguments *g)
{
	uint32_t s;
	if (!directive_split_arguments(a, g) || g->count != 2)
		return directive_report_usage(a, ".type SYMBOL,@function");
	if (!directive_parse_symbol_name(a, g->o[0], &s))
		return false;
	const struct span t = g->o[1].n ? (struct span){g->o[1].at + 1, g->o[1].n - 1} : g->o[1];
	a->symbols[s].function |= span_is(t, "function");
	a->symbols[s].object |= span_is(t, "object");
	return true;
}

/* ---- options ---- */
/* The program is for the first architecture that its texts name: reports others. */
static bool directive_check_arch(struct assembler *a, struct span arch)
{
	const bool narrow = arch.n > 4 && !memcmp(arch.at, "rv32", 4);
	if (arch.n <= 4 || (!narrow && memcmp(arch.at, "rv64", 4) != 0))
		return asm_fault(a, arch.at, "%.*s: expected an architecture of rv32 or rv64",
		                 (int)arch.n, arch.at);
	return narrow == a->rv32 ||
	       asm_fault(a, arch.at,
	                 "%.*s: the program is assembled for rv%d; expected such an architecture, "
	                 "or .attribute arch,\"rv%dgc\" alone",
	                 (int)arch.n, arch.at, narrow ? 64 : 32, narrow ? 32 : 64);
}

static bool directive_handle_attribute(struct assembler *a, struct arguments *g)
{
	const struct span arch = asm_attribute_arch(g->rest);
	return !arch.n || directive_check_arch(a, arch);
}

static bool directive_handle_option(struct assembler *a, struct arguments *g)
{
	static const char *const ignored[] = {"relax", "norelax", "csr-check", "no-csr-check"};
	const struct span s = span_trim(g->rest);
	if (span_is(s, "push")) {
		if (a->options_depth == ASM_OPTIONS_DEPTH)
			return asm_fault(a, s.at, "at most %d options are kept", ASM_OPTIONS_DEPTH);
		a->options_stack[a->options_depth].rvc = a->rvc;
		a->options_stack[a->options_depth++].pic = a->pic;
		return true;
	}
	if (span_is(s, "pop")) {
		if (!a->options_depth)
			return asm_fault(a, s.at, ".option pop without .option push");
		a->rvc = a->options_stack[--a->options_depth].rvc;
		a->pic = a->options_stack[a->options_depth].pic;
		return true;
	}
	if (span_is(s, "rvc") || span_is(s, "norvc")) {
		a->rvc = s.n == 3;
		a->rvc_ever |= a->rvc;
		if (a->rvc && section_now(a)->kind == SECTION_TEXT && section_now(a)->align == 4 &&
		    !section_now(a)->count)
			section_now(a)->align = 2;
		return true;
	}
	if (span_is(s, "pic") || span_is(s, "nopic")) {
		a->pic = s.n == 3;
		return true;
	}
	for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
		if (span_is(s, ignored[i]))
			return true;
	if (s.n <= 5 || memcmp(s.at, "arch,", 5) != 0)
		return asm_fault(a, s.at, "expected .option push, pop, rvc, norvc");
	const struct span arch = span_trim((struct span){s.at + 5, s.n - 5});
	return *arch.at == '+' || *arch.at == '-' || directive_check_arch(a, arch);
}

/* ---- macros ---- */
static bool directive_leave_macro(struct assembler *a, struct arguments *g)
{
	(void)g;
	if (!a->frozen)
		return asm_fault(a, a->statement.at, ".exitm outside of a macro");
	a->macro_left = true;
	return true;
}

static bool directive_forget_macro(struct assembler *a, struct arguments *g)
{
	return macro_forget(a, span_trim(g->rest));
}

/* .eqv NAME, TEXT; RARS needs no comma, and has no expressions. */
static bool directive_define_word(struct assembler *a, struct arguments *g)
{
	struct span s = span_trim(g->rest);
	size_t n = 0;
	while (n < s.n && is_name(s.at[n]))
		n++;
	const struct span name = {s.at, n};
	s = span_trim((struct span){s.at + n, s.n - n});
	if (s.n && *s.at == ',')
		s = span_trim((struct span){s.at + 1, s.n - 1});
	return n && s.n ? macro_define_word(a, name, s)
	                : directive_report_usage(a, ".eqv NAME,TEXT");
}

/* .error "MESSAGE" */
static bool directive_report_error(struct assembler *a, struct arguments *g)
{
	struct span s = span_trim(g->rest);
	if (s.n > 1 && *s.at == '"')
		s = (struct span){s.at + 1, s.n - 2};
	return asm_fault(a, a->statement.at, "%.*s", (int)(s.n ? s.n > 200 ? 200 : s.n : 4),
	                 s.n ? s.at : ".err");
}

/* .org ADDRESS: within the section. */
static bool directive_handle_org(struct assembler *a, struct arguments *g)
{
	struct value v;
	int64_t to;
	if (!directive_split_arguments(a, g) || g->count < 1)
		return directive_report_usage(a, ".org OFFSET");
	const uint32_t here = symbol_here(a);
	if (!here || !expr_parse(a, g->o[0], &v))
		return false;
	struct section *s = section_now(a);
	if (v.plus && !v.minus && a->symbols[v.plus].state == SYMBOL_PLACE &&
	    a->symbols[v.plus].section == a->section && a->symbols[v.plus].variable == s->variable)
		to = (int64_t)a->symbols[v.plus].fixed + v.add;
	else if (value_is_constant(&v) && !s->variable)
		to = v.add;
	else
		return asm_fault(a, g->o[0].at,
		                 "an offset that is known here is needed, after no branch or "
		                 "alignment");
	if (to < (int64_t)s->fixed)
		return asm_fault(a, g->o[0].at,
		                 "%" PRId64 " has passed: the section has %" PRIu64 " bytes here",
		                 to, s->fixed);
	return piece_add(a, PIECE_SPACE, (uint64_t)to - s->fixed) != NULL;
}

/* .end: the rest of the text is not read. */
static bool directive_end_text(struct assembler *a, struct arguments *g)
{
	const char *from = a->statement.at + a->statement.n;
	(void)g;
	if (!a->frozen && a->statement.at >= a->text && from <= a->text + a->n)
		for (char *at = a->text + (from - a->text); at < a->text + a->n; at++)
			*at = *at == '\n' ? '\n' : ' ';
	return true;
}

/* ---- .insn ---- */
static bool directive_insn_number(struct assembler *a, struct span s, unsigned bits, uint32_t *out)
{
	static const struct {
		const char *name;
		uint8_t opcode;
	} opcodes[] = {
		{"LOAD", 0x03},     {"LOAD_FP", 0x07},  {"CUSTOM_0", 0x0b},  {"MISC_MEM", 0x0f},
		{"OP_IMM", 0x13},   {"AUIPC", 0x17},    {"OP_IMM_32", 0x1b}, {"STORE", 0x23},
		{"STORE_FP", 0x27}, {"CUSTOM_1", 0x2b}, {"AMO", 0x2f},       {"OP", 0x33},
		{"LUI", 0x37},      {"OP_32", 0x3b},    {"MADD", 0x43},      {"MSUB", 0x47},
		{"NMSUB", 0x4b},    {"NMADD", 0x4f},    {"OP_FP", 0x53},     {"CUSTOM_2", 0x5b},
		{"BRANCH", 0x63},   {"JALR", 0x67},     {"JAL", 0x6f},       {"SYSTEM", 0x73},
		{"CUSTOM_3", 0x7b}};
	int64_t v;
	for (size_t i = 0; i < sizeof opcodes / sizeof *opcodes; i++)
		if (span_is(s, opcodes[i].name))
			return *out = opcodes[i].opcode, true;
	if (!expr_constant(a, s, &v))
		return false;
	if (v < -(INT64_C(1) << (bits - 1)) || v >= INT64_C(1) << bits)
		return asm_fault(a, s.at, "expected a number of %u bits", bits);
	*out = (uint32_t)v & (uint32_t)((UINT64_C(1) << bits) - 1);
	return true;
}

static bool directive_insn_register(struct assembler *a, struct span s, uint32_t *out)
{
	const int reg = register_of(s);
	if (reg < 0)
		return asm_fault(a, s.at, "'%.*s' is no register", (int)(s.n > 40 ? 40 : s.n),
		                 s.at);
	*out = (uint32_t)reg & 31;
	return true;
}

/* .insn FORMAT ..., .insn VALUE, .insn BYTES, VALUE, as GNU as has them. FORMAT's operands: o
 * opcode, 3 funct3, 7 funct7, 2 funct2, d s t u registers, i an immediate, m one with a base:
 * 8(sp), n a place near. */
static bool directive_handle_insn(struct assembler *a, struct arguments *g)
{
	static const struct {
		const char *name, *operands;
	} formats[] = {{"r", "o37dst"}, {"r4", "o32dstu"}, {"i", "o3dsi"},
	               {"i", "o3dm"},   {"s", "o3tm"},     {"u", "odi"},
	               {"b", "o3stn"},  {"sb", "o3stn"},   {"j", "odn"},
	               {"uj", "odn"}};
	struct span s = span_trim(g->rest), form;
	uint32_t v[128] = {0};
	if (section_now(a)->kind != SECTION_TEXT)
		return asm_fault(a, s.at,
		                 "an instruction outside of code; expected .text before it");
	scan_name(s, &form);
	bool known = false;
	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
		known |= span_is(form, formats[i].name);
	if (!known) {
		int64_t bytes = 0, value;
		uint8_t out[8];
		if (!directive_split_arguments(a, g))
			return false;
		if (g->count != 1 && g->count != 2)
			return directive_report_usage(a,
			                              ".insn r OPCODE,F3,F7,RD,RS1,RS2, or .insn "
			                              "VALUE");
		if ((g->count == 2 && !expr_constant(a, g->o[0], &bytes)) ||
		    !expr_constant(a, g->o[g->count - 1], &value))
			return false;
		if (g->count == 1)
			bytes = (value & 3) == 3 ? 4 : 2;
		if (bytes != 2 && bytes != 4)
			return asm_fault(a, g->o[0].at, "an instruction has 2 or 4 bytes");
		for (int i = 0; i < 8; i++)
			out[i] = (uint8_t)((uint64_t)value >> 8 * i);
		return piece_bytes(a, out, (size_t)bytes);
	}
	g->rest = span_trim((struct span){s.at + form.n, s.n - form.n});
	if (!directive_split_arguments(a, g))
		return false;
	const char *operands = NULL;
	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
		if (span_is(form, formats[i].name) && strlen(formats[i].operands) == g->count)
			operands = formats[i].operands;
	if (!operands)
		return asm_fault(a, form.at, "the format '%.*s' has other operands", (int)form.n,
		                 form.at);
	struct value near;
	for (unsigned i = 0; i < g->count; i++) {
		const char kind = operands[i];
		struct span o = g->o[i];
		if (kind == 'n') {
			if (!expr_parse(a, o, &near))
				return false;
			continue;
		}
		const char *open = kind == 'm' ? memchr(o.at, '(', o.n) : NULL;
		if (kind == 'm' && (!open || o.at[o.n - 1] != ')'))
			return asm_fault(a, o.at, "expected OFFSET(REGISTER)");
		if (open &&
		    !directive_insn_register(
			    a, span_trim((struct span){open + 1, (size_t)(o.at + o.n - open) - 2}),
			    &v['s']))
			return false;
		if (open)
			o = span_trim((struct span){o.at, (size_t)(open - o.at)});
		const unsigned bits = kind == 'o'       ? 7
		                      : kind <= '9'     ? (unsigned)(kind - '0')
		                      : *form.at == 'u' ? 20
		                                        : 12;
		uint32_t *to = &v[kind == 'm' ? 'i' : (unsigned)kind];
		if (strchr("dstu", kind) ? !directive_insn_register(a, o, to)
		                         : !directive_insn_number(a, o, bits, to))
			return false;
	}
	const uint32_t i = v['i'], common = v['o'] | v['3'] << 12 | v['s'] << 15;
	const uint32_t raw =
		*form.at == 'r' ? common | v['d'] << 7 | v['t'] << 20 |
					  (form.n == 2 ? v['2'] << 25 | v['u'] << 27 : v['7'] << 25)
		: *form.at == 'i' ? common | v['d'] << 7 | i << 20
		: *form.at == 's' ? common | v['t'] << 20 | (i & 31) << 7 | i >> 5 << 25
				  : v['o'] | v['d'] << 7 | i << 12;
	if (strchr(operands, 'n')) {
		const bool jump = form.at[form.n - 1] == 'j';
		struct piece *p = piece_add(a, PIECE_RAW_NEAR, 4);
		if (!p)
			return false;
		p->value = near;
		p->in = (struct inst){.op = jump ? OP_JAL : OP_BEQ,
		                      .len = 4,
		                      .rd = REG_SINK,
		                      .raw = jump ? v['o'] | v['d'] << 7 : common | v['t'] << 20};
		return true;
	}
	const uint8_t out[] = {(uint8_t)raw, (uint8_t)(raw >> 8), (uint8_t)(raw >> 16),
	                       (uint8_t)(raw >> 24)};
	return piece_bytes(a, out, sizeof out);
}

static bool directive_accept_silently(struct assembler *a, struct arguments *g)
{
	(void)a, (void)g;
	return true;
}

static bool directive_choose_macros(struct assembler *a, struct arguments *g)
{
	return macro_alternate(a, g->with);
}

/* .incbin "FILE"[,SKIP[,COUNT]] */
static bool directive_include_bytes(struct assembler *a, struct arguments *g)
{
	char name[256];
	int64_t skip = 0, count = INT64_MAX;
	size_t n = 0;
	struct err err;
	if (!directive_split_arguments(a, g))
		return false;
	const struct span file = g->count ? g->o[0] : (struct span){a->statement.at, 0};
	if (g->count < 1 || g->count > 3 || file.n < 3 || file.n >= sizeof name ||
	    *file.at != '"' || file.at[file.n - 1] != '"')
		return directive_report_usage(a, ".incbin \"FILE\",SKIP,COUNT");
	if ((g->count > 1 && g->o[1].n && !expr_constant(a, g->o[1], &skip)) ||
	    (g->count > 2 && !expr_constant(a, g->o[2], &count)))
		return false;
	if (skip < 0 || count < 0)
		return asm_fault(a, g->o[1].at, "expected numbers from 0 on");
	if (!a->options->read)
		return asm_fault(a, a->statement.at,
		                 "files are read by `cyclops asm` and `cyclops run` only");
	memcpy(name, file.at + 1, file.n - 2);
	name[file.n - 2] = '\0';
	uint8_t *bytes = a->options->read(name, &n, &err);
	if (!bytes)
		return asm_fault(a, file.at, "%s", err.msg);
	const size_t from = (uint64_t)skip < n ? (size_t)skip : n,
		     most = (uint64_t)count < n - from ? (size_t)count : n - from;
	const bool ok = piece_bytes(a, bytes + from, most);
	free(bytes);
	return ok;
}

/* Accepts only relocations that change nothing: this assembler resolves all others itself. */
static bool directive_handle_reloc(struct assembler *a, struct arguments *g)
{
	if (!directive_split_arguments(a, g))
		return false;
	return (g->count > 1 && (span_is(g->o[1], "R_RISCV_NONE") ||
	                         span_is(g->o[1], "R_RISCV_RELAX"))) ||
	       asm_fault(a, a->statement.at,
	                 "expected .reloc OFFSET,R_RISCV_NONE or R_RISCV_RELAX: this assembler "
	                 "links, too");
}

static bool directive_report_unsupported(struct assembler *a, struct arguments *g)
{
	static const char *const why[] = {
		"this assembler does not have this directive; use a .S file and the cross compiler",
		"this ends no block; expected .rept, .irp or .macro before it, each on a line of "
		"its own",
		"this assembler reads the files that it is given: cyclops run MAIN.s OTHER.s; "
	        "names "
		"that .globl declares are known in all",
	};
	return asm_fault(a, a->statement.at, "%s", why[g->with]);
}

static const struct directive {
	const char *name;
	bool (*take)(struct assembler *a, struct arguments *g);
	int64_t with;
} directives[] = {
	{".text", directive_enter_named_section, 0},
	{".data", directive_enter_named_section, 1},
	{".bss", directive_enter_named_section, 2},
	{".rodata", directive_enter_named_section, 3},
	{".section", directive_handle_section, 0},
	{".previous", directive_handle_previous, 0},
	{".pushsection", directive_handle_pushsection, 0},
	{".popsection", directive_handle_popsection, 0},
	{".byte", directive_emit_integers, 1},
	{".half", directive_emit_integers, 2},
	{".short", directive_emit_integers, 2},
	{".hword", directive_emit_integers, 2},
	{".2byte", directive_emit_integers, 2},
	{".word", directive_emit_integers, 4},
	{".long", directive_emit_integers, 4},
	{".int", directive_emit_integers, 4},
	{".4byte", directive_emit_integers, 4},
	{".dword", directive_emit_integers, 8},
	{".quad", directive_emit_integers, 8},
	{".8byte", directive_emit_integers, 8},
	{".uleb128", directive_emit_integers, -1},
	{".sleb128", directive_emit_integers, -2},
	{".float16", directive_emit_floats, 2},
	{".float", directive_emit_floats, 4},
	{".single", directive_emit_floats, 4},
	{".double", directive_emit_floats, 8},
	{".ascii", directive_emit_strings, 0},
	{".asciz", directive_emit_strings, 1},
	{".asciiz", directive_emit_strings, 1},
	{".string", directive_emit_strings, 1},
	{".align", directive_handle_align, 1},
	{".p2align", directive_handle_align, 1},
	{".balign", directive_handle_align, 0},
	{".zero", directive_handle_zero, 0},
	{".space", directive_handle_zero, 0},
	{".skip", directive_handle_zero, 0},
	{".fill", directive_handle_fill, 0},
	{".globl", directive_handle_globl, 0},
	{".global", directive_handle_globl, 0},
	{".weak", directive_handle_globl, 1},
	{".local", directive_handle_globl, 2},
	{".equ", directive_handle_equ, 0},
	{".set", directive_handle_equ, 0},
	{".equiv", directive_handle_equ, 0},
	{".comm", directive_handle_comm, 0},
	{".lcomm", directive_handle_comm, 1},
	{".type", directive_handle_type, 0},
	{".option", directive_handle_option, 0},
	{".size", directive_accept_silently, 0},
	{".file", directive_accept_silently, 0},
	{".ident", directive_accept_silently, 0},
	{".attribute", directive_handle_attribute, 0},
	{".loc", directive_accept_silently, 0},
	{".hidden", directive_accept_silently, 0},
	{".protected", directive_accept_silently, 0},
	{".internal", directive_accept_silently, 0},
	{".addrsig", directive_accept_silently, 0},
	{".addrsig_sym", directive_accept_silently, 0},
	{".endr", directive_report_unsupported, 1},
	{".endm", directive_report_unsupported, 1},
	{".end_macro", directive_report_unsupported, 1},
	{".macro", directive_report_unsupported, 1},
	{".rept", directive_report_unsupported, 1},
	{".irp", directive_report_unsupported, 1},
	{".include", directive_report_unsupported, 2},
	{".import", directive_report_unsupported, 2},
	{".altmacro", directive_choose_macros, 1},
	{".insn", directive_handle_insn, 0},
	{".dc.b", directive_emit_integers, 1},
	{".dc.w", directive_emit_integers, 2},
	{".dc.l", directive_emit_integers, 4},
	{".dc.a", directive_emit_integers, 8},
	{".string8", directive_emit_strings, 1},
	{".noaltmacro", directive_choose_macros, 0},
	{".octa", directive_emit_octa, 0},
	{".reloc", directive_handle_reloc, 0},
	{".list", directive_accept_silently, 0},
	{".eject", directive_accept_silently, 0},
	{".psize", directive_accept_silently, 0},
	{".nopage", directive_accept_silently, 0},
	{".noformat", directive_accept_silently, 0},
	{".linefile", directive_accept_silently, 0},
	{".loc_mark_labels", directive_accept_silently, 0},
	{".gnu_attribute", directive_accept_silently, 0},
	{".variant_cc", directive_accept_silently, 0},
	{".xref", directive_accept_silently, 0},
	{".xdef", directive_handle_globl, 0},
	{".xcom", directive_handle_comm, 0},
	{".spc", directive_handle_zero, 0},
	{".mexit", directive_leave_macro, 0},
	{".dc.s", directive_emit_floats, 4},
	{".dc.d", directive_emit_floats, 8},
	{".nolist", directive_accept_silently, 0},
	{".title", directive_accept_silently, 0},
	{".sbttl", directive_accept_silently, 0},
	{".line", directive_accept_silently, 0},
	{".version", directive_accept_silently, 0},
	{".incbin", directive_include_bytes, 0},
	{".exitm", directive_leave_macro, 0},
	{".purgem", directive_forget_macro, 0},
	{".eqv", directive_define_word, 0},
	{".org", directive_handle_org, 0},
	{".err", directive_report_error, 0},
	{".error", directive_report_error, 0},
	{".extern", directive_accept_silently, 0},
	{".end", directive_end_text, 0},
	{".ent", directive_accept_silently, 0},
	{".warning", directive_accept_silently, 0},
	{".print", directive_accept_silently, 0},
	{".dtprelword", directive_emit_integers, 4},
	{".dtpreldword", directive_emit_integers, 8},
};
enum { DIRECTIVES = sizeof directives / sizeof *directives };

static bool directive_report_unknown(struct assembler *a, struct span name)
{
	char word[32];
	struct nearest n;
	const size_t length = name.n < sizeof word ? name.n : sizeof word - 1;
	memcpy(word, name.at, length);
	word[length] = '\0';
	nearest_init(&n, word);
	for (unsigned i = 0; i < DIRECTIVES; i++)
		nearest_offer(&n, directives[i].name);
	return asm_fault(a, name.at, "no directive is called '%s'%s", word, nearest_tail(&n));
}

bool assemble_directive(struct assembler *a, struct span name, struct span rest)
{
	if (rest.n && *rest.at == '=')
		return directive_define_symbol(a, name,
		                               span_trim((struct span){rest.at + 1, rest.n - 1}));
	if (name.n > 5 && !memcmp(name.at, ".cfi_", 5))
		return true;
	for (unsigned i = 0; i < DIRECTIVES; i++) {
		const struct directive *d = &directives[i];
		if (!span_is(name, d->name))
			continue;
		const bool data =
			d->take == directive_emit_integers || d->take == directive_emit_strings ||
			d->take == directive_emit_floats || d->take == directive_handle_zero ||
			d->take == directive_handle_fill || d->take == directive_handle_align;
		struct arguments g = {.rest = span_trim(rest), .with = d->with};
		/* Skip data of sections that are not loaded: compilers' debug information. */
		return (data && section_now(a)->kind == SECTION_DROPPED) || d->take(a, &g);
	}
	return section_now(a)->kind == SECTION_DROPPED || directive_report_unknown(a, name);
}
