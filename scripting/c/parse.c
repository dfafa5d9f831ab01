/* Grammar: C's expressions, with gdb's `a@4` and `{TYPE} ADDRESS`; `and`, `or`, `not` and `~=` are
 * accepted as well. Operators of both C and Lua, with the precedence of either. */
#include "scripting/c/parse.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"

void parse_skip(struct parser *p)
{
	p->s += strspn(p->s, " \t\r\n");
}

bool parse_word_char(char ch)
{
	return isalnum((unsigned char)ch) || ch == '_';
}

bool parse_word_start(char ch)
{
	return isalpha((unsigned char)ch) || ch == '_' || ch == '$';
}

bool parse_take(struct parser *p, const char *token)
{
	const size_t n = strlen(token);
	parse_skip(p);
	if (strncmp(p->s, token, n) != 0 || (parse_word_start(*token) && parse_word_char(p->s[n])))
		return false;
	p->s += n;
	return true;
}

uint16_t parse_fail(struct parser *p, const char *what)
{
	if (p->err)
		err_set(p->err, "%.200s: %.200s%s%.40s", p->text, what,
		        *p->s ? " before " : " at the end", p->s);
	p->err = NULL; /* keep the first reason */
	return PARSE_FAILED;
}

uint16_t parse_node(struct parser *p, enum c_op op, const char *from, unsigned args,
                    const uint16_t *arg)
{
	struct c_expr *e = p->e;
	for (unsigned i = 0; i < args; i++)
		if (arg[i] == PARSE_FAILED)
			return PARSE_FAILED;
	if (e->count == C_NODES_MAX)
		return parse_fail(p, "the expression is too long");
	struct c_node *grown = alloc_grow(e->nodes, e->count, &e->room, sizeof *grown, 8);
	if (!grown)
		return parse_fail(p, "out of memory");
	e->nodes = grown;
	struct c_node *n = &e->nodes[e->count];
	memset(n, 0, sizeof *n);
	n->op = op;
	n->args = (uint16_t)args;
	n->at = (uint16_t)(from - p->text);
	n->length = (uint16_t)(p->s - from);
	if (args)
		memcpy(n->arg, arg, args * sizeof *arg);
	return (uint16_t)e->count++;
}

uint16_t parse_leaf(struct parser *p, enum c_op op, const char *from, const char *word, size_t n)
{
	const uint16_t i = parse_node(p, op, from, 0, NULL);
	if (i != PARSE_FAILED && word && !(p->e->nodes[i].word = alloc_text_n(word, n)))
		return parse_fail(p, "out of memory");
	return i;
}

uint16_t parse_constant(struct parser *p, const char *from, struct c_value v)
{
	const uint16_t i = parse_node(p, C_NUMBER, from, 0, NULL);
	if (i != PARSE_FAILED)
		p->e->nodes[i].value = v;
	return i;
}

/* True for a node of a table in the words' own language: a text, a table, a key, a word. */
static bool c_parse_is_of_table(const struct c_node *n)
{
	return n->value.where == C_TEXT || n->op == C_LIST || n->op == C_ASSIGN ||
	       n->op == C_WORD || n->op == C_CALL;
}

/* Parses {4, 5, 6}: an array of numbers and variables; anything else is a table, and left to the
 * words' own language. */
static uint16_t c_parse_list(struct parser *p, const char *from)
{
	uint16_t pair[2] = {PARSE_FAILED, PARSE_FAILED};
	const bool was_c = p->is_c;
	p->depth++;
	p->brackets++;
	do {
		const size_t first = p->e->count;
		pair[1] = parse_expression(p);
		for (size_t i = first; pair[1] != PARSE_FAILED && i < p->e->count; i++)
			if (!p->assigned && c_parse_is_of_table(&p->e->nodes[i]))
				pair[1] = parse_fail(p, "an array in { } has numbers");
		pair[0] = pair[0] == PARSE_FAILED
		                  ? parse_node(p, C_LIST, from, 1, &pair[1])
		                  : parse_node(p, C_LIST, from, 2, pair);
	} while (pair[0] != PARSE_FAILED && parse_take(p, ","));
	p->brackets--;
	p->depth--;
	if (pair[0] != PARSE_FAILED && !parse_take(p, "}"))
		pair[0] = parse_fail(p, "a '}' is missing");
	if (pair[0] == PARSE_FAILED)
		p->is_c = was_c;
	else
		p->e->nodes[pair[0]].length = (uint16_t)(p->s - from);
	return pair[0];
}

