#include "scripting/expr/expr_names.h"

#include <ctype.h>
#include <string.h>

static bool expr_names_is_name_char(char ch)
{
	return isalnum((unsigned char)ch) || ch == '_';
}

static const char *expr_names_skip_space(const char *s)
{
	while (isspace((unsigned char)*s))
		s++;
	return s;
}

/* Skips the quoted text at s. */
static const char *expr_names_skip_quoted(const char *s)
{
	const char quote = *s++;
	while (*s && *s != quote)
		s += *s == '\\' && s[1] ? 2 : 1;
	return *s ? s + 1 : s;
}

/* Skips the long brackets at s ([[ ]], [=[ ]=]); NULL: there are none. */
static const char *skip_long(const char *s)
{
	const size_t level = strspn(s + 1, "=");
	if (*s != '[' || s[1 + level] != '[')
		return NULL;
	for (s += level + 2; *s; s++)
		if (*s == ']' && strspn(s + 1, "=") >= level && s[1 + level] == ']')
			return s + level + 2;
	return s;
}

static const char *skip_comment(const char *s)
{
	const char *end = s[2] == '[' ? skip_long(s + 2) : NULL;
	return end ? end : s + strcspn(s, "\n");
}

/* Skips digits, letters and dots; the sign of an exponent may count as an operator. In 1..x, x is a
 * name. */
static const char *expr_names_skip_number(const char *s)
{
	while (expr_names_is_name_char(*s) || (*s == '.' && s[1] != '.'))
		s++;
	return s;
}

/* The next name of any kind from s on, NULL: there is none. *member: a `.` or `:` precedes it. */
static const char *expr_names_find_next(const char *s, size_t *length, bool *member)
{
	*member = false;
	while (*s) {
		const char *end;
		if (isalpha((unsigned char)*s) || *s == '_') {
			for (*length = 1; expr_names_is_name_char(s[*length]); ++*length)
				;
			return s;
		}
		if (isspace((unsigned char)*s)) {
			s++;
			continue;
		}
		if (*s == '"' || *s == '\'')
			end = expr_names_skip_quoted(s);
		else if (isdigit((unsigned char)*s) || (*s == '.' && isdigit((unsigned char)s[1])))
			end = expr_names_skip_number(s);
		else if (s[0] == '-' && s[1] == '-')
			end = skip_comment(s);
		else if (*s == '[' && (end = skip_long(s)))
			;
		else
			end = s + (s[0] == '.' && s[1] == '.' ? 2 : 1);
		*member = end == s + 1 && (*s == '.' || *s == ':');
		s = end;
	}
	return NULL;
}

static bool expr_names_word_equals(const char *s, size_t length, const char *word)
{
	return strlen(word) == length && !strncmp(s, word, length);
}

static bool expr_names_is_keyword(const char *s, size_t length)
{
	static const char *const words[] = {"and", "or", "not", "nil", "true", "false", "return"};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (expr_names_word_equals(s, length, words[i]))
			return true;
	return false;
}

const char *expr_next_name(const char *s, struct expr_name *out)
{
	bool member;
	for (; (s = expr_names_find_next(s, &out->length, &member)); s += out->length) {
		const char *next = expr_names_skip_space(s + out->length);
		if (member || expr_names_is_keyword(s, out->length) ||
		    (next[0] == '=' && next[1] != '='))
			continue;
		out->at = s;
		out->member = NULL;
		if (next[0] == '.' && next[1] != '.') {
			out->member = expr_names_skip_space(next + 1);
			for (out->member_length = 0;
			     expr_names_is_name_char(out->member[out->member_length]);
			     out->member_length++)
				;
		}
		return s + out->length;
	}
	return NULL;
}

bool expr_has_function(const char *s)
{
	size_t length;
	bool member;
	for (; (s = expr_names_find_next(s, &length, &member)); s += length)
		if (expr_names_word_equals(s, length, "function"))
			return true;
	return false;
}
