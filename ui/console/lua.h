/* Lua in a session: one script per console, in which the session's machine is `m`. It is made when
 * it is first needed. */
#ifndef CYCLOPS_UI_CONSOLE_LUA_H
#define CYCLOPS_UI_CONSOLE_LUA_H

#include "ui/console/command.h"

struct script;

/* NULL with c->err. */
struct script *lua_script(struct console *c);
/* With the console; before its session. */
/* False with *err if a machine that its script made leaves a file that is not whole. */
bool lua_free(struct console *c, struct err *err);

/* Runs what was typed, or a file whose name ends in .lua; what it moved is reported as any motion
 * is. */
enum command_result lua_say(struct console *c, const char *text);
enum command_result lua_file(struct console *c, const char *path);
/* Runs a command that a script has defined. */
enum command_result lua_command(struct console *c, const struct command *cmd, const char *args);
bool lua_is_file(const char *path);

#endif
