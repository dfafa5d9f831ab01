/* Checks that standard input is exactly one JSON value (RFC 8259). Status 0 if so; else prints the
 * place of the error. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long at = -1;

static int json_check_next(void)
{
	at++;
	return getchar();
}

static void json_check_bad(const char *what)
{
	fprintf(stderr, "byte %ld: %s\n", at, what);
	exit(1);
}

static int skip_space(int ch)
{
	while (ch == ' ' || ch == '\t' || ch == '\n' || ch == '\r')
		ch = json_check_next();
	return ch;
}

static void json_check_string(void)
{
	for (int ch = json_check_next(); ch != '"'; ch = json_check_next()) {
		if (ch == EOF || ch < 0x20)
			json_check_bad("control character in a string");
		if (ch != '\\')
			continue;
		ch = json_check_next();
		if (ch == 'u') {
			for (int i = 0; i < 4; i++)
				if (!isxdigit(json_check_next()))
					json_check_bad("\\u without four digits");
		} else if (!strchr("\"\\/bfnrt", ch)) {
			json_check_bad("unknown escape");
		}
	}
}

/* Each function takes a pointer to the value's first character, and returns a pointer after the
 * value. */
static int json_check_value(int ch);

static int json_check_digits(int ch)
{
	if (!isdigit(ch))
		json_check_bad("digit expected");
	while (isdigit(ch))
		ch = json_check_next();
	return ch;
}

static int json_check_number(int ch)
{
	if (ch == '-')
		ch = json_check_next();
	if (ch == '0')
		ch = json_check_next();
	else
		ch = json_check_digits(ch);
	if (ch == '.')
		ch = json_check_digits(json_check_next());
	if (ch == 'e' || ch == 'E') {
		ch = json_check_next();
		if (ch == '+' || ch == '-')
			ch = json_check_next();
		ch = json_check_digits(ch);
	}
	return ch;
}

static int json_check_word(const char *rest)
{
	for (; *rest; rest++)
		if (json_check_next() != *rest)
			json_check_bad("unknown word");
	return json_check_next();
}

static int json_check_list(int close)
{
	int ch = skip_space(json_check_next());
	if (ch == close)
		return json_check_next();
	for (;;) {
		if (close == '}') {
			if (ch != '"')
				json_check_bad("name expected");
			json_check_string();
			if (skip_space(json_check_next()) != ':')
				json_check_bad("colon expected");
			ch = skip_space(json_check_next());
		}
		ch = skip_space(json_check_value(ch));
		if (ch == close)
			return json_check_next();
		if (ch != ',')
			json_check_bad("comma or closing bracket expected");
		ch = skip_space(json_check_next());
	}
}

static int json_check_value(int ch)
{
	switch (ch) {
	case '{':
		return json_check_list('}');
	case '[':
		return json_check_list(']');
	case '"':
		json_check_string();
		return json_check_next();
	case 't':
		return json_check_word("rue");
	case 'f':
		return json_check_word("alse");
	case 'n':
		return json_check_word("ull");
	default:
		return json_check_number(ch);
	}
}

int main(void)
{
	if (skip_space(json_check_value(skip_space(json_check_next()))) != EOF)
		json_check_bad("something behind the value");
	return 0;
}
