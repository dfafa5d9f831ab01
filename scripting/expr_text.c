#include "scripting/expr_text.h"

#include <ctype.h>
#include <stdio.h>
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

/* `*REST` and `*(TYPE)REST`: what reads it, with *operand at REST; NULL if text is neither. */
static const struct memory_type *dereference(const char *text, const char **operand)
{
	const char *s = skip_space(text);
	if (*s != '*')
		return NULL;
	s = skip_space(s + 1);
	*operand = s;
	const struct memory_type *t = cast_at(s, operand);
	return t ? t : &plain;
}

/* Behind a text literal that begins at s. */
static const char *skip_quoted(const char *s)
{
	char quote = *s++;
	while (*s && *s != quote)
		s += *s == '\\' && s[1] ? 2 : 1;
	return *s ? s + 1 : s;
}

bool expr_is_memory(const char *text, char **operand, unsigned *size)
{
	const char *rest;
	const struct memory_type *t = dereference(text, &rest);
	if (t) {
		*size = t->bytes;
		*operand = strdup(rest);
		return *operand != NULL;
	}
	const char *s = skip_space(text);
	size_t n = strcspn(s, "( \t");
	for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
		if (strlen(types[i].function) != n || strncmp(s, types[i].function, n) != 0)
			continue;
		const char *open = skip_space(s + n), *p = open;
		int depth = 0;
		do {
			depth += (*p == '(') - (*p == ')');
			p = *p == '"' || *p == '\'' ? skip_quoted(p) : *p ? p + 1 : p;
		} while (*p && depth > 0);
		if (*open != '(' || depth != 0 || *skip_space(p))
			return false;
		*size = types[i].bytes;
		*operand = strndup(open + 1, (size_t)(p - open) - 2);
		return *operand != NULL;
	}
	return false;
}

char *expr_to_lua(const char *text, struct err *err)
{
	const char *s = text;
	const struct memory_type *t = dereference(text, &s);
	char *out = malloc(strlen(s) + 64), *o = out;
	if (!out)
		return err_set(err, "out of memory for an expression"), NULL;
	o += sprintf(o, "return %s%s", t ? t->function : "", t ? "(" : "");
	while (*s) {
		if (*s == '"' || *s == '\'') {
			const char *end = skip_quoted(s);
			memcpy(o, s, (size_t)(end - s));
			o += end - s;
			s = end;
		} else if (s[0] == '!' && s[1] == '=') {
			*o++ = '~';
			s++;
		} else if (*s == '$' && (isalpha((unsigned char)s[1]) || s[1] == '_')) {
			s++;
		} else if ((s[0] == '&' && s[1] == '&') || (s[0] == '|' && s[1] == '|') || *s == '!') {
			free(out);
			err_set(err, "'%s': expressions are Lua: write 'and', 'or', 'not' (0 is true there: compare, as in a0 ~= 0)",
			        text);
			return NULL;
		} else {
			*o++ = *s++;
		}
	}
	if (t)
		*o++ = ')';
	*o = '\0';
	return out;
}