/* Parses static_cast<TYPE>, reinterpret_cast<TYPE> and the others, all the same cast, as in gdb. */
static bool named_cast_here(struct parser *p, struct ctype *type)
{
	static const char *const casts[] = {"static_cast", "reinterpret_cast", "const_cast",
		                            "dynamic_cast"};
	const char *before = p->s;
	bool declared;
	for (unsigned i = 0; i < sizeof casts / sizeof *casts; i++) {
		const size_t n = strlen(casts[i]);
		if (strncmp(p->s, casts[i], n) != 0 || p->s[n] != '<')
			continue;
		p->s += n + 1;
		if (parse_type_name(p, type, &declared) && parse_take(p, ">")) {
			parse_skip(p);
			return true;
		}
		p->s = before;
	}
	return false;
}

static uint16_t c_parse_primary(struct parser *p)
{
	struct ctype type;
	parse_skip(p);
	const char *from = p->s;
	if (isdigit((unsigned char)*p->s) || (*p->s == '.' && isdigit((unsigned char)p->s[1])))
		return parse_number(p);
	if (*p->s == '"' || *p->s == '\'')
		return parse_quoted(p);
	const bool cast = p->e->cplus && named_cast_here(p, &type);
	if (!cast && (parse_word_start(*p->s) || !strncmp(p->s, "::", 2) ||
	              !strncmp(p->s, "(anonymous namespace)", 21)))
		return parse_name(p);
	if (!cast && parse_take(p, "{"))
		return c_parse_list(p, from);
	if (!parse_take(p, "("))
		return parse_fail(p, cast ? "a ( stands after a cast" : "a value is missing");
	p->depth++;
	p->brackets++;
	uint16_t i = parse_comma(p);
	p->brackets--;
	p->depth--;
	if (i != PARSE_FAILED && !parse_take(p, ")"))
		return parse_fail(p, "a ')' is missing");
	if (!cast || i == PARSE_FAILED)
		return i;
	p->computes = p->is_c = true;
	i = parse_node(p, C_CAST, from, 1, &i);
	if (i != PARSE_FAILED)
		p->e->nodes[i].type = type;
	return i;
}

static uint16_t c_parse_member(struct parser *p, enum c_op op, const char *from, uint16_t of)
{
	char text[256], name[128];
	if (!parse_plain_name(p, name, sizeof name))
		return parse_fail(p, "the name of a member is missing");
	/* A::x: the member of the base A. */
	size_t n = (size_t)snprintf(text, sizeof text, "%s", name);
	while (p->e->cplus && !strncmp(p->s, "::", 2)) {
		p->s += 2;
		if (!parse_plain_name(p, name, sizeof name) || n + strlen(name) + 3 > sizeof text)
			return parse_fail(p, "the name of a member is missing after ::");
		n += (size_t)snprintf(text + n, sizeof text - n, "::%s", name);
	}
	const uint16_t i = parse_node(p, op, from, 1, &of);
	if (i != PARSE_FAILED && !(p->e->nodes[i].word = alloc_text(text)))
		return parse_fail(p, "out of memory");
	return i;
}

/* Adds x++, ++x and kin. */
static uint16_t by_one(struct parser *p, enum c_op op, const char *from, uint16_t of, enum c_op sub)
{
	const uint16_t pair[2] = {of, parse_constant(p, from, c_integer(1, 4, true))};
	const uint16_t i = parse_node(p, op, from, 2, pair);
	p->e->assigns = true;
	if (i != PARSE_FAILED)
		p->e->nodes[i].sub = sub;
	return i;
}

