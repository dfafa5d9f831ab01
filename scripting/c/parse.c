/* The grammar is C's of expressions without assignments and commas; `and`, `or`, `not` and `~=` are
 * read as well. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scripting/c/node.h"
#include "scripting/expr/expr_text.h"

struct parser {
	struct c_expr *e;
	const char *text, *s;
	struct scope_chain chain;
	bool has_chain;
	bool is_c;      /* there is something that only C can read */
	unsigned calls; /* of the inspector's functions, that are open */
	unsigned depth;
	struct err *err;
};


static uint16_t expression(struct parser *p);
static uint16_t unary(struct parser *p);
enum { FAILED = UINT16_MAX };

static void skip(struct parser *p)
{
	p->s += strspn(p->s, " \t\r\n");
}

static bool word_char(char ch)
{
	return isalnum((unsigned char)ch) || ch == '_';
}

static bool word_start(char ch)
{
	return isalpha((unsigned char)ch) || ch == '_' || ch == '$';
}

/* Moves behind the token if it is there. */
static bool take(struct parser *p, const char *token)
{
	const size_t n = strlen(token);
	skip(p);
	if (strncmp(p->s, token, n) != 0 || (word_start(*token) && word_char(p->s[n])))
		return false;
	p->s += n;
	return true;
}

static uint16_t fail(struct parser *p, const char *what)
{
	if (p->err)
		err_set(p->err, "%.200s: %.200s%s%.40s", p->text, what,
		        *p->s ? " before " : " at the end", p->s);
	p->err = NULL; /* the first reason counts */
	return FAILED;
}

