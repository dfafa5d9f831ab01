/* Operands of expressions: numbers, texts, and the resolution of names. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "loader/dwarf/qualified.h"
#include "loader/dwarf/scoped.h"
#include "scripting/c/parse.h"
#include "scripting/expr/expr_text.h"

static uint16_t c_parse_qualified_name(struct parser *p, const char *from, const char *scope);

/* ---- literals ---- */
static struct c_value integer_literal(uint64_t v, bool decimal, const char *suffix, size_t n)
{
	bool is_unsigned = memchr(suffix, 'u', n) || memchr(suffix, 'U', n),
	     is_long = memchr(suffix, 'l', n) || memchr(suffix, 'L', n);
	if (v > INT32_MAX && (v > UINT32_MAX || (decimal && !is_unsigned)))
		is_long = true;
	else if (v > INT32_MAX && !decimal)
		is_unsigned |= !is_long;
	is_unsigned |= v > INT64_MAX;
	return c_integer(v, is_long ? 8 : 4, !is_unsigned);
}

/* Parses 1.5, 1.5f, 1.5L; *end is moved after it. */
static struct c_value real_literal(const char *from, char **end)
{
	const char suffix = **end;
	const bool single = suffix == 'f' || suffix == 'F', large = suffix == 'l' || suffix == 'L';
	char *behind;
	*end += single || large;
	return large ? c_float(quad_read(from, &behind), QUAD_BYTES)
	             : c_float((quad)strtod(from, &behind), single ? 4 : 8);
}

/* 2i, 1.5i: the number, or v if it is an integer, as an imaginary number. */
static struct c_value c_parse_imaginary_value(const struct c_value *number, double v)
{
	const struct c_value real =
		number->type.kind == CTYPE_FLOAT ? *number : c_double(v);
	const struct c_value part[2] = {c_float(0, (unsigned)real.type.size), real};
	return c_complex(part);
}

uint16_t parse_number(struct parser *p)
{
	static const char too_large[] = "a number of more than 64 bits";
	const char *from = p->s;
	char digits[64], *end, *real_end;
	const size_t grouped = p->brackets ? 0 : expr_grouped_number(from);
	if (grouped) {
		size_t n = 0;
		for (size_t i = 0; i < grouped && n + 1 < sizeof digits; i++)
			if (from[i] != ',')
				digits[n++] = from[i];
		digits[n] = '\0';
		errno = 0;
		const uint64_t v = strtoull(digits, NULL, 10);
		p->s += grouped;
		if (errno)
			return parse_fail(p, too_large);
		return parse_constant(p, from, integer_literal(v, true, "", 0));
	}
	const bool binary = from[0] == '0' && (from[1] == 'b' || from[1] == 'B');
	errno = 0;
	const uint64_t v = binary ? strtoull(from + 2, &end, 2) : strtoull(from, &end, 0);
	const bool large = errno == ERANGE;
	strtod(from, &real_end);
	struct c_value made;
	const bool real = !binary && real_end > end &&
	                  !(from[0] == '0' && strspn(from, "0123456789") ==
	                                              (size_t)(real_end - from));
	const bool empty = binary && end == from + 2,
	           digit = !real && (*end == '8' || *end == '9');
	p->is_c |= empty || digit || (large && !real); /* not Lua, which takes them */
	if (large && !real) {
		p->s = end;
		return parse_fail(p, too_large);
	}
	if (empty)
		return parse_fail(p, "this is no number:");
	if (digit && !binary) {
		p->s = end;
		return parse_fail(p, "it begins with 0 and is octal, with digits 0 to 7:");
	}
	if (real) {
		made = real_literal(from, &real_end);
		p->s = real_end;
	} else {
		const size_t suffix = strspn(end, "uUlL");
		made = integer_literal(v, from[0] != '0', end, suffix);
		p->s = end + suffix;
	}
	if (*p->s == 'i' && !parse_word_char(p->s[1])) {
		p->s++;
		made = c_parse_imaginary_value(&made, (double)v);
	}
	return parse_word_char(*p->s) ? parse_fail(p, "this is no number:")
	                              : parse_constant(p, from, made);
}