/* Parses the arguments of a call of one of the program's functions. */
static uint16_t c_parse_invocation(struct parser *p, const char *from, uint16_t function)
{
	uint16_t pair[2] = {function, PARSE_FAILED}, argument[2];
	unsigned n = 0;
	parse_take(p, "(");
	p->depth++;
	p->brackets++;
	p->is_c = p->e->assigns = true;
	if (!parse_take(p, ")")) {
		do {
			argument[n ? 1 : 0] = parse_expression(p);
			argument[0] = parse_node(p, C_ARGUMENT, from, n ? 2 : 1, argument);
			n++;
		} while (argument[0] != PARSE_FAILED && parse_take(p, ","));
		if (argument[0] == PARSE_FAILED)
			return PARSE_FAILED;
		if (!parse_take(p, ")"))
			return parse_fail(p, "a ')' is missing");
		pair[1] = argument[0];
	}
	p->depth--;
	p->brackets--;
	return parse_node(p, C_INVOKE, from, n ? 2 : 1, pair);
}

static uint16_t c_parse_postfix(struct parser *p)
{
	parse_skip(p);
	const char *from = p->s;
	uint16_t i = c_parse_primary(p);
	while (i != PARSE_FAILED) {
		if (strncmp(p->s, "->*", 3) != 0 && parse_take(p, "->")) {
			p->is_c = true;
			i = c_parse_member(p, C_ARROW, from, i);
		} else if (parse_take(p, "[")) {
			p->depth++;
			p->brackets++;
			const uint16_t pair[2] = {i, parse_expression(p)};
			p->brackets--;
			p->depth--;
			if (pair[1] != PARSE_FAILED && !parse_take(p, "]"))
				return parse_fail(p, "a ']' is missing");
			i = parse_node(p, C_INDEX, from, 2, pair);
		} else if (*p->s == '.' && p->s[1] != '.' && p->s[1] != '*') {
			p->s++;
			i = c_parse_member(p, C_MEMBER, from, i);
		} else if (*p->s == '(') {
			i = c_parse_invocation(p, from, i);
		} else if (parse_take(p, "++") || parse_take(p, "--")) {
			i = by_one(p, C_AFTER, from, i, p->s[-1] == '+' ? C_ADD : C_SUB);
		} else {
			return i;
		}
	}
	return i;
}

/* Parses "[3]", "[]" after a type, whose array *type becomes; the count of "[]" is not known. */
static void c_parse_array_suffix(struct parser *p, struct ctype *type)
{
	const char *before = p->s;
	char *end;
	if (!parse_take(p, "["))
		return;
	const uint64_t n = strtoull(p->s, &end, 0);
	const bool known = end > p->s;
	p->s = end;
	if (!parse_take(p, "]") || (known && !n)) {
		p->s = before;
		return;
	}
	*type = ctype_array_of(*type, known ? n : 1);
	type->count_known = known;
}

/* Parses "(TYPE)", "(TYPE[3])", "(TYPE[])". */
static bool cast_here(struct parser *p, struct ctype *type)
{
	const char *before = p->s;
	bool declared;
	if (!parse_take(p, "("))
		return false;
	const bool named = parse_type_name(p, type, &declared);
	if (named)
		c_parse_array_suffix(p, type);
	if (named && parse_take(p, ")")) {
		p->is_c |= declared;
		return true;
	}
	p->s = before;
	return false;
}

/* Parses {TYPE}; false: something else. */
static bool c_parse_braced_type(struct parser *p, struct ctype *type)
{
	const char *before = p->s;
	bool declared;
	if (parse_take(p, "{") && parse_type_name(p, type, &declared) && parse_take(p, "}"))
		return true;
	p->s = before;
	return false;
}

/* Parses the ADDRESS of {TYPE} ADDRESS, a value of that type at the address. */
static uint16_t c_parse_typed_memory(struct parser *p, const char *from, struct ctype type)
{
	p->is_c = true;
	uint16_t i = parse_unary(p);
	i = parse_node(p, C_CAST, from, 1, &i);
	if (i == PARSE_FAILED)
		return i;
	p->e->nodes[i].type = ctype_pointer_to(type);
	return parse_node(p, C_FOLLOW, from, 1, &i);
}

