/* Lua's messages about an expression, in the words of who typed it. For scripting/ only. */
#ifndef CYCLOPS_SCRIPTING_EXPR_EXPR_ERROR_H
#define CYCLOPS_SCRIPTING_EXPR_EXPR_ERROR_H

#include <stddef.h>

/* `msg` is Lua's, without the place. Fills buf and returns it; returns msg where it says it well
 * itself. */
const char *expr_error_text(const char *msg, char *buf, size_t n);

#endif