/* Reads a character of a literal at *s, and moves *s after it. */
static unsigned c_parse_escaped_char(const char **s)
{
	static const char letters[] = "abfnrtve", meant[] = "\a\b\f\n\r\t\v\033";
	const char *at;
	char *end;
	if (**s != '\\')
		return (unsigned char)*(*s)++;
	const char ch = *++*s;
	if (ch && (at = strchr(letters, ch))) {
		++*s;
		return (unsigned char)meant[at - letters];
	}
	if (ch >= '0' && ch <= '7') {
		unsigned v = 0;
		for (int i = 0; i < 3 && **s >= '0' && **s <= '7'; i++)
			v = 8 * v + (unsigned)(*(*s)++ - '0');
		return v & 0xff;
	}
	if (ch == 'x') {
		const unsigned long v = strtoul(*s + 1, &end, 16);
		*s = end;
		return (unsigned)v & 0xff;
	}
	*s += ch != '\0';
	return (unsigned char)ch;
}

/* Moves into a following text in quotes, if there is one. */
static bool next_quoted(struct parser *p)
{
	const char *at = p->s + strspn(p->s, " \t");
	if (*at != '"')
		return false;
	p->s = at + 1;
	return true;
}

/* Parses quotes. A single character in single quotes is its code; anything else in quotes is a
 * text, as in the words' own language. */
uint16_t parse_quoted(struct parser *p)
{
	const char *from = p->s, quote = *p->s++;
	struct c_value v = {.where = C_TEXT, .reg = -1};
	size_t n = 0;
	do {
		while (*p->s && *p->s != quote) {
			const unsigned ch = c_parse_escaped_char(&p->s);
			if (n + 1 == sizeof v.text)
				return parse_fail(p, "a text has at most 127 characters");
			v.text[n++] = (char)ch;
		}
		if (*p->s != quote)
			return parse_fail(p, "the text isn't closed");
		p->s++;
		/* Adjacent texts are joined, as "two" "texts". */
	} while (quote == '"' && next_quoted(p));
	if (quote == '\'' && !strncmp(p->s, "::", 2)) {
		char scope[sizeof v.text];
		memcpy(scope, v.text, sizeof scope);
		p->s += 2;
		return c_parse_qualified_name(p, from, scope);
	}
	if (quote == '\'' && !n && !p->lua && !p->calls)
		return parse_fail(p, "a character constant has at least one character");
	if (quote == '"')
		v.type = ctype_array_of(ctype_made(CTYPE_CHAR, 1, false), n + 1);
	if (quote == '\'' && n == 1) {
		const char ch = v.text[0];
		v = c_integer((unsigned char)ch, 1, false);
		v.type = ctype_made(CTYPE_CHAR, 1, false);
		v.text[0] = ch;
	}
	return parse_constant(p, from, v);
}

/* Length of "geo::Stack<int, 8>::used" at s, which has at least one `::` or template arguments; 0:
 * none here. */
static size_t scoped_here(const char *s, unsigned components)
{
	static const char anonymous[] = "(anonymous namespace)";
	size_t n = 0;
	bool scoped = !strncmp(s, "::", 2);
	n += scoped ? 2 : 0;
	for (unsigned i = 0; i < components; i++) {
		const size_t from = n;
		if (!strncmp(s + n, anonymous, sizeof anonymous - 1))
			n += sizeof anonymous - 1;
		n += s[n] == '~';
		while (parse_word_char(s[n]))
			n++;
		if (n == from)
			return 0;
		if (s[n] == '<' && s[n + 1] != '<' && s[n + 1] != '=') {
			unsigned depth = 0;
			size_t end = n;
			do {
				depth += strchr("<(", s[end]) != NULL;
				depth -= strchr(">)", s[end]) != NULL;
				end++;
			} while (depth && s[end]);
			/* Otherwise `<` is less-than. */
			if (!depth && s[end - 1] == '>') {
				n = end;
				scoped = true;
			}
		}
		if (strncmp(s + n, "::", 2) != 0)
			return scoped ? n : 0;
		n += 2;
		scoped = true;
	}
	return 0;
}

