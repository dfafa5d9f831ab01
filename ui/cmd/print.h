/* Expressions, including assignments, that commands evaluate and show. */
#ifndef CYCLOPS_UI_CMD_PRINT_H
#define CYCLOPS_UI_CMD_PRINT_H

#include "scripting/c/limits.h"
#include "ui/console/command.h"

/* Evaluates the expression once. Unless quiet, shows the value in a format of print (0: by its
 * type) and keeps it for $. False with c->err. */
bool print_expression(struct console *c, const char *text, char letter, bool quiet,
                      const struct c_limits *limits);

#endif
