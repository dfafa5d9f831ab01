/* What modules of values did wrong, told by whoever gives commands. */
#ifndef CYCLOPS_UI_CONSOLE_VALUE_FAILURES_H
#define CYCLOPS_UI_CONSOLE_VALUE_FAILURES_H

#include "ui/console/command.h"

/* Prints what has happened since it was asked last: a module failed, could not say a value, or
 * added values that are refused. Then c->values_failed. */
void value_failures_tell(struct console *c);

#endif