static uint16_t unary_here(struct parser *p)
{
	static const struct {
		const char *token;
		enum c_op op;
	} operators[] = {{"!", C_NOT},    {"not", C_NOT},  {"-", C_NEGATE}, {"+", C_PLUS},
	                 {"~", C_INVERT}, {"*", C_FOLLOW}, {"&", C_ADDRESS}};
	parse_skip(p);
	const char *from = p->s;
	struct ctype type;
	uint16_t i;
	if (c_parse_braced_type(p, &type))
		return c_parse_typed_memory(p, from, type);
	if (parse_take(p, "sizeof")) {
		p->computes = true;
		if (cast_here(p, &type)) {
			p->is_c = true;
			return parse_constant(p, from, c_integer(type.size, 8, false));
		}
		i = parse_unary(p);
		return parse_node(p, C_SIZEOF, from, 1, &i);
	}
	if (parse_take(p, "++") || parse_take(p, "--")) {
		const enum c_op sub = p->s[-1] == '+' ? C_ADD : C_SUB;
		return by_one(p, C_ASSIGN, from, parse_unary(p), sub);
	}
	if (*p->s == '(' && cast_here(p, &type)) {
		p->computes = true;
		i = parse_unary(p);
		i = parse_node(p, C_CAST, from, 1, &i);
		if (i != PARSE_FAILED)
			p->e->nodes[i].type = type;
		return i;
	}
	for (unsigned k = 0; k < sizeof operators / sizeof *operators; k++) {
		if ((*p->s == '~' && p->s[1] == '=') || !parse_take(p, operators[k].token))
			continue;
		i = parse_unary(p);
		p->is_c |= operators[k].op == C_ADDRESS;
		p->computes |= operators[k].op == C_FOLLOW || operators[k].op == C_NOT;
		/* `*(u32)ADDRESS` reads that type, as `*(u32 *)ADDRESS` does. */
		if (i != PARSE_FAILED && operators[k].op == C_FOLLOW &&
		    p->e->nodes[i].op == C_CAST && p->e->nodes[i].type.kind != CTYPE_POINTER)
			p->e->nodes[i].type = ctype_pointer_to(p->e->nodes[i].type);
		return parse_node(p, operators[k].op, from, 1, &i);
	}
	return c_parse_postfix(p);
}

uint16_t parse_unary(struct parser *p)
{
	if (p->depth >= C_DEPTH_MAX)
		return parse_fail(p, "the expression is nested too deeply");
	p->depth++;
	const uint16_t i = p->lua ? parse_lua_operand(p) : unary_here(p);
	p->depth--;
	return i;
}

struct binary {
	const char *token;
	const char *not_before; /* following characters that make another token */
	enum c_op op;
	unsigned binds;
};

static const struct binary binaries[] = {
	{"||", "", C_EITHER, 1}, {"or", "", C_EITHER, 1}, {"&&", "", C_BOTH, 2},
	{"and", "", C_BOTH, 2},  {"|", "|=", C_OR, 3},    {"^", "=", C_XOR, 4},
	{"&", "&=", C_AND, 5},   {"==", "", C_EQ, 6},     {"!=", "", C_NE, 6},
	{"~=", "", C_NE, 6},     {"<=", "", C_LE, 7},     {">=", "", C_GE, 7},
	{"<", "<=", C_LT, 7},    {">", ">=", C_GT, 7},    {"<<", "=", C_SHL, 8},
	{">>", "=", C_SHR, 8},   {"@", "", C_SPAN, 9},    {"+", "+=", C_ADD, 10},
	{"-", "-=>", C_SUB, 10}, {"*", "=", C_MUL, 11},   {"/", "/=", C_DIV, 11},
	{"%", "=", C_MOD, 11},   {".*", "", C_OF_MEMBER, 12}, {"->*", "", C_OF_MEMBER, 12},
};

/* Lua's: `//` is C_DIV, and rounds downwards. */
static const struct binary lua_binaries[] = {
	{"or", "", C_EITHER, 1}, {"and", "", C_BOTH, 2},  {"==", "", C_EQ, 3},
	{"~=", "", C_NE, 3},     {"!=", "", C_NE, 3},     {"<=", "", C_LE, 3},
	{">=", "", C_GE, 3},     {"<", "<", C_LT, 3},     {">", ">", C_GT, 3},
	{"|", "", C_OR, 4},      {"~", "=", C_XOR, 5},     {"&", "", C_AND, 6},
	{"<<", "", C_SHL, 7},    {">>", "", C_SHR, 7},    {"+", "", C_ADD, 8},
	{"-", "-", C_SUB, 8},    {"//", "", C_DIV, 9},    {"*", "", C_MUL, 9},
	{"%", "", C_MOD, 9},
};

