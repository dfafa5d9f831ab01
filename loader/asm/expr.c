/* Expressions: numbers, characters, symbols and the operators of GNU as, with its precedence. */
#include <stdlib.h>
#include <string.h>

#include "loader/asm/asm_priv.h"

struct reader {
	struct assembler *a;
	const char *at, *end;
	unsigned depth;
};

static bool asm_expr_parse_binary(struct reader *r, int least, struct value *out);

static void asm_expr_skip_blanks(struct reader *r)
{
	while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\r'))
		r->at++;
}

static bool asm_expr_parse_number(struct reader *r, struct value *out)
{
	const char *from = r->at;
	unsigned base = 10;
	if (*r->at == '0' && r->at + 1 < r->end) {
		const char c = r->at[1] | 0x20;
		base = c == 'x' ? 16 : c == 'b' ? 2 : 8;
		/* 0b and 0f are labels */
		if (base == 2 && (r->at + 2 == r->end || (r->at[2] != '0' && r->at[2] != '1')))
			base = 10;
		r->at += base == 16 || base == 2 ? 2 : 0;
	}
	uint64_t v = 0;
	const char *digits = r->at;
	for (; r->at < r->end; r->at++) {
		const char c = *r->at | 0x20;
		const unsigned d = *r->at >= '0' && *r->at <= '9'       ? (unsigned)(*r->at - '0')
		                   : base == 16 && c >= 'a' && c <= 'f' ? (unsigned)(c - 'a' + 10)
		                                                        : 99;
		if (d >= base)
			break;
		uint64_t next;
		if (__builtin_mul_overflow(v, base, &next) ||
		    __builtin_add_overflow(next, d, &next))
			return asm_fault(r->a, from, "the number takes more than 64 bits");
		v = next;
	}
	if (r->at == digits)
		return asm_fault(r->a, from, "no number; expected 0x1f, 31, 0b11111");
	if (r->at < r->end && (*r->at == 'f' || *r->at == 'b') && digits == from &&
	    (r->at + 1 == r->end || !is_name(r->at[1]))) {
		out->plus =
			symbol_numeric(r->a, (struct span){from, (size_t)(r->at - from)}, *r->at);
		r->at++;
		return out->plus != 0;
	}
	if (r->at < r->end && is_name(*r->at))
		return asm_fault(r->a, r->at, "'%c' is no digit of a number", *r->at);
	out->add = (int64_t)v;
	return true;
}

static bool asm_expr_parse_character(struct reader *r, struct value *out)
{
	unsigned c;
	const char *from = r->at++;
	if (r->at == r->end)
		return asm_fault(r->a, from, "a quote with nothing after it; expected 'a'");
	if (!scan_character(r->a, &r->at, r->end, &c))
		return false;
	if (r->at < r->end && *r->at == '\'')
		r->at++;
	out->add = c;
	return true;
}

static bool asm_expr_require_constant(struct reader *r, const char *at, const struct value *x,
                                      const char *what)
{
	return (!x->plus && !x->minus) ||
	       asm_fault(r->a, at, "%s needs numbers that are known here; an address is not", what);
}

static bool asm_expr_parse_operand(struct reader *r, struct value *out)
{
	bool ok;
	*out = (struct value){0};
	asm_expr_skip_blanks(r);
	if (r->at == r->end)
		return asm_fault(r->a, r->at,
		                 "something is missing here; expected a number, or a symbol");
	if (++r->depth > ASM_NESTING_MAX)
		return asm_fault(r->a, r->at, "nested too deep; at most %d", ASM_NESTING_MAX);
	const char *at = r->at, c = *at;
	struct span name;
	if (c == '(') {
		r->at++;
		ok = asm_expr_parse_binary(r, 1, out);
		asm_expr_skip_blanks(r);
		if (ok && (r->at == r->end || *r->at != ')'))
			ok = asm_fault(r->a, r->at, "')' is missing");
		r->at++;
	} else if (c == '-' || c == '~' || c == '!' || c == '+') {
		r->at++;
		ok = asm_expr_parse_operand(r, out);
		if (ok && c == '-') {
			*out = (struct value){out->minus, out->plus, (int64_t) - (uint64_t)out->add,
			                      PART_ALL};
		} else if (ok && c != '+') {
			ok = asm_expr_require_constant(r, at, out, c == '~' ? "~" : "!");
			out->add = c == '~' ? ~out->add : !out->add;
		}
	} else if (c >= '0' && c <= '9') {
		ok = asm_expr_parse_number(r, out);
	} else if (c == '\'') {
		ok = asm_expr_parse_character(r, out);
	} else if (is_name_start(c) ||
	           (c == '"' && scan_name((struct span){at, (size_t)(r->end - at)}, &name))) {
		r->at += scan_name((struct span){at, (size_t)(r->end - at)}, &name);
		out->plus = span_is(name, ".") ? symbol_here(r->a) : symbol_get(r->a, name);
		ok = out->plus != 0;
		value_fold(r->a, out);
	} else {
		ok = asm_fault(r->a, at, "'%c' begins no number and no symbol",
		               c >= ' ' && c < 127 ? c : '?');
	}
	r->depth--;
	return ok;
}