static uint16_t node(struct parser *p, enum c_op op, const char *from, unsigned args,
                     const uint16_t *arg)
{
	struct c_expr *e = p->e;
	for (unsigned i = 0; i < args; i++)
		if (arg[i] == FAILED)
			return FAILED;
	if (e->count == C_NODES_MAX)
		return fail(p, "the expression is too long");
	if (e->count == e->room) {
		const size_t room = e->room ? 2 * e->room : 8;
		struct c_node *grown = reallocarray(e->nodes, room, sizeof *grown);
		if (!grown)
			return fail(p, "out of memory");
		e->nodes = grown;
		e->room = room;
	}
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

static uint16_t leaf(struct parser *p, enum c_op op, const char *from, const char *word, size_t n)
{
	const uint16_t i = node(p, op, from, 0, NULL);
	if (i != FAILED && word && !(p->e->nodes[i].word = strndup(word, n)))
		return fail(p, "out of memory");
	return i;
}

static uint16_t constant(struct parser *p, const char *from, struct c_value v)
{
	const uint16_t i = node(p, C_NUMBER, from, 0, NULL);
	if (i != FAILED)
		p->e->nodes[i].value = v;
	return i;
}

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

static uint16_t number(struct parser *p)
{
	const char *from = p->s;
	char digits[64], *end, *real_end;
	const size_t grouped = p->depth ? 0 : expr_grouped_number(from);
	if (grouped) {
		size_t n = 0;
		for (size_t i = 0; i < grouped && n + 1 < sizeof digits; i++)
			if (from[i] != ',')
				digits[n++] = from[i];
		digits[n] = '\0';
		p->s += grouped;
		return constant(p, from, integer_literal(strtoull(digits, NULL, 10), true, "", 0));
	}
	const bool binary = from[0] == '0' && (from[1] == 'b' || from[1] == 'B');
	const uint64_t v = binary ? strtoull(from + 2, &end, 2) : strtoull(from, &end, 0);
	const double d = strtod(from, &real_end);
	if (!binary && real_end > end) {
		p->s = real_end;
		const bool single = *p->s == 'f' || *p->s == 'F';
		p->s += single;
		return word_char(*p->s)
		               ? fail(p, "this is no number:")
		               : constant(p, from, c_double(single ? (double)(float)d : d));
	}
	const size_t suffix = strspn(end, "uUlL");
	p->s = end + suffix;
	if (word_char(*p->s))
		return fail(p, "this is no number:");
	return constant(p, from, integer_literal(v, from[0] != '0', end, suffix));
}

/* The character at *s of a literal, behind which *s is moved. */
static unsigned character(const char **s)
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

/* One character in single quotes is its number; anything else in quotes is a text, as in the words'
 * own language. */
static uint16_t quoted(struct parser *p)
{
	const char *from = p->s, quote = *p->s++;
	struct c_value v = {.where = C_TEXT, .reg = -1};
	size_t n = 0;
	while (*p->s && *p->s != quote) {
		const unsigned ch = character(&p->s);
		if (n + 1 == sizeof v.text)
			return fail(p, "a text has at most 127 characters");
		v.text[n++] = (char)ch;
	}
	if (*p->s != quote)
		return fail(p, "the text isn't closed");
	p->s++;
	return constant(p, from,
	                quote == '\'' && n == 1 ? c_integer((unsigned char)v.text[0], 4, true) : v);
}

/* ---- names of types ---- */
struct words_seen {
	unsigned count, longs, is_unsigned, is_signed, is_short, is_int, is_char, is_double,
		is_float, is_void, is_bool;
};

static bool base_word(struct parser *p, struct words_seen *w)
{
	const char *before = p->s;
	if (take(p, "unsigned")) w->is_unsigned++;
	else if (take(p, "signed")) w->is_signed++;
	else if (take(p, "long")) w->longs++;
	else if (take(p, "short")) w->is_short++;
	else if (take(p, "int")) w->is_int++;
	else if (take(p, "char")) w->is_char++;
	else if (take(p, "double")) w->is_double++;
	else if (take(p, "float")) w->is_float++;
	else if (take(p, "void")) w->is_void++;
	else if (take(p, "_Bool") || take(p, "bool")) w->is_bool++;
	else return p->s = before, false;
	w->count++;
	return true;
}

static struct ctype base_of(const struct words_seen *w)
{
	if (w->is_void || w->is_bool)
		return ctype_made(w->is_void ? CTYPE_VOID : CTYPE_BOOL, !w->is_void, false);
	if (w->is_double || w->is_float)
		return ctype_made(CTYPE_FLOAT, w->is_double ? 8 : 4, true);
	if (w->is_char)
		return ctype_made(CTYPE_CHAR, 1, w->is_signed);
	return ctype_made(CTYPE_INT, w->longs ? 8 : w->is_short ? 2 : 4, !w->is_unsigned);
}

static bool name_here(struct parser *p, char *name, size_t n)
{
	size_t k = 0;
	skip(p);
	if (!word_start(*p->s) || *p->s == '$')
		return false;
	while (word_char(p->s[k]))
		k++;
	snprintf(name, n, "%.*s", (int)k, p->s);
	p->s += k;
	return true;
}

/* u8, i32 and kin, wherever the program has no type of the name. */
static bool short_type(const char *name, struct ctype *out)
{
	static const char *const names[] = {"u8",       "u16",    "u32",     "u64",      "i8",
	                                    "i16",      "i32",    "i64",     "s8",       "s16",
	                                    "s32",      "s64",    "uint8_t", "uint16_t", "uint32_t",
	                                    "uint64_t", "int8_t", "int16_t", "int32_t",  "int64_t"};
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
		if (strcmp(names[i], name) != 0)
			continue;
		const unsigned size = 1u << i % 4;
		const bool is_signed = names[i][0] != 'u';
		*out = ctype_made(size == 1 ? CTYPE_CHAR : CTYPE_INT, size, is_signed);
		return true;
	}
	return false;
}

static const struct scope_chain *chain(const struct parser *p)
{
	return p->has_chain ? &p->chain : NULL;
}

/* A type's name with its stars; *declared: the program has to be asked for it. False, and nowhere
 * else than before, if none is here. */
