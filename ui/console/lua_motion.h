/* Hooks of the console's script in motions of other commands. */
#ifndef CYCLOPS_UI_CONSOLE_LUA_MOTION_H
#define CYCLOPS_UI_CONSOLE_LUA_MOTION_H

#include "ui/console/command.h"

/* Call before and after motions of other commands, in which hooks may run. */
void lua_motion_begins(struct console *c);
/* CMD_ERROR with c->err if a hook failed. */
enum command_result lua_motion_ends(struct console *c);
/* The hook that requested the stop, NULL: none or unknown. */
const char *lua_stopper(const struct console *c);
/* Prints a Lua call stack if it has more than the typed line. */
void lua_put_trace(struct console *c, const char *trace);

#endif
