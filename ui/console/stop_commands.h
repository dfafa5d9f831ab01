/* Commands that run when a stop point stops the program, like gdb's `commands`.
 *
 * From stop_commands_begin() to a line `end`, command lines are stored, not run. A stop point that
 * stops the program makes its commands due. After the command that moved the program, console_run()
 * runs the due commands in the order of the stop points. A due command that itself moves the
 * program ends its list and drops all other due commands; the new stop then makes commands due. */
#ifndef CYCLOPS_UI_CONSOLE_STOP_COMMANDS_H
#define CYCLOPS_UI_CONSOLE_STOP_COMMANDS_H

#include <stdio.h>

#include "core/run/run.h"
#include "ui/console/command.h"

struct stop_commands;

/* Begins to take lines for this stop point, which replace its present lines. False with c->err. */
bool stop_commands_begin(struct console *c, int id);
/* Returns the stop point whose lines are being taken, 0: none. */
int stop_commands_taking(const struct console *c);
/* Takes one line; `end` is the last. */
enum command_result stop_commands_take(struct console *c, const char *text);
/* Drops the lines taken since stop_commands_begin(). */
void stop_commands_drop(struct console *c);

/* The program moves: drops the due commands. */
void stop_commands_moved(struct console *c);
/* The program stopped at this stop point: makes its commands due. */
void stop_commands_stopped(struct console *c, int id);
/* True if its commands begin with `silent`: the stop is not reported. */
bool stop_commands_silent(const struct console *c, int id);
/* Runs the due commands, unless they are already running. `run` runs a line as console_run() does.
 */
enum command_result stop_commands_run(struct console *c,
                                      enum command_result (*run)(struct console *c,
                                                                 const char *line, bool *repeats));

/* Writes commands that recreate all stop points. Returns the number of stop points. */
unsigned stop_commands_write(FILE *f, const struct console *c);

/* Returns the i-th line of a stop point, NULL past the last. */
const char *stop_commands_line(const struct console *c, int id, unsigned i);
void stop_commands_free(struct stop_commands *s);

#endif
