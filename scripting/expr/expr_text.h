/* The user's text as Lua: C notation is accepted where it is unambiguous. */
#ifndef CYCLOPS_SCRIPTING_EXPR_EXPR_TEXT_H
#define CYCLOPS_SCRIPTING_EXPR_EXPR_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/err.h"

/* Longest text of an expression; keeps the work of compiling small as well. */
enum { EXPR_TEXT_MAX = 4096 };

/* Malloc'd Lua text of an expression, NULL with *err. Its stack use is constant. */
char *expr_to_lua(const char *text, struct err *err);
/* Length of a number at s with digits in groups of three, as Cyclops prints them; 0 if there is
 * none. */
size_t expr_grouped_number(const char *s);

/* Whether the text is a read of memory: `mem32(EXPR)` and kin, `*EXPR`, `*(u32)EXPR`. Then *operand
 * is EXPR (malloc'd) and *size its bytes, 0 for plain `*EXPR`: the size of the symbol there. */
bool expr_is_memory(const char *text, char **operand, unsigned *size);

#endif
