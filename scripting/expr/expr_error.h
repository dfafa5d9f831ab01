/* Lua's messages about an expression, in plain words. For scripting/ only. */
#ifndef CYCLOPS_SCRIPTING_EXPR_EXPR_ERROR_H
#define CYCLOPS_SCRIPTING_EXPR_EXPR_ERROR_H

#include <stddef.h>

/* Translates Lua's message, without its position. Fills buf and returns it; returns msg if that is
 * plain already. */
const char *expr_error_text(const char *msg, char *buf, size_t n);

#endif
