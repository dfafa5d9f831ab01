#include "scripting/expr/expr_text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"

/* Types allowed in a cast before memory: name, bytes, function that reads the type. */
static const struct memory_type {
	const char *name;
	unsigned bytes;
	const char *function;
} types[] = {
	{"u8", 1, "mem8"},
	{"uint8_t", 1, "mem8"},
	{"unsigned char", 1, "mem8"},
	{"char", 1, "mem8"},
	{"u16", 2, "mem16"},
	{"uint16_t", 2, "mem16"},
	{"unsigned short", 2, "mem16"},
	{"u32", 4, "mem32"},
	{"uint32_t", 4, "mem32"},
	{"unsigned int", 4, "mem32"},
	{"unsigned", 4, "mem32"},
	{"u64", 8, "mem64"},
	{"uint64_t", 8, "mem64"},
	{"unsigned long", 8, "mem64"},
	{"size_t", 8, "mem64"},
	{"i8", 1, "i8"},
	{"s8", 1, "i8"},
	{"int8_t", 1, "i8"},
	{"signed char", 1, "i8"},
	{"i16", 2, "i16"},
	{"s16", 2, "i16"},
	{"int16_t", 2, "i16"},
	{"short", 2, "i16"},
	{"i32", 4, "i32"},
	{"s32", 4, "i32"},
	{"int32_t", 4, "i32"},
	{"int", 4, "i32"},
	{"i64", 8, "mem64"},
	{"s64", 8, "mem64"},
	{"int64_t", 8, "mem64"},
	{"long", 8, "mem64"},
	{"float", 4, "f32"},
	{"double", 8, "f64"},
};
/* Reads as many bytes as the symbol there has, if that is a number's size. */
static const struct memory_type plain = {"", 0, "mem"};

static const char *expr_text_skip_space(const char *s)
{
	while (isspace((unsigned char)*s))
		s++;
	return s;
}

/* The type in "(u32 *)" at s; *rest: the text after it. NULL: no such text. */
static const struct memory_type *cast_at(const char *s, const char **rest)
{
	if (*s != '(')
		return NULL;
	const char *word = expr_text_skip_space(s + 1);
	for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
		size_t n = strlen(types[i].name);
		if (strncmp(word, types[i].name, n) != 0)
			continue;
		const char *end = expr_text_skip_space(word + n);
		while (*end == '*')
			end = expr_text_skip_space(end + 1);
		if (*end != ')')
			continue;
		*rest = end + 1;
		return &types[i];
	}
	return NULL;
}

/* Skips the quoted text at s. */
static const char *expr_text_skip_quoted(const char *s)
{
	char quote = *s++;
	while (*s && *s != quote)
		s += *s == '\\' && s[1] ? 2 : 1;
	return *s ? s + 1 : s;
}

/* Skips to the character after the bracket that closes the one at s; the text's end if none
 * does. */
static const char *skip_brackets(const char *s)
{
	int depth = 0;
	do {
		depth += (strchr("([{", *s) != NULL) - (strchr(")]}", *s) != NULL);
		s = *s == '"' || *s == '\'' ? expr_text_skip_quoted(s) : s + 1;
	} while (*s && depth > 0);
	return s;
}

static bool expr_text_is_word_char(char ch)
{
	return isalnum((unsigned char)ch) || ch == '_' || ch == '.' || ch == '$';
}

/* Skips the operand at s, as far as C binds it to a preceding `*`: a name or number, a call, an
 * index, brackets. */
static const char *skip_operand(const char *s)
{
	s = expr_text_skip_space(s);
	if (*s == '(')
		s = skip_brackets(s);
	while (expr_text_is_word_char(*s))
		s++;
	for (;;) {
		const char *next = expr_text_skip_space(s);
		if (*next == '(' || *next == '[')
			s = skip_brackets(next);
		else if (*next == '"' || *next == '\'')
			s = expr_text_skip_quoted(next);
		else if (*next == '.')
			for (s = next; expr_text_is_word_char(*s);)
				s++;
		else
			return s;
	}
}

/* Type read by `*OPERAND` or `*(TYPE)OPERAND` at s, with the operand's bounds. In `***p` the
 * operand of the first is `**p`. */
static const struct memory_type *expr_text_parse_dereference(const char *s, const char **operand,
                                                             const char **end)
{
	*operand = expr_text_skip_space(s + 1);
	const struct memory_type *t = cast_at(*operand, operand);
	const char *inner = expr_text_skip_space(*operand);
	while (*inner == '*') {
		inner = expr_text_skip_space(inner + 1);
		cast_at(inner, &inner);
		inner = expr_text_skip_space(inner);
	}
	*end = skip_operand(inner);
	return t ? t : &plain;
}

bool expr_is_memory(const char *text, char **operand, unsigned *size)
{
	const char *s = expr_text_skip_space(text), *from, *end;
	if (*s == '*') {
		const struct memory_type *t = expr_text_parse_dereference(s, &from, &end);
		if (*expr_text_skip_space(end))
			return false;
		*size = t->bytes;
		*operand = alloc_text_n(from, (size_t)(end - from));
		return *operand != NULL;
	}
	size_t n = strcspn(s, "( \t");
	for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
		if (strlen(types[i].function) != n || strncmp(s, types[i].function, n) != 0)
			continue;
		from = expr_text_skip_space(s + n);
		end = *from == '(' ? skip_brackets(from) : from;
		if (end == from || end[-1] != ')' || *expr_text_skip_space(end))
			return false;
		*size = types[i].bytes;
		*operand = alloc_text_n(from + 1, (size_t)(end - from) - 2);
		return *operand != NULL;
	}
	return false;
}

