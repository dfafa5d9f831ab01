#include "scripting/expr/expr_error.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Plain words for a value of one of Lua's types. */
static const char *expr_error_type_name(const char *type)
{
	static const char *const words[][2] = {
		{"nil", "nothing (nil)"}, {"no value", "missing"},       {"number", "a number"},
		{"string", "a text"},     {"boolean", "true or false"},  {"function", "a function"},
		{"table", "a table"},     {"integer", "a whole number"},
	};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (!strcmp(words[i][0], type))
			return words[i][1];
	return type;
}

/* Explains "attempt to index a number value (global 'main')": operations that the value does not
 * have. */
static bool expr_error_explain_operand(const char *msg, char *buf, size_t n)
{
	static const struct {
		const char *format, *why;
	} operations[] = {
		{"attempt to index a %31s value (%*s '%127[^']')",
	         "it has no members (mem64(ADDRESS) reads memory)"},
		{"attempt to call a %31s value (%*s '%127[^']')",
	         "nothing here calls functions of the program"},
		{"attempt to perform arithmetic on a %31s value (%*s '%127[^']')",
	         "it can't be computed with"},
		{"attempt to concatenate a %31s value (%*s '%127[^']')",
	         "it can't be joined to a text"},
		{"attempt to get length of a %31s value (%*s '%127[^']')", "it has no length"},
	};
	char type[32], name[128];
	for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
		const int found = sscanf(msg, operations[i].format, type, name);
		if (found < 1)
			continue;
		if (found > 1 && !strcmp(type, "number") && strstr(msg, "to call ")) {
			snprintf(buf, n,
			         "functions of the program, such as '%s', are not called here, "
			         "but by `print` and `call`",
			         name);
			return true;
		}
		snprintf(buf, n, "%s%s%s is %s: %s", found > 1 ? "'" : "",
		         found > 1 ? name : "this", found > 1 ? "'" : "",
		         expr_error_type_name(type), operations[i].why);
		return true;
	}
	return false;
}

static bool of_operands(const char *msg, char *buf, size_t n)
{
	char a[32], b[32], name[64];
	unsigned place;
	if (sscanf(msg, "attempt to compare two %31s values", a) == 1)
		snprintf(buf, n, "can't compare two values that are each %s",
		         expr_error_type_name(a));
	else if (sscanf(msg, "attempt to compare %31s with %31s", a, b) == 2)
		snprintf(buf, n, "%s can't be compared with %s", expr_error_type_name(a),
		         expr_error_type_name(b));
	else if (sscanf(msg, "attempt to %*s a '%31[^']' with a '%31[^']'", a, b) == 2)
		snprintf(buf, n, "%s and %s can't be computed with", expr_error_type_name(a),
		         expr_error_type_name(b));
	else if (sscanf(msg, "bad argument #%u to '%63[^']' (%31s expected, got %31[^)])", &place,
	                name, a, b) == 4)
		snprintf(buf, n, "argument %u of %s is %s; expected %s", place, name,
		         expr_error_type_name(b), expr_error_type_name(a));
	else
		return false;
	return true;
}

/* Explains "unexpected symbol near 'x'". */
static bool of_text(const char *msg, char *buf, size_t n)
{
	char wanted[32];
	const char *near = strstr(msg, " near ");
	if (!near)
		return false;
	near += strlen(" near ");
	const bool end = !strcmp(near, "<eof>");
	if (!strncmp(msg, "<eof> expected", 14))
		snprintf(buf, n, "the expression should end before %s%s", near,
		         !strcmp(near, "'='") ? "; == compares" : "");
	else if (strstr(msg, " expected near ") && sscanf(msg, "%31s", wanted) == 1)
		snprintf(buf, n, "%s is missing %s%s", strcmp(wanted, "<name>") ? wanted : "a name",
		         end ? "at the end" : "before ", end ? "" : near);
	else if (!strncmp(msg, "unexpected symbol", 17))
		snprintf(buf, n, "%s%s", end ? "something is missing at the end" : near,
		         end ? "" : " can't stand there");
	else if (!strncmp(msg, "malformed number", 16))
		snprintf(buf, n, "%s is no number", near);
	else
		return false;
	return true;
}

const char *expr_error_text(const char *msg, char *buf, size_t n)
{
	return expr_error_explain_operand(msg, buf, n) || of_operands(msg, buf, n) ||
	                       of_text(msg, buf, n)
	               ? buf
	               : msg;
}