bool parse_scoped_name(struct parser *p, char *name, size_t n)
{
	enum { COMPONENTS_MAX = 16 };
	const size_t k = scoped_here(p->s, COMPONENTS_MAX);
	if (!k || k >= n)
		return false;
	memcpy(name, p->s, k);
	name[k] = '\0';
	p->s += k;
	return true;
}

bool parse_plain_name(struct parser *p, char *name, size_t n)
{
	size_t k = 0;
	parse_skip(p);
	if (!parse_word_start(*p->s) || *p->s == '$')
		return false;
	while (parse_word_char(p->s[k]))
		k++;
	snprintf(name, n, "%.*s", (int)k, p->s);
	p->s += k;
	return true;
}

/* ---- names ---- */
/* Text after the bracket that closes the one at s; NULL if that is never closed. */
static const char *behind_bracket(const char *s)
{
	const char *const from = s;
	int depth = 0;
	for (; *s; s++) {
		if (*s == '"' || *s == '\'') {
			const char *close = strchr(s + 1, *s);
			if (!close)
				return NULL;
			s = close;
		}
		/* A function's only argument may be a text without brackets: sym 'end'. */
		if (!depth && s != from)
			return s;
		depth += strchr("([", *s) != NULL;
		if (strchr(")]", *s) && --depth == 0)
			return s + 1;
	}
	return depth || s == from ? NULL : s;
}

/* True if a quoted text follows: only functions of the inspector take one without brackets. */
static bool gives_text(const struct parser *p)
{
	const char *s = p->s + strspn(p->s, " \t");
	return *s == '"' || *s == '\'';
}

/* Parses a word of the inspector to the end of its suffixes: "rob[1].state",
 * "view.ras[1].returns_to". */
static uint16_t c_parse_inspector_word(struct parser *p, const char *from)
{
	for (;;) {
		if (*p->s == '.' && parse_word_start(p->s[1])) {
			for (p->s++; parse_word_char(*p->s);)
				p->s++;
		} else if (*p->s == '[' || *p->s == '(' || gives_text(p)) {
			p->s += strspn(p->s, " \t");
			const char *end = behind_bracket(p->s);
			if (!end)
				return parse_fail(p, "a bracket isn't closed");
			p->s = end;
		} else {
			break;
		}
	}
	const char *name = from + (*from == '$');
	return parse_leaf(p, C_WORD, from, name, (size_t)(p->s - name));
}

/* Parses a call of an inspector's function. Arguments are C (str(node->name)), unless their only
 * names are the program's globals, which then mean addresses: mem64(table + 8). */
static uint16_t c_parse_inspector_call(struct parser *p, const char *from, const char *name)
{
	uint16_t arg[C_ARGS_MAX];
	unsigned args = 0;
	const bool before = p->is_c, computed = p->computes;
	parse_take(p, "(");
	p->depth++;
	p->brackets++;
	p->calls++;
	p->is_c = p->computes = false;
	if (!parse_take(p, ")")) {
		do {
			if (args == C_ARGS_MAX)
				return parse_fail(p, "too many arguments");
			arg[args++] = parse_expression(p);
			if (arg[args - 1] == PARSE_FAILED)
				return PARSE_FAILED;
		} while (parse_take(p, ","));
		if (!parse_take(p, ")"))
			return parse_fail(p, "a ')' is missing");
	}
	p->depth--;
	p->brackets--;
	p->calls--;
	const bool given_c = p->is_c || p->computes || *from == '$';
	p->is_c |= *from == '$';
	p->is_c |= before;
	p->computes |= computed;
	if (!given_c)
		return c_parse_inspector_word(p, from);
	const uint16_t i = parse_node(p, C_CALL, from, args, arg);
	if (i != PARSE_FAILED && !(p->e->nodes[i].word = alloc_text(name)))
		return parse_fail(p, "out of memory");
	return i;
}