/* ---- to Lua ---- */
/* Lua's parser nests no deeper than 200. */
enum { DEREFERENCES_MAX = 64 };

struct output {
	char *text; /* owned */
	size_t length, room;
	bool operand;       /* an operand comes next: a `*` there is C's */
	unsigned depth;     /* open brackets */
	bool function;      /* inside a function, whose statements have commas of their own */
	unsigned open_calls;
	/* [open_calls], innermost last: positions in the user's text where they close */
	const char *close[DEREFERENCES_MAX];
	struct err *err;
};

static bool expr_text_append_bytes(struct output *o, const char *s, size_t n)
{
	if (o->length + n + 1 > o->room) {
		size_t room = 2 * (o->room + n) + 64;
		char *grown = alloc_resize(o->text, room);
		if (!grown)
			return err_set(o->err, "out of memory for an expression");
		o->text = grown;
		o->room = room;
	}
	memcpy(o->text + o->length, s, n);
	o->length += n;
	o->text[o->length] = '\0';
	return true;
}

static bool is_c(const char *s)
{
	return (s[0] == '&' && s[1] == '&') || (s[0] == '|' && s[1] == '|') ||
	       (s[0] == '!' && s[1] != '=');
}

static bool expr_text_append_word(struct output *o, const char *s, size_t n)
{
	static const char *const operators[] = {"and", "or", "not"};
	o->operand = false;
	o->function |= n == 8 && !strncmp(s, "function", n);
	for (int i = 0; i < 3; i++)
		o->operand |= strlen(operators[i]) == n && !strncmp(s, operators[i], n);
	return *s == '$' ? expr_text_append_bytes(o, s + 1, n - 1)
	                 : expr_text_append_bytes(o, s, n);
}

static bool expr_text_append_string(struct output *o, const char *s)
{
	return expr_text_append_bytes(o, s, strlen(s));
}

/* Turns `*OPERAND` at *s into a call that opens here and closes after the operand. */
static bool open_call(struct output *o, const char **s)
{
	const char *from, *to;
	const struct memory_type *t = expr_text_parse_dereference(*s, &from, &to);
	if (o->open_calls == DEREFERENCES_MAX)
		return err_set(o->err, "more than %d `*` inside each other", DEREFERENCES_MAX);
	o->close[o->open_calls++] = to;
	*s = from;
	return expr_text_append_string(o, t->function) && expr_text_append_bytes(o, "(", 1);
}

size_t expr_grouped_number(const char *s)
{
	size_t n = strspn(s, "0123456789"), groups = 0;
	if (!n || n > 3)
		return 0;
	for (; s[n] == ',' && strspn(s + n + 1, "0123456789") == 3; n += 4)
		groups++;
	return groups && !expr_text_is_word_char(s[n]) ? n : 0;
}

static bool put_grouped(struct output *o, const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (s[i] != ',' && !expr_text_append_bytes(o, s + i, 1))
			return false;
	o->operand = false;
	return true;
}

/* Copies the token at *s in Lua's spelling. */
static bool copy_token(struct output *o, const char **s)
{
	const char *from = *s;
	size_t n = 1;
	if (*from == '"' || *from == '\'') {
		n = (size_t)(expr_text_skip_quoted(from) - from);
		o->operand = false;
	} else if (!o->depth && !o->function && expr_grouped_number(from)) {
		n = expr_grouped_number(from);
		*s += n;
		return put_grouped(o, from, n);
	} else if (expr_text_is_word_char(*from)) {
		while (expr_text_is_word_char(from[n]))
			n++;
		*s += n;
		return expr_text_append_word(o, from, n);
	} else if (*from == '!') {
		*s += 2;
		o->operand = true;
		return expr_text_append_bytes(o, "~=", 2);
	} else if (!isspace((unsigned char)*from)) {
		o->operand = !strchr(")]}", *from);
		o->depth += strchr("([{", *from) != NULL;
		o->depth -= o->depth && strchr(")]}", *from);
	}
	*s += n;
	return expr_text_append_bytes(o, from, n);
}

/* False with *o->err. */
static bool expr_text_convert_to_lua(struct output *o, const char *text)
{
	const char *s = text;
	o->operand = true;
	while (*s || o->open_calls) {
		bool ok;
		if (o->open_calls && s >= o->close[o->open_calls - 1]) {
			o->open_calls--;
			o->operand = false;
			ok = expr_text_append_bytes(o, ")", 1);
		} else if (is_c(s)) {
			ok = err_set(o->err,
			             "'%.200s': expressions are Lua: write 'and', 'or', 'not' (0 "
			             "is true there: compare, as in "
			             "a0 ~= 0)",
			             text);
		} else if (*s == ',' && !o->depth && !o->function) {
			ok = err_set(o->err,
			             "'%.200s': an expression is one value: a comma stands in "
			             "brackets, or between groups of three "
			             "digits, as in 1,000",
			             text);
		} else if (*s == '*' && o->operand) {
			ok = open_call(o, &s);
		} else {
			ok = copy_token(o, &s);
		}
		if (!ok)
			return false;
	}
	return true;
}

char *expr_to_lua(const char *text, struct err *err)
{
	struct output o = {.err = err};
	if (strlen(text) > EXPR_TEXT_MAX)
		return err_set(err,
		               "an expression has at most %d characters, not %zu; Lua that is "
		               "longer goes to a file",
		               EXPR_TEXT_MAX, strlen(text)),
		       NULL;
	if (expr_text_append_string(&o, "return ") && expr_text_convert_to_lua(&o, text))
		return o.text;
	free(o.text);
	return NULL;
}
