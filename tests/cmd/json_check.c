/* Checks that standard input is exactly one JSON value (RFC 8259). Status 0 if so; else prints the
 * place of the error. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long at = -1;

static int next(void)
{
	at++;
	return getchar();
}

static void bad(const char *what)
{
	fprintf(stderr, "byte %ld: %s\n", at, what);
	exit(1);
}

static int skip_space(int ch)
{
	while (ch == ' ' || ch == '\t' || ch == '\n' || ch == '\r')
		ch = next();
	return ch;
}

static void string(void)
{
	for (int ch = next(); ch != '"'; ch = next()) {
		if (ch == EOF || ch < 0x20)
			bad("control character in a string");
		if (ch != '\\')
			continue;
		ch = next();
		if (ch == 'u') {
			for (int i = 0; i < 4; i++)
				if (!isxdigit(next()))
					bad("\\u without four digits");
		} else if (!strchr("\"\\/bfnrt", ch)) {
			bad("unknown escape");
		}
	}
}

/* Each function takes a pointer to the value's first character, and returns a pointer after the
 * value. */
static int value(int ch);

static int digits(int ch)
{
	if (!isdigit(ch))
		bad("digit expected");
	while (isdigit(ch))
		ch = next();
	return ch;
}

static int number(int ch)
{
	if (ch == '-')
		ch = next();
	if (ch == '0')
		ch = next();
	else
		ch = digits(ch);
	if (ch == '.')
		ch = digits(next());
	if (ch == 'e' || ch == 'E') {
		ch = next();
		if (ch == '+' || ch == '-')
			ch = next();
		ch = digits(ch);
	}
	return ch;
}

static int word(const char *rest)
{
	for (; *rest; rest++)
		if (next() != *rest)
			bad("unknown word");
	return next();
}

static int list(int close)
{
	int ch = skip_space(next());
	if (ch == close)
		return next();
	for (;;) {
		if (close == '}') {
			if (ch != '"')
				bad("name expected");
			string();
			if (skip_space(next()) != ':')
				bad("colon expected");
			ch = skip_space(next());
		}
		ch = skip_space(value(ch));
		if (ch == close)
			return next();
		if (ch != ',')
			bad("comma or closing bracket expected");
		ch = skip_space(next());
	}
}

static int value(int ch)
{
	switch (ch) {
	case '{':
		return list('}');
	case '[':
		return list(']');
	case '"':
		string();
		return next();
	case 't':
		return word("rue");
	case 'f':
		return word("alse");
	case 'n':
		return word("ull");
	default:
		return number(ch);
	}
}

int main(void)
{
	if (skip_space(value(skip_space(next()))) != EOF)
		bad("something behind the value");
	return 0;
}