static const struct operator
{
	char name[3];
	uint8_t level;
}
operators[] = {
	{"<<", 6}, {">>", 6}, {"&&", 2}, {"||", 1}, {"==", 3}, {"!=", 3}, {"<>", 3},
	{"<=", 3}, {">=", 3}, {"*", 6},  {"/", 6},  {"%", 6},  {"|", 5},  {"&", 5},
	{"^", 5},  {"!", 5},  {"+", 4},  {"-", 4},  {"<", 3},  {">", 3},
};

static const struct operator* asm_expr_match_operator(struct reader *r)
{
	asm_expr_skip_blanks(r);
	for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
		const size_t n = strlen(operators[i].name);
		if ((size_t)(r->end - r->at) >= n && !memcmp(r->at, operators[i].name, n))
			return &operators[i];
	}
	return NULL;
}

static bool asm_expr_add_values(struct reader *r, const char *at, struct value *x,
                                const struct value *y, bool minus)
{
	const uint32_t plus = minus ? y->minus : y->plus, less = minus ? y->plus : y->minus;
	x->add = (int64_t)((uint64_t)x->add + (minus ? -(uint64_t)y->add : (uint64_t)y->add));
	if ((x->plus && plus) || (x->minus && less))
		return asm_fault(r->a, at,
		                 "two addresses can't be added; expected ADDRESS + NUMBER, "
		                 "ADDRESS - ADDRESS");
	x->plus |= plus;
	x->minus |= less;
	value_fold(r->a, x);
	return true;
}

static int64_t asm_expr_compute_binary(const char *name, int64_t x, int64_t y)
{
	const uint64_t ux = (uint64_t)x, uy = (uint64_t)y;
	switch (name[0]) {
	case '*':
		return (int64_t)(ux * uy);
	case '/':
		return y == -1 ? (int64_t)-ux : x / y;
	case '%':
		return y == -1 ? 0 : x % y;
	case '|':
		return name[1] ? x || y : x | y;
	case '&':
		return name[1] ? x && y : x & y;
	case '^':
		return x ^ y;
	case '!':
		return name[1] ? -(x != y) : x | ~y;
	case '=':
		return -(x == y);
	case '<':
		return name[1] == '<'   ? (uy < 64 ? (int64_t)(ux << uy) : 0)
		       : name[1] == '>' ? -(x != y)
		       : name[1]        ? -(x <= y)
		                        : -(x < y);
	default: /* > */
		return name[1] == '>' ? (uy < 64 ? (int64_t)(ux >> uy) : 0)
		       : name[1]      ? -(x >= y)
		                      : -(x > y);
	}
}

static bool asm_expr_parse_binary(struct reader *r, int least, struct value *out)
{
	const struct operator* o;
	if (++r->depth > 4 * ASM_NESTING_MAX)
		return asm_fault(r->a, r->at, "nested too deep");
	if (!asm_expr_parse_operand(r, out))
		return false;
	while ((o = asm_expr_match_operator(r)) && o->level >= least) {
		const char *at = r->at;
		struct value right;
		r->at += strlen(o->name);
		if (!asm_expr_parse_binary(r, o->level + 1, &right))
			return false;
		if (o->level == 4) {
			if (!asm_expr_add_values(r, at, out, &right, *o->name == '-'))
				return false;
			continue;
		}
		if (!asm_expr_require_constant(r, at, out, o->name) ||
		    !asm_expr_require_constant(r, at, &right, o->name))
			return false;
		if ((*o->name == '/' || *o->name == '%') && right.add == 0)
			return asm_fault(r->a, at, "division by zero");
		out->add = asm_expr_compute_binary(o->name, out->add, right.add);
	}
	r->depth--;
	return true;
}

bool expr_parse(struct assembler *a, struct span s, struct value *out)
{
	struct reader r = {a, s.at, s.at + s.n, 0};
	if (!asm_expr_parse_binary(&r, 1, out))
		return false;
	asm_expr_skip_blanks(&r);
	return r.at == r.end || asm_fault(a, r.at, "'%.*s' is too much here",
	                                  (int)(r.end - r.at > 40 ? 40 : r.end - r.at), r.at);
}

/* Whether s is a device's name that Ripes defines. */
static bool expr_is_device(struct span s)
{
	static const char *const names[] = {"LED_MATRIX_", "SWITCHES_", "D_PAD_"};
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
		if (s.n > strlen(names[i]) && !memcmp(s.at, names[i], strlen(names[i])))
			return true;
	return false;
}

bool expr_constant(struct assembler *a, struct span s, int64_t *out)
{
	struct value v;
	if (!expr_parse(a, s, &v))
		return false;
	*out = v.add;
	if (!value_is_constant(&v) && expr_is_device(s))
		return asm_fault(a, s.at,
		                 "'%.*s' is a device of Ripes (LEDs, switches, buttons); this "
		                 "machine has none",
		                 (int)(s.n > 60 ? 60 : s.n), s.at);
	return value_is_constant(&v) ||
	       asm_fault(a, s.at,
	                 "a number that is known here is needed; '%.*s' is an address, or "
	                 "not defined yet",
	                 (int)(s.n > 60 ? 60 : s.n), s.at);
}
