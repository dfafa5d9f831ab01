/* What people type as Lua: a C programmer's notation is taken where it is unambiguous. */
#ifndef CYCLOPS_SCRIPTING_EXPR_EXPR_TEXT_H
#define CYCLOPS_SCRIPTING_EXPR_EXPR_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/err.h"

/* What one can type and read in one piece; keeps the work of compiling small as well. */
enum { EXPR_TEXT_MAX = 4096 };

/* Malloc'd Lua text of an expression, NULL with *err. Needs no stack that grows with the text. */
char *expr_to_lua(const char *text, struct err *err);
/* Characters of a number in groups of three, as we show them, at s; 0 if none is there. */
size_t expr_grouped_number(const char *s);

/* Whether text names memory: `mem32(EXPR)` and kin, `*EXPR`, `*(u32)EXPR`. Then *operand is EXPR
 * (malloc'd) and *size its bytes, 0 for plain `*EXPR`: as many as the symbol there has. */
bool expr_is_memory(const char *text, char **operand, unsigned *size);

#endif