static bool type_name(struct parser *p, struct ctype *out, bool *declared)
{
	const char *before = p->s;
	struct words_seen w = {0};
	char name[128];
	Dwarf_Die die;
	*declared = false;
	while (take(p, "const") || take(p, "volatile"))
		continue;
	const enum scope_keyword keyword = take(p, "struct")  ? SCOPE_STRUCT
	                                   : take(p, "union") ? SCOPE_UNION
	                                   : take(p, "enum")  ? SCOPE_ENUM
	                                                      : SCOPE_NO_KEYWORD;
	while (!keyword && (base_word(p, &w) || take(p, "const") || take(p, "volatile")))
		continue;
	if (w.count) {
		*out = base_of(&w);
	} else {
		if (!name_here(p, name, sizeof name))
			return p->s = before, false;
		*declared = scope_find_type(p->e->program, chain(p), keyword, name, &die);
		if (*declared)
			*out = ctype_at(&die);
		else if (keyword || !short_type(name, out))
			return p->s = before, false;
	}
	while (take(p, "*") || take(p, "const") || take(p, "volatile"))
		if (p->s[-1] == '*')
			*out = ctype_pointer_to(*out);
	skip(p);
	return true;
}

/* ---- operands ---- */
/* Behind the bracket that closes the one here; NULL if none does. */
static const char *behind_bracket(const char *s)
{
	int depth = 0;
	for (; *s; s++) {
		if (*s == '"' || *s == '\'') {
			const char *close = strchr(s + 1, *s);
			if (!close)
				return NULL;
			s = close;
		}
		depth += strchr("([", *s) != NULL;
		if (strchr(")]", *s) && --depth == 0)
			return s + 1;
	}
	return NULL;
}

/* A word of the inspector, as far as its language binds it: "rob[1].state",
 * "view.ras[1].returns_to". */
static uint16_t word(struct parser *p, const char *from)
{
	for (;;) {
		if (*p->s == '.' && word_start(p->s[1])) {
			for (p->s++; word_char(*p->s);)
				p->s++;
		} else if (*p->s == '[' || *p->s == '(') {
			const char *end = behind_bracket(p->s);
			if (!end)
				return fail(p, "a bracket isn't closed");
			p->s = end;
		} else {
			break;
		}
	}
	const char *name = from + (*from == '$');
	return leaf(p, C_WORD, from, name, (size_t)(p->s - name));
}

/* A call of one of the inspector's functions. What it is given is C if something there is but names
 * of the whole program, which mean addresses there: mem64(table + 8), str(node->name). */
static uint16_t call(struct parser *p, const char *from, const char *name)
{
	uint16_t arg[C_ARGS_MAX];
	unsigned args = 0;
	const bool before = p->is_c;
	take(p, "(");
	p->depth++;
	p->calls++;
	p->is_c = false;
	if (!take(p, ")")) {
		do {
			if (args == C_ARGS_MAX)
				return fail(p, "too many arguments");
			arg[args++] = expression(p);
			if (arg[args - 1] == FAILED)
				return FAILED;
		} while (take(p, ","));
		if (!take(p, ")"))
			return fail(p, "a ')' is missing");
	}
	p->depth--;
	p->calls--;
	const bool given_c = p->is_c;
	p->is_c |= before;
	if (!given_c)
		return word(p, from);
	const uint16_t i = node(p, C_CALL, from, args, arg);
	if (i != FAILED && !(p->e->nodes[i].word = strdup(name)))
		return fail(p, "out of memory");
	return i;
}

static uint16_t variable(struct parser *p, const char *from, const struct scope_name *found)
{
	const uint16_t i = node(p, C_VARIABLE, from, 0, NULL);
	p->is_c |= !p->calls || found->function.addr;
	p->e->needs_frame |= found->function.addr != NULL;
	if (i != FAILED)
		p->e->nodes[i].name = *found;
	return i;
}

