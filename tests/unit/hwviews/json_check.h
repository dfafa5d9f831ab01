/* True if a text is one JSON value (RFC 8259). */
#ifndef CYCLOPS_TESTS_UNIT_JSON_CHECK_H
#define CYCLOPS_TESTS_UNIT_JSON_CHECK_H

#include <stdbool.h>
#include <string.h>

static inline void json_space(const char **s)
{
	*s += strspn(*s, " \t\r\n");
}

static inline bool json_take(const char **s, const char *text)
{
	size_t n = strlen(text);
	if (strncmp(*s, text, n) != 0)
		return false;
	*s += n;
	return true;
}

static inline bool json_string_ok(const char **s)
{
	if (!json_take(s, "\""))
		return false;
	for (; **s != '"'; ++*s) {
		if ((unsigned char)**s < 0x20)
			return false;
		if (**s != '\\')
			continue;
		++*s;
		if (**s == 'u') {
			if (strspn(*s + 1, "0123456789abcdefABCDEF") < 4)
				return false;
			*s += 4;
		} else if (!**s || !strchr("\"\\/bfnrt", **s)) {
			return false;
		}
	}
	++*s;
	return true;
}

static inline bool json_number_ok(const char **s)
{
	(void)json_take(s, "-");
	size_t digits = strspn(*s, "0123456789");
	if (!digits || (digits > 1 && **s == '0'))
		return false;
	*s += digits;
	if (json_take(s, ".")) {
		digits = strspn(*s, "0123456789");
		*s += digits;
		if (!digits)
			return false;
	}
	if (**s == 'e' || **s == 'E') {
		++*s;
		if (**s == '+' || **s == '-')
			++*s;
		digits = strspn(*s, "0123456789");
		*s += digits;
		return digits > 0;
	}
	return true;
}

static inline bool json_value_ok(const char **s);

static inline bool json_list_ok(const char **s, const char *close, bool object)
{
	json_space(s);
	if (json_take(s, close))
		return true;
	do {
		json_space(s);
		if (object) {
			if (!json_string_ok(s))
				return false;
			json_space(s);
			if (!json_take(s, ":"))
				return false;
		}
		if (!json_value_ok(s))
			return false;
		json_space(s);
	} while (json_take(s, ","));
	return json_take(s, close);
}

static inline bool json_value_ok(const char **s)
{
	json_space(s);
	switch (**s) {
	case '{': ++*s; return json_list_ok(s, "}", true);
	case '[': ++*s; return json_list_ok(s, "]", false);
	case '"': return json_string_ok(s);
	case 't': return json_take(s, "true");
	case 'f': return json_take(s, "false");
	case 'n': return json_take(s, "null");
	default: return json_number_ok(s);
	}
}

static inline bool json_ok(const char *text)
{
	bool ok = json_value_ok(&text);
	json_space(&text);
	return ok && !*text;
}

#endif