static uint16_t c_parse_variable_node(struct parser *p, const char *from,
                                      const struct scope_name *found)
{
	const uint16_t i = parse_node(p, C_VARIABLE, from, 0, NULL);
	if (found->kind != SCOPE_FUNCTION)
		p->is_c |= !p->calls || found->function.addr;
	p->e->needs_frame |= found->function.addr != NULL;
	if (i != PARSE_FAILED)
		p->e->nodes[i].name = *found;
	return i;
}

/* Parses the NAME of SCOPE::NAME, after the `::`. */
static uint16_t c_parse_qualified_name(struct parser *p, const char *from, const char *scope)
{
	struct scope_name found;
	char name[128], why[200];
	p->is_c = true;
	if (!parse_plain_name(p, name, sizeof name))
		return parse_fail(p, "a name is missing after ::");
	switch (scope_find_qualified(p->e->program, parse_chain(p), scope, name, &found)) {
	case QUALIFIED_NO_SCOPE:
		snprintf(why, sizeof why,
		         "no function and no source file is called '%.80s':", scope);
		return parse_fail(p, why);
	case QUALIFIED_NO_NAME:
		snprintf(why, sizeof why, "'%.80s' has no variable '%.80s':", scope, name);
		return parse_fail(p, why);
	case QUALIFIED_FOUND:
		break;
	}
	const bool needed = p->e->needs_frame;
	const uint16_t i = c_parse_variable_node(p, from, &found);
	p->e->needs_frame = needed;
	if (i != PARSE_FAILED)
		p->e->nodes[i].qualified = true;
	return i;
}

/* Parses "words.c::", "main::" or "geo::sum::". */
static bool scope_here(struct parser *p, char *scope, size_t n)
{
	size_t k = 0, last = 0;
	while (parse_word_char(p->s[k]) || (p->s[k] == '.' && k && !last) ||
	       (k && !strncmp(p->s + k, "::", 2))) {
		last = p->s[k] == ':' ? k : last;
		k += p->s[k] == ':' ? 2 : 1;
	}
	if (!last || last >= n)
		return false;
	snprintf(scope, n, "%.*s", (int)last, p->s);
	p->s += last + 2;
	return true;
}

/* Parses $, $$, $$3, $7, $i, $a0; false if a register is meant. */
static bool c_parse_dollar(struct parser *p, uint16_t *out)
{
	const char *from = p->s;
	const size_t stars = from[1] == '$' ? 2 : 1, digits = strspn(from + stars, "0123456789");
	size_t n = stars;
	char name[128];
	while (parse_word_char(from[n]))
		n++;
	snprintf(name, sizeof name, "%.*s", (int)(n - stars), from + stars);
	if (digits == n - stars) {
		p->s += n;
		p->is_c = true;
		*out = parse_node(p, C_HISTORY, from, 0, NULL);
		if (*out != PARSE_FAILED) {
			struct c_value *v = &p->e->nodes[*out].value;
			v->addr = digits ? strtoull(name, NULL, 10) : stars - 1;
			v->bit_size = stars == 2 || !digits;
		}
		return true;
	}
	const struct c_words *w = &p->e->words;
	if (stars == 1 && (w->is_register(w->ctx, name) || w->is_word(w->ctx, name, from[n])))
		return false;
	p->s += n;
	p->is_c = true;
	*out = parse_leaf(p, C_CONVENIENCE, from, name, strlen(name));
	return true;
}

/* Adds a member of the method's object, without `this->`; PARSE_FAILED without a reason: there is
 * no such member. */
static uint16_t own_member(struct parser *p, const char *from, const char *name)
{
	struct scope_name object;
	struct cmember m;
	if (!p->has_chain || !scope_find_local(&p->chain, "this", &object))
		return PARSE_FAILED;
	Dwarf_Die die = object.die;
	const struct ctype pointer = ctype_of(&die), class = ctype_target(&pointer);
	if (pointer.kind != CTYPE_POINTER || !ctype_member_named(&class, name, &m))
		return PARSE_FAILED;
	const uint16_t of = c_parse_variable_node(p, from, &object);
	const uint16_t i = parse_node(p, C_ARROW, from, 1, &of);
	if (i != PARSE_FAILED && !(p->e->nodes[i].word = alloc_text(name)))
		return parse_fail(p, "out of memory");
	return i;
}