static uint16_t name(struct parser *p)
{
	const char *from = p->s;
	struct scope_name found;
	char text[128], quoted_name[128];
	size_t n = *from == '$';
	while (word_char(from[n]))
		n++;
	p->s += n;
	snprintf(text, sizeof text, "%.*s", (int)(n - (*from == '$')), from + (*from == '$'));
	if (!strcmp(text, "var") && *p->s == '.') {
		p->s++;
		p->is_c = true;
		if (!name_here(p, quoted_name, sizeof quoted_name) ||
		    !scope_find(p->e->program, chain(p), quoted_name, &found))
			return fail(p, "the program has no such variable here:");
		return variable(p, from, &found);
	}
	if (!strcmp(text, "true") || !strcmp(text, "false"))
		return constant(p, from, c_integer(*text == 't', 4, true));
	const char next = p->s[strspn(p->s, " \t")];
	const bool own = *from == '$' || p->e->words.is_word(p->e->words.ctx, text, next);
	if (own && next == '(' && *from != '$')
		return call(p, from, text);
	if (!own && scope_find(p->e->program, chain(p), text, &found) &&
	    found.kind != SCOPE_FUNCTION)
		return variable(p, from, &found);
	return word(p, from);
}

static uint16_t primary(struct parser *p)
{
	skip(p);
	if (isdigit((unsigned char)*p->s) || (*p->s == '.' && isdigit((unsigned char)p->s[1])))
		return number(p);
	if (*p->s == '"' || *p->s == '\'')
		return quoted(p);
	if (word_start(*p->s))
		return name(p);
	if (!take(p, "("))
		return fail(p, "a value is missing");
	p->depth++;
	const uint16_t i = expression(p);
	p->depth--;
	if (i != FAILED && !take(p, ")"))
		return fail(p, "a ')' is missing");
	return i;
}

static uint16_t member(struct parser *p, enum c_op op, const char *from, uint16_t of)
{
	char text[128];
	if (!name_here(p, text, sizeof text))
		return fail(p, "the name of a member is missing");
	const uint16_t i = node(p, op, from, 1, &of);
	if (i != FAILED && !(p->e->nodes[i].word = strdup(text)))
		return fail(p, "out of memory");
	return i;
}

static uint16_t postfix(struct parser *p)
{
	skip(p);
	const char *from = p->s;
	uint16_t i = primary(p);
	while (i != FAILED) {
		if (take(p, "->")) {
			p->is_c = true;
			i = member(p, C_ARROW, from, i);
		} else if (take(p, "[")) {
			p->depth++;
			const uint16_t pair[2] = {i, expression(p)};
			p->depth--;
			if (pair[1] != FAILED && !take(p, "]"))
				return fail(p, "a ']' is missing");
			i = node(p, C_INDEX, from, 2, pair);
		} else if (*p->s == '.' && p->s[1] != '.') {
			p->s++;
			i = member(p, C_MEMBER, from, i);
		} else if (*p->s == '(') {
			return fail(p, "functions of the program are not called:");
		} else {
			return i;
		}
	}
	return i;
}

/* "(TYPE)" here. */
static bool cast_here(struct parser *p, struct ctype *type)
{
	const char *before = p->s;
	bool declared;
	if (!take(p, "("))
		return false;
	if (type_name(p, type, &declared) && take(p, ")")) {
		p->is_c |= declared;
		return true;
	}
	p->s = before;
	return false;
}

