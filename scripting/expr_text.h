/* From what people type to Lua: a C programmer's notation where it is unambiguous. For scripting/ only. */
#ifndef CYCLOPS_SCRIPTING_EXPR_TEXT_H
#define CYCLOPS_SCRIPTING_EXPR_TEXT_H

#include "core/err.h"

/* Malloc'd Lua text of an expression, NULL with *err. */
char *expr_to_lua(const char *text, struct err *err);

#endif