/* Whether "d.A" before a `::` is a variable and its member's class, not a source file. */
static bool is_object(struct parser *p, const char *text)
{
	char object[128];
	struct scope_name found;
	const size_t n = strcspn(text, ".");
	if (!p->e->cplus || !text[n] || n >= sizeof object)
		return false;
	snprintf(object, sizeof object, "%.*s", (int)n, text);
	return scope_find(p->e->program, parse_chain(p), object, &found) &&
	       scope_find_qualified(p->e->program, parse_chain(p), text, object, &found) ==
	               QUALIFIED_NO_SCOPE;
}

uint16_t parse_name(struct parser *p)
{
	const char *from = p->s;
	struct scope_name found;
	char text[128], quoted_name[128], scoped[SCOPED_MAX];
	uint16_t own_value;
	if (!p->no_variables && parse_scoped_name(p, scoped, sizeof scoped)) {
		if (scope_find(p->e->program, parse_chain(p), scoped, &found))
			return c_parse_variable_node(p, from, &found);
		p->s = from;
	}
	if (scope_here(p, text, sizeof text) && !is_object(p, text))
		return c_parse_qualified_name(p, from, text);
	p->s = from;
	if (*from == '$' && c_parse_dollar(p, &own_value))
		return own_value;
	size_t n = *from == '$';
	while (parse_word_char(from[n]))
		n++;
	p->s += n;
	snprintf(text, sizeof text, "%.*s", (int)(n - (*from == '$')), from + (*from == '$'));
	if (!strcmp(text, "var") && *p->s == '.') {
		p->s++;
		p->is_c = true;
		if (!parse_plain_name(p, quoted_name, sizeof quoted_name) ||
		    !scope_find(p->e->program, parse_chain(p), quoted_name, &found))
			return parse_fail(p, "the program has no such variable here:");
		return c_parse_variable_node(p, from, &found);
	}
	if (!strcmp(text, "true") || !strcmp(text, "false")) {
		struct c_value truth = c_integer(*text == 't', 4, true);
		truth.truth = true;
		return parse_constant(p, from, truth);
	}
	const char next = p->s[strspn(p->s, " \t")];
	/* The program's names hide the inspector's, but functions' names only where they are not
	 * called. */
	const bool calls = next == '(' && p->e->words.is_word(p->e->words.ctx, text, next) &&
	                   !p->e->words.is_register(p->e->words.ctx, text);
	if (*from != '$' && !p->no_variables &&
	    (calls ? p->has_chain && scope_find_local(&p->chain, text, &found)
	           : p->e->words.is_word(p->e->words.ctx, text, next) &&
	                     scope_find(p->e->program, parse_chain(p), text, &found) &&
	                     found.kind != SCOPE_TYPE))
		return c_parse_variable_node(p, from, &found);
	if (p->e->cplus && *from != '$' && !p->no_variables) {
		if (!strcmp(text, "nullptr"))
			return parse_constant(p, from, c_integer(0, 8, true));
		const uint16_t member = own_member(p, from, text);
		if (member != PARSE_FAILED)
			return member;
	}
	const bool own = *from == '$' || p->e->words.is_word(p->e->words.ctx, text, next);
	if (own && next == '(' && (*from != '$' || *text == '_'))
		return c_parse_inspector_call(p, from, text);
	/* Names of the whole program as single arguments of functions are addresses. */
	if (!own && !p->no_variables && scope_find(p->e->program, parse_chain(p), text, &found) &&
	    (next != '(' || found.kind != SCOPE_TYPE))
		return c_parse_variable_node(p, from, &found);
	uint64_t addr, size;
	if (!own && !p->no_variables && next == '(' && *from != '$' &&
	    p->e->words.symbol(p->e->words.ctx, text, &addr, &size))
		return parse_leaf(p, C_WORD, from, text, strlen(text));
	return c_parse_inspector_word(p, from);
}
