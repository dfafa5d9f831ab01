/* Sessions without a terminal: answers on stdout, diagnostics on stderr, the result as exit status.
 */
#ifndef CYCLOPS_UI_CONSOLE_BATCH_H
#define CYCLOPS_UI_CONSOLE_BATCH_H

#include "ui/cli/options.h"
#include "ui/console/command.h"

enum { STATUS_COMMAND_FAILED = 1 };

/* Runs the startup file, if it exists: XDG_CONFIG_HOME/cyclops/init or ~/.config/cyclops/init. Only
 * reports its failures. */
void batch_startup_file(struct console *c);
/* Runs the commands of -x and -e, in order. CMD_ERROR after having reported which one failed and
 * why. */
enum command_result batch_options(struct console *c, const struct options *o);
/* Runs commands from standard input, to its end. Returns the exit status. */
int batch_input(struct console *c);

#endif
