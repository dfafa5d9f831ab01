/* Commands that scripts define (cyclops.command), as commands of a console. */
#ifndef CYCLOPS_UI_CONSOLE_LUA_COMMANDS_H
#define CYCLOPS_UI_CONSOLE_LUA_COMMANDS_H

#include "scripting/script.h"
#include "ui/console/command.h"

/* Returns the i-th command of the console's script, NULL past the last. Valid as long as the
 * console. */
const struct command *lua_command_at(struct console *c, unsigned i);
/* Runs one of them. Errors are those of the script. */
bool lua_command_run(struct console *c, const struct command *cmd, const char *args,
                     struct err *err);
/* True if there is the kind of completion that a script's definition of a command names. */
bool lua_command_completes(const struct script_command *told, struct err *err);
void lua_commands_free(struct command_state *st);

#endif
