#include "scripting/expr_text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "scripting/expr.h"

/* What may stand in a cast before memory: name, bytes, function that reads it. */
static const struct memory_type {
	const char *name;
	unsigned bytes;
	const char *function;
} types[] = {
	{"u8", 1, "mem8"}, {"uint8_t", 1, "mem8"}, {"unsigned char", 1, "mem8"}, {"char", 1, "mem8"},
	{"u16", 2, "mem16"}, {"uint16_t", 2, "mem16"}, {"unsigned short", 2, "mem16"},
	{"u32", 4, "mem32"}, {"uint32_t", 4, "mem32"}, {"unsigned int", 4, "mem32"}, {"unsigned", 4, "mem32"},
	{"u64", 8, "mem64"}, {"uint64_t", 8, "mem64"}, {"unsigned long", 8, "mem64"}, {"size_t", 8, "mem64"},
	{"i8", 1, "s8"}, {"s8", 1, "s8"}, {"int8_t", 1, "s8"}, {"signed char", 1, "s8"},
	{"i16", 2, "s16"}, {"s16", 2, "s16"}, {"int16_t", 2, "s16"}, {"short", 2, "s16"},
	{"i32", 4, "s32"}, {"s32", 4, "s32"}, {"int32_t", 4, "s32"}, {"int", 4, "s32"},
	{"i64", 8, "mem64"}, {"s64", 8, "mem64"}, {"int64_t", 8, "mem64"}, {"long", 8, "mem64"},
	{"float", 4, "f32"}, {"double", 8, "f64"},
};
/* As many bytes as the symbol there has, if that is a number's size. */
static const struct memory_type plain = {"", 0, "mem"};

static const char *skip_space(const char *s)
{
	while (isspace((unsigned char)*s))
		s++;
	return s;
}

/* The type in "(u32 *)" at s, moving *rest behind it; NULL if that isn't one. */
static const struct memory_type *cast_at(const char *s, const char **rest)
{
	if (*s != '(')
		return NULL;
	const char *word = skip_space(s + 1);
	for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
		size_t n = strlen(types[i].name);
		if (strncmp(word, types[i].name, n) != 0)
			continue;
		const char *end = skip_space(word + n);
		while (*end == '*')
			end = skip_space(end + 1);
		if (*end != ')')
			continue;
		*rest = end + 1;
		return &types[i];
	}
	return NULL;
}

/* Behind a text literal that begins at s. */
static const char *skip_quoted(const char *s)
{
	char quote = *s++;
	while (*s && *s != quote)
		s += *s == '\\' && s[1] ? 2 : 1;
	return *s ? s + 1 : s;
}

/* Behind the bracket that closes the one at s; the text's end if none does. */
static const char *skip_brackets(const char *s)
{
	int depth = 0;
	do {
		depth += (strchr("([{", *s) != NULL) - (strchr(")]}", *s) != NULL);
		s = *s == '"' || *s == '\'' ? skip_quoted(s) : s + 1;
	} while (*s && depth > 0);
	return s;
}

static bool is_word(char ch)
{
	return isalnum((unsigned char)ch) || ch == '_' || ch == '.' || ch == '$';
}

/* Behind the operand at s, as far as C binds it to a `*` before it: a name or number, a call, an index, brackets. */
static const char *skip_operand(const char *s)
{
	s = skip_space(s);
	if (*s == '(')
		s = skip_brackets(s);
	while (is_word(*s))
		s++;
	for (;;) {
		const char *next = skip_space(s);
		if (*next == '(' || *next == '[')
			s = skip_brackets(next);
		else if (*next == '"' || *next == '\'')
			s = skip_quoted(next);
		else if (*next == '.')
			for (s = next; is_word(*s);)
				s++;
		else
			return s;
	}
}

