/* Expressions that commands evaluate and show, with what they assign. */
#ifndef CYCLOPS_UI_CMD_PRINT_H
#define CYCLOPS_UI_CMD_PRINT_H

#include "scripting/c/limits.h"
#include "ui/console/command.h"

/* Evaluates once; unless quiet, shows the value in a format of print's (0: as its type says) and
 * keeps it for $. False with c->err. */
bool print_expression(struct console *c, const char *text, char letter, bool quiet,
                      const struct c_limits *limits);

#endif