static uint16_t unary_here(struct parser *p)
{
	static const struct {
		const char *token;
		enum c_op op;
	} operators[] = {{"!", C_NOT},    {"not", C_NOT},  {"-", C_NEGATE}, {"+", C_PLUS},
	                 {"~", C_INVERT}, {"*", C_FOLLOW}, {"&", C_ADDRESS}};
	skip(p);
	const char *from = p->s;
	struct ctype type;
	uint16_t i;
	if (take(p, "sizeof")) {
		if (cast_here(p, &type)) {
			p->is_c = true;
			return constant(p, from, c_integer(type.size, 8, false));
		}
		i = unary(p);
		return node(p, C_SIZEOF, from, 1, &i);
	}
	if (*p->s == '(' && cast_here(p, &type)) {
		i = unary(p);
		i = node(p, C_CAST, from, 1, &i);
		if (i != FAILED)
			p->e->nodes[i].type = type;
		return i;
	}
	for (unsigned k = 0; k < sizeof operators / sizeof *operators; k++) {
		if ((*p->s == '~' && p->s[1] == '=') || !take(p, operators[k].token))
			continue;
		i = unary(p);
		p->is_c |= operators[k].op == C_ADDRESS;
		/* `*(u32)ADDRESS` reads that type, as `*(u32 *)ADDRESS` does. */
		if (i != FAILED && operators[k].op == C_FOLLOW && p->e->nodes[i].op == C_CAST &&
		    p->e->nodes[i].type.kind != CTYPE_POINTER)
			p->e->nodes[i].type = ctype_pointer_to(p->e->nodes[i].type);
		return node(p, operators[k].op, from, 1, &i);
	}
	return postfix(p);
}

static uint16_t unary(struct parser *p)
{
	if (p->depth >= C_DEPTH_MAX)
		return fail(p, "the expression is nested too deeply");
	p->depth++;
	const uint16_t i = unary_here(p);
	p->depth--;
	return i;
}

static const struct binary {
	const char *token;
	const char *not_before; /* characters that would make it another token */
	enum c_op op;
	unsigned binds;
} binaries[] = {
	{"||", "", C_EITHER, 1}, {"or", "", C_EITHER, 1}, {"&&", "", C_BOTH, 2},
	{"and", "", C_BOTH, 2},  {"|", "|=", C_OR, 3},    {"^", "=", C_XOR, 4},
	{"&", "&=", C_AND, 5},   {"==", "", C_EQ, 6},     {"!=", "", C_NE, 6},
	{"~=", "", C_NE, 6},     {"<=", "", C_LE, 7},     {">=", "", C_GE, 7},
	{"<", "<=", C_LT, 7},    {">", ">=", C_GT, 7},    {"<<", "=", C_SHL, 8},
	{">>", "=", C_SHR, 8},   {"+", "+=", C_ADD, 9},   {"-", "-=>", C_SUB, 9},
	{"*", "=", C_MUL, 10},   {"/", "/=", C_DIV, 10},  {"%", "=", C_MOD, 10},
};

static const struct binary *binary_here(struct parser *p, unsigned least)
{
	skip(p);
	for (unsigned i = 0; i < sizeof binaries / sizeof *binaries; i++) {
		const struct binary *b = &binaries[i];
		const size_t n = strlen(b->token);
		if (b->binds < least || strncmp(p->s, b->token, n) != 0 ||
		    (p->s[n] && strchr(b->not_before, p->s[n])) ||
		    (word_start(*b->token) && word_char(p->s[n])))
			continue;
		p->s += n;
		return b;
	}
	return NULL;
}

static uint16_t binary(struct parser *p, unsigned least)
{
	skip(p);
	const char *from = p->s;
	const struct binary *b;
	uint16_t i = unary(p);
	while (i != FAILED && (b = binary_here(p, least))) {
		const uint16_t pair[2] = {i, binary(p, b->binds + 1)};
		i = node(p, b->op, from, 2, pair);
	}
	return i;
}

static uint16_t expression(struct parser *p)
{
	skip(p);
	const char *from = p->s;
	uint16_t i = binary(p, 1);
	if (i == FAILED || !take(p, "?"))
		return i;
	if (p->depth >= C_DEPTH_MAX)
		return fail(p, "the expression is nested too deeply");
	p->depth++;
	uint16_t three[3] = {i, expression(p), FAILED};
	if (three[1] != FAILED && !take(p, ":"))
		return fail(p, "a ':' is missing");
	three[2] = three[1] == FAILED ? FAILED : expression(p);
	p->depth--;
	return node(p, C_CHOOSE, from, 3, three);
}

