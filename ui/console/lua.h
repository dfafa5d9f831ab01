/* Lua in a session: one script per console, created when first needed, in which the session's
 * machine is `m`. */
#ifndef CYCLOPS_UI_CONSOLE_LUA_H
#define CYCLOPS_UI_CONSOLE_LUA_H

#include "ui/console/command.h"

struct script;

/* NULL with c->err. */
struct script *lua_script(struct console *c);
/* Call when the console ends, before its session ends. */
/* False with *err if a machine that the script made leaves an incomplete file. */
bool lua_free(struct console *c, struct err *err);

/* Runs typed Lua, or a file whose name ends in .lua; reports its motions like a command's. */
enum command_result lua_say(struct console *c, const char *text);
enum command_result lua_file(struct console *c, const char *path);
/* Runs a command that a script has defined. */
enum command_result lua_command(struct console *c, const struct command *cmd, const char *args);
bool lua_is_file(const char *path);

#endif
