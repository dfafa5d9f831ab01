/* Lua's operands that can be evaluated without Lua: numbers, texts and words, for conditions on
 * events. Rejects other operands; Lua then decides whether the text is an expression. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "scripting/c/parse.h"
#include "scripting/expr/expr_text.h"

static uint16_t parse_lua_number(struct parser *p)
{
	const char *from = p->s, *s = p->s;
	const bool hex = s[0] == '0' && (s[1] == 'x' || s[1] == 'X');
	size_t n = hex ? 2 + strspn(s + 2, "0123456789abcdefABCDEF") : strspn(s, "0123456789");
	uint64_t v = 0;
	const bool real = !hex && p->suffixes && s[n] == '.' && isdigit((unsigned char)s[n + 1]);
	if (real)
		n += 1 + strspn(s + n + 1, "0123456789");
	if ((hex && n == 2) || parse_word_char(s[n]) || s[n] == '.')
		return parse_fail(p, "this number is Lua's:");
	for (size_t i = hex ? 2 : 0; i < n && !real; i++) {
		const unsigned digit = isdigit((unsigned char)s[i])
		                               ? (unsigned)(s[i] - '0')
		                               : (unsigned)(tolower(s[i]) - 'a') + 10;
		/* A decimal number that is too large is a float. */
		if (!hex && v > ((uint64_t)INT64_MAX - digit) / 10)
			return parse_fail(p, "this number is Lua's:");
		v = v * (hex ? 16 : 10) + digit;
	}
	p->s += n;
	return parse_constant(p, from, real ? c_double(strtod(from, NULL)) : c_integer(v, 8, true));
}

static uint16_t parse_lua_text(struct parser *p)
{
	const char *from = p->s, quote = *p->s;
	const size_t n = strcspn(from + 1, quote == '"' ? "\"\\\r\n" : "'\\\r\n");
	struct c_value v = {.where = C_TEXT, .reg = -1};
	if (from[1 + n] != quote || n >= sizeof v.text)
		return parse_fail(p, "this text is Lua's:");
	memcpy(v.text, from + 1, n);
	p->s += n + 2;
	return parse_constant(p, from, v);
}

/* Skips "[1]" and ".name". */
static void parse_lua_skip_suffixes(struct parser *p)
{
	for (;;) {
		const size_t digits = *p->s == '[' ? strspn(p->s + 1, "0123456789") : 0;
		if (digits && p->s[1 + digits] == ']')
			p->s += digits + 2;
		else if (*p->s == '.' && parse_word_char(p->s[1]))
			for (p->s++; parse_word_char(*p->s);)
				p->s++;
		else
			return;
	}
}

static uint16_t parse_lua_word(struct parser *p)
{
	const char *from = p->s, *name = from + (*from == '$'); /* C programmers write $a0 */
	size_t n = 0;
	while (parse_word_char(name[n]))
		n++;
	if (!n || isdigit((unsigned char)*name) || name[n] == '$')
		return parse_fail(p, "a value is missing");
	p->s = name + n;
	if (n == 3 && !strncmp(name, "nil", n))
		return parse_constant(p, from,
		                      (struct c_value){.where = C_TEXT, .reg = -1, .nil = true});
	const bool yes = n == 4 && !strncmp(name, "true", n);
	if (yes || (n == 5 && !strncmp(name, "false", n))) {
		struct c_value truth = c_integer(yes, 8, true);
		truth.truth = true;
		return parse_constant(p, from, truth);
	}
	if (p->suffixes)
		parse_lua_skip_suffixes(p);
	if (*p->s == '.' && p->s[1] != '.')
		return parse_fail(p, "its members exist only in Lua:");
	return parse_leaf(p, C_WORD, from, name, (size_t)(p->s - name));
}

uint16_t parse_lua_operand(struct parser *p)
{
	static const struct {
		const char *token;
		enum c_op op;
	} operators[] = {{"not", C_NOT}, {"-", C_NEGATE}, {"~", C_INVERT}};
	parse_skip(p);
	const char *from = p->s;
	if (!strncmp(from, "--", 2))
		return parse_fail(p, "a comment");
	for (size_t k = 0; k < sizeof operators / sizeof *operators; k++) {
		if (!strncmp(from, "~=", 2) || !parse_take(p, operators[k].token))
			continue;
		const uint16_t i = parse_unary(p);
		return parse_node(p, operators[k].op, from, 1, &i);
	}
	if (parse_take(p, "(")) {
		const uint16_t i = parse_operators(p);
		return i == PARSE_FAILED || parse_take(p, ")") ? i
		                                               : parse_fail(p, "a ')' is missing");
	}
	if (*from == '"' || *from == '\'')
		return parse_lua_text(p);
	return isdigit((unsigned char)*from) ? parse_lua_number(p) : parse_lua_word(p);
}

struct c_expr *c_parse_lua(const char *text, bool suffixes, bool *whole, struct err *err)
{
	struct err why = {{0}};
	*whole = false;
	if (strlen(text) > EXPR_TEXT_MAX)
		return err_set(err, "the condition is too long to run without Lua"), NULL;
	struct c_expr *e = alloc_zeroed(1, sizeof *e);
	if (!e || !(e->text = alloc_text(text))) {
		free(e);
		return err_set(err, "out of memory for a condition"), NULL;
	}
	struct parser p = {.e = e,
	                   .text = e->text,
	                   .s = e->text,
	                   .lua = true,
	                   .suffixes = suffixes,
	                   .err = &why};
	e->root = parse_operators(&p);
	parse_skip(&p);
	if (e->root != PARSE_FAILED && *p.s)
		e->root = parse_fail(&p, "the expression ends");
	*whole = e->root != PARSE_FAILED;
	if (!*whole)
		err_set(err, "%s", why.msg);
	return e;
}