/* ---- whole texts ---- */
/* Which call or place the names are about. */
static void look_up(struct parser *p, const struct machine *m, const struct c_scope *scope)
{
	struct c_expr *e = p->e;
	uint64_t addr = scope->addr;
	struct c_calls *calls = scope->kind == C_FRAME ? malloc(sizeof *calls) : NULL;
	e->by_place = scope->kind == C_PLACE;
	walk_begin(e->program);
	if (calls) {
		c_calls_init(calls, e->program, m);
		c_calls_unwind(calls);
		const size_t level = scope->level < calls->count ? scope->level : 0;
		addr = frame_look(&calls->frames[level]);
		e->cfa = calls->frames[level].cfa;
		free(calls);
	}
	e->image = scope_image(e->program, addr);
	p->has_chain = scope_chain(e->image, addr, &p->chain);
	if (!p->has_chain || !scope_function(&p->chain, &e->function))
		e->function.addr = NULL;
}

/* All the words that are not C's. */
static bool compile_words(struct c_expr *e, struct err *err)
{
	for (size_t i = 0; i < e->count; i++)
		if (e->nodes[i].op == C_WORD &&
		    !(e->nodes[i].compiled = e->words.compile(e->words.ctx, e->nodes[i].word, err)))
			return false;
	return true;
}

void c_free(struct c_expr *e)
{
	if (!e)
		return;
	for (size_t i = 0; i < e->count; i++) {
		if (e->nodes[i].compiled)
			e->words.free(e->words.ctx, e->nodes[i].compiled);
		free(e->nodes[i].word);
	}
	free(e->nodes);
	free(e->text);
	free(e);
}

/* Whether there is a letter that a name could begin with: most texts without one are plain
 * arithmetic. */
static bool may_be_c(const char *text)
{
	while (*text && !word_start(*text))
		text++;
	return *text;
}

struct c_expr *c_compile(const struct program *program, const struct machine *m,
                         const struct c_scope *scope, const struct c_words *words, const char *text,
                         bool *is_c, struct err *err)
{
	struct err why = {{0}};
	*is_c = false;
	if (!may_be_c(text) || strlen(text) > EXPR_TEXT_MAX)
		return NULL;
	struct c_expr *e = calloc(1, sizeof *e);
	struct parser p = {.e = e, .s = text, .err = &why};
	if (!e || !(e->text = strdup(text))) {
		free(e);
		*is_c = true;
		return err_set(err, "out of memory for an expression"), NULL;
	}
	e->program = program;
	e->words = *words;
	p.text = p.s = e->text;
	look_up(&p, m, scope);
	e->root = expression(&p);
	skip(&p);
	if (e->root != FAILED && *p.s)
		e->root = fail(&p, "the expression ends");
	*is_c = p.is_c;
	if (e->root != FAILED && p.is_c && compile_words(e, &why))
		return e;
	c_free(e);
	/* Functions that a text of the words' own language defines have names of their own. */
	*is_c = p.is_c && !strstr(text, "function");
	if (*is_c)
		err_set(err, "%s", why.msg);
	return NULL;
}

bool c_awaits_call(const struct c_expr *e)
{
	return e->needs_frame && e->by_place;
}

bool c_type_named(const struct program *program, const struct machine *m,
                  const struct c_scope *scope, const char *text, struct ctype *out)
{
	struct c_expr e = {.program = program};
	struct parser p = {.e = &e, .text = text, .s = text};
	bool declared;
	struct scope_name function;
	look_up(&p, m, scope);
	if (type_name(&p, out, &declared) && !*p.s)
		return true;
	if (!scope_find(program, chain(&p), text, &function) || function.kind != SCOPE_FUNCTION)
		return false;
	*out = ctype_at(&function.die);
	return true;
}
