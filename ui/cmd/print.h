/* Expressions, including assignments, that commands evaluate and show. */
#ifndef CYCLOPS_UI_CMD_PRINT_H
#define CYCLOPS_UI_CMD_PRINT_H

#include "scripting/c/limits.h"
#include "ui/console/command.h"

enum print_what {
	PRINT_NOTHING,
	PRINT_VALUES, /* but not void */
	PRINT_ALWAYS
};

/* Evaluates the expression once. Shows the value in a format of print (0: by its type) and keeps
 * it for $, unless `what` excludes it. False with c->err. */
bool print_expression(struct console *c, const char *text, char letter, enum print_what what,
                      const struct c_limits *limits);

#endif