/* What reads `*OPERAND` or `*(TYPE)OPERAND` at s, with the operand's bounds. */
static const struct memory_type *dereference(const char *s, const char **operand, const char **end)
{
	*operand = skip_space(s + 1);
	const struct memory_type *t = cast_at(*operand, operand);
	const char *inner = skip_space(*operand), *nested;
	if (*inner == '*')
		dereference(inner, &nested, end);
	else
		*end = skip_operand(*operand);
	return t ? t : &plain;
}

bool expr_is_memory(const char *text, char **operand, unsigned *size)
{
	const char *s = skip_space(text), *from, *end;
	if (*s == '*') {
		const struct memory_type *t = dereference(s, &from, &end);
		if (*skip_space(end))
			return false;
		*size = t->bytes;
		*operand = strndup(from, (size_t)(end - from));
		return *operand != NULL;
	}
	size_t n = strcspn(s, "( \t");
	for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
		if (strlen(types[i].function) != n || strncmp(s, types[i].function, n) != 0)
			continue;
		from = skip_space(s + n);
		end = *from == '(' ? skip_brackets(from) : from;
		if (end == from || end[-1] != ')' || *skip_space(end))
			return false;
		*size = types[i].bytes;
		*operand = strndup(from + 1, (size_t)(end - from) - 2);
		return *operand != NULL;
	}
	return false;
}

/* ---- to Lua ---- */
struct output {
	char *text; /* owned */
	size_t length, room;
	bool operand; /* the next thing is an operand: a `*` there is C's */
};

static bool put(struct output *o, const char *s, size_t n)
{
	if (o->length + n + 1 > o->room) {
		size_t room = 2 * (o->room + n) + 64;
		char *grown = realloc(o->text, room);
		if (!grown)
			return false;
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
	return (s[0] == '&' && s[1] == '&') || (s[0] == '|' && s[1] == '|') || (s[0] == '!' && s[1] != '=');
}

static bool put_word(struct output *o, const char *s, size_t n)
{
	static const char *const operators[] = {"and", "or", "not"};
	o->operand = false;
	for (int i = 0; i < 3; i++)
		o->operand |= strlen(operators[i]) == n && !strncmp(s, operators[i], n);
	return *s == '$' ? put(o, s + 1, n - 1) : put(o, s, n);
}

/* Converts [s, end). False if memory is out or a C operator stands there. */
static bool convert(struct output *o, const char *s, const char *end)
{
	o->operand = true;
	while (s < end) {
		const char *from, *to;
		size_t n = 1;
		if (is_c(s))
			return false;
		if (*s == '*' && o->operand) {
			const struct memory_type *t = dereference(s, &from, &to);
			if (!put(o, t->function, strlen(t->function)) || !put(o, "(", 1) || !convert(o, from, to) ||
			    !put(o, ")", 1))
				return false;
			o->operand = false;
			n = (size_t)(to - s);
		} else if (*s == '"' || *s == '\'') {
			n = (size_t)(skip_quoted(s) - s);
			o->operand = false;
			if (!put(o, s, n))
				return false;
		} else if (is_word(*s)) {
			while (is_word(s[n]))
				n++;
			if (!put_word(o, s, n))
				return false;
		} else {
			n = s[0] == '!' ? 2 : 1;
			if (!isspace((unsigned char)*s))
				o->operand = !strchr(")]}", *s);
			if (!put(o, n == 2 ? "~=" : s, n))
				return false;
		}
		s += n;
	}
	return true;
}

char *expr_to_lua(const char *text, struct err *err)
{
	struct output o = {0};
	if (put(&o, "return ", 7) && convert(&o, text, text + strlen(text)))
		return o.text;
	free(o.text);
	for (const char *s = text; *s; s = *s == '"' || *s == '\'' ? skip_quoted(s) : s + 1)
		if (is_c(s)) {
			err_set(err, "'%s': expressions are Lua: write 'and', 'or', 'not' (0 is true there: compare, as in a0 ~= 0)",
			        text);
			return NULL;
		}
	err_set(err, "out of memory for an expression");
	return NULL;
}
