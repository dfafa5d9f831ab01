/* Sessions without a terminal: answers on stdout, diagnostics on stderr, the exit status says how
 * it went. */
#ifndef CYCLOPS_UI_CONSOLE_BATCH_H
#define CYCLOPS_UI_CONSOLE_BATCH_H

#include "ui/cli/options.h"
#include "ui/console/command.h"

enum { STATUS_COMMAND_FAILED = 1 };

/* The startup file, if there is one: XDG_CONFIG_HOME/cyclops/init or ~/.config/cyclops/init. What
 * fails in it is said and nothing more. */
void batch_startup_file(struct console *c);
/* Runs what -x and -e gave, in order. CMD_ERROR after having said which one failed and why. */
enum command_result batch_options(struct console *c, const struct options *o);
/* Commands from standard input, to its end. Returns the exit status. */
int batch_input(struct console *c);

#endif
