/* Failures of value modules, reported at the prompt and in batches. */
#ifndef CYCLOPS_UI_CONSOLE_VALUE_FAILURES_H
#define CYCLOPS_UI_CONSOLE_VALUE_FAILURES_H

#include "ui/console/command.h"

/* Prints failures since the last call and sets c->values_failed: a module failed, could not format
 * a value, or added values that were refused. */
void value_failures_tell(struct console *c);

#endif
