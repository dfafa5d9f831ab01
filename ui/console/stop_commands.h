/* Commands that run when a stop point stops the program, as gdb's `commands` has them.
 *
 * From stop_commands_begin() to a line `end` command lines are kept and not run. What stopped the
 * program is due; when the command that moved it is done, console_run() runs what belongs to that,
 * in the order of the stop points. A command that moves the program ends the list that it stands
 * in, and the others that were due: what stopped it then is due next. */
#ifndef CYCLOPS_UI_CONSOLE_STOP_COMMANDS_H
#define CYCLOPS_UI_CONSOLE_STOP_COMMANDS_H

#include <stdio.h>

#include "core/run/run.h"
#include "ui/console/command.h"

struct stop_commands;

/* Lines that follow belong to this stop point, in place of those it had. False with c->err. */
bool stop_commands_begin(struct console *c, int id);
/* The stop point whose lines are being taken, 0: none. */
int stop_commands_taking(const struct console *c);
/* One of these lines; `end` is the last. */
enum command_result stop_commands_take(struct console *c, const char *text);
/* Forgets what was taken since stop_commands_begin(). */
void stop_commands_drop(struct console *c);

/* The program moves: what was due is not. */
void stop_commands_moved(struct console *c);
/* It stopped at this stop point: its commands are due. */
void stop_commands_stopped(struct console *c, int id);
/* Whether its commands begin with `silent`: nothing is said of the stop. */
bool stop_commands_silent(const struct console *c, int id);
/* Runs what is due, unless that is under way: by whom a line is run as console_run() does it. */
enum command_result stop_commands_run(struct console *c,
                                      enum command_result (*run)(struct console *c,
                                                                 const char *line, bool *repeats));

/* All stop points, as the commands that make them again. Returns how many. */
unsigned stop_commands_write(FILE *f, const struct console *c);

/* i-th line of a stop point, NULL behind the last. */
const char *stop_commands_line(const struct console *c, int id, unsigned i);
void stop_commands_free(struct stop_commands *s);

#endif