static const struct binary *binary_here(struct parser *p, unsigned least)
{
	const struct binary *const all = p->lua ? lua_binaries : binaries;
	const size_t count = p->lua ? sizeof lua_binaries / sizeof *lua_binaries
	                            : sizeof binaries / sizeof *binaries;
	parse_skip(p);
	for (size_t i = 0; i < count; i++) {
		const struct binary *b = &all[i];
		const size_t n = strlen(b->token);
		if (b->binds < least || strncmp(p->s, b->token, n) != 0 ||
		    (p->s[n] && strchr(b->not_before, p->s[n])) ||
		    (parse_word_start(*b->token) && parse_word_char(p->s[n])))
			continue;
		p->s += n;
		p->computes |= b->op == C_DIV || b->op == C_MOD || b->op == C_SHR ||
		               b->op == C_AND || b->op == C_OR || b->op == C_XOR ||
		               b->op == C_BOTH || b->op == C_EITHER;
		return b;
	}
	return NULL;
}

static uint16_t c_parse_binary(struct parser *p, unsigned least)
{
	parse_skip(p);
	const char *from = p->s;
	const struct binary *b;
	uint16_t i = parse_unary(p);
	while (i != PARSE_FAILED && (b = binary_here(p, least))) {
		const uint16_t pair[2] = {i, c_parse_binary(p, b->binds + 1)};
		i = parse_node(p, b->op, from, 2, pair);
	}
	return i;
}

uint16_t parse_operators(struct parser *p)
{
	return c_parse_binary(p, 1);
}

/* Parses `=` with the operator before it; *sub is C_ASSIGN if none. False: no assignment. */
static bool assignment_here(struct parser *p, enum c_op *sub)
{
	static const struct {
		const char *token;
		enum c_op op;
	} all[] = {{"<<=", C_SHL}, {">>=", C_SHR}, {"+=", C_ADD},  {"-=", C_SUB},
	           {"*=", C_MUL},  {"/=", C_DIV},  {"%=", C_MOD},  {"&=", C_AND},
	           {"^=", C_XOR},  {"|=", C_OR},   {"=", C_ASSIGN}};
	parse_skip(p);
	if (p->s[0] == '=' && p->s[1] == '=')
		return false;
	for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
		if (parse_take(p, all[i].token)) {
			*sub = all[i].op;
			return true;
		}
	return false;
}

static uint16_t c_parse_conditional(struct parser *p);

uint16_t parse_expression(struct parser *p)
{
	enum c_op sub;
	parse_skip(p);
	const char *from = p->s;
	const uint16_t to = c_parse_conditional(p);
	if (to == PARSE_FAILED || !assignment_here(p, &sub))
		return to;
	if (p->depth >= C_DEPTH_MAX)
		return parse_fail(p, "the expression is nested too deeply");
	const bool before = p->assigned;
	p->depth++;
	p->assigned = true;
	const uint16_t pair[2] = {to, parse_expression(p)};
	p->assigned = before;
	p->depth--;
	const uint16_t i = parse_node(p, C_ASSIGN, from, 2, pair);
	p->e->assigns = p->computes = true;
	if (i != PARSE_FAILED)
		p->e->nodes[i].sub = sub;
	return i;
}

uint16_t parse_comma(struct parser *p)
{
	parse_skip(p);
	const char *from = p->s;
	uint16_t i = parse_expression(p);
	while (i != PARSE_FAILED && parse_take(p, ",")) {
		const uint16_t pair[2] = {i, parse_expression(p)};
		i = parse_node(p, C_COMMA, from, 2, pair);
	}
	return i;
}

static uint16_t c_parse_conditional(struct parser *p)
{
	parse_skip(p);
	const char *from = p->s;
	uint16_t i = parse_operators(p);
	if (i == PARSE_FAILED || !parse_take(p, "?"))
		return i;
	p->computes = true;
	if (p->depth >= C_DEPTH_MAX)
		return parse_fail(p, "the expression is nested too deeply");
	p->depth++;
	uint16_t three[3] = {i, parse_expression(p), PARSE_FAILED};
	if (three[1] != PARSE_FAILED && !parse_take(p, ":"))
		return parse_fail(p, "a ':' is missing");
	three[2] = three[1] == PARSE_FAILED ? PARSE_FAILED : parse_expression(p);
	p->depth--;
	return parse_node(p, C_CHOOSE, from, 3, three);
}
