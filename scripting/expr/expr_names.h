/* Finds the names in an expression before it is evaluated. For scripting/ only. */
#ifndef CYCLOPS_SCRIPTING_EXPR_EXPR_NAMES_H
#define CYCLOPS_SCRIPTING_EXPR_EXPR_NAMES_H

#include <stdbool.h>
#include <stddef.h>

struct expr_name {
	/* borrowed from the text: "rob" and "count" in rob.count; NULL: no member by name */
	const char *at, *member;
	size_t length, member_length;
};

/* Finds the first name from s on that Lua would look up in the environment; not members, keys of
 * table constructors and keywords. The text must be valid Lua that defines no function. Returns the
 * text after the name, NULL if there is none. */
const char *expr_next_name(const char *s, struct expr_name *out);

/* Whether the text defines functions: their parameters and local variables are names, too, which
 * only Lua can distinguish. */
bool expr_has_function(const char *s);

#endif
