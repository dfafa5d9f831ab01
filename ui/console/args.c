#include "ui/console/args.h"

#include <ctype.h>
#include <fnmatch.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hwviews/grid/grid.h"
#include "scripting/expr/expr.h"
#include "ui/console/counts.h"

const char *parse_word(const char *args, char *buf, size_t n)
{
	size_t len = strcspn(args, " \t");
	snprintf(buf, n, "%.*s", (int)(len < n ? len : n - 1), args);
	return args + len + strspn(args + len, " \t");
}

bool parse_count(struct console *c, const char *args, uint64_t missing, uint64_t *out)
{
	int64_t v;
	if (!*args) {
		*out = missing;
		return true;
	}
	if (count_parse(args, out, NULL))
		return true;
	/* in Lua, commas would make several numbers, and a long number would wrap */
	if (!args[strspn(args, "0123456789,")])
		return count_parse(args, out, &c->err);
	if (!expr_integer(c->exprs, args, &v, &c->err))
		return false;
	if (v < 0) {
		console_fail(c, "expected a count, not %lld", (long long)v);
		return false;
	}
	*out = (uint64_t)v;
	return true;
}

bool parse_steps(struct console *c, const char *args, const char *what, uint64_t *out)
{
	char digits[32];
	if (strcmp(args, "cycle") != 0 && strcmp(args, "insts") != 0 && strcmp(args, "seq") != 0)
		return parse_count(c, args, 1, out);
	console_fail(
		c,
		"%s is the machine's position (cycle %s), not a number of %s; expected a number. "
		"`step` goes on a cycle, `stepi` an instruction, `next` a line",
		args, group_digits(machine_cycle(c->session->machine), digits), what);
	return false;
}

void parse_trim(char *s)
{
	size_t n = strlen(s);
	while (n && isspace((unsigned char)s[n - 1]))
		s[--n] = '\0';
}

char *parse_cut_if(char *args)
{
	for (char *p = args; *p; p++) {
		if (*p == '"' || *p == '\'') {
			char *close = strchr(p + 1, *p);
			p = close ? close : p;
		} else if (!strncmp(p, "if", 2) && (p == args || isspace((unsigned char)p[-1])) &&
		           (isspace((unsigned char)p[2]) || p[2] == '(' || !p[2])) {
			*p = '\0';
			parse_trim(args);
			p += 2;
			p += strspn(p, " \t");
			parse_trim(p);
			return p;
		}
	}
	parse_trim(args);
	return NULL;
}

bool parse_format(struct console *c, const char **args, struct value_format *out)
{
	const char *s = *args;
	*out = (struct value_format){0};
	if (*s != '/')
		return true;
	for (s++; *s && !isspace((unsigned char)*s); s++) {
		if (isdigit((unsigned char)*s)) {
			char *end;
			out->count = strtoull(s, &end, 10);
			s = end - 1;
		} else if (strchr("xduotacfsiz", *s)) {
			out->letter = *s;
		} else if (*s == 'r') {
			out->raw = true;
		} else if (strchr("bhwg", *s)) {
			out->size = *s;
		} else {
			console_fail(c,
			             "'/%c' is no format: x z d u o t a c f s i, sizes b h w g, as "
			             "in /8xg",
			             *s);
			return false;
		}
	}
	*args = s + strspn(s, " \t");
	return true;
}

bool parse_matches(const char *pattern, const char *text)
{
	regex_t regex;
	if ((strpbrk(pattern, "^$\\") || strstr(pattern, ".*")) &&
	    regcomp(&regex, pattern, REG_NOSUB) == 0) {
		const bool fits = regexec(&regex, text, 0, NULL, 0) == 0;
		regfree(&regex);
		return fits;
	}
	if (strpbrk(pattern, "*?["))
		return fnmatch(pattern, text, 0) == 0;
	return strcasestr(text, pattern) != NULL;
}

bool parse_seq(const char *text, uint64_t *seq)
{
	char *end;
	text += *text == '#';
	if (!isdigit((unsigned char)*text))
		return false;
	*seq = strtoull(text, &end, 10);
	return !end[strspn(end, " \t?")];
}
