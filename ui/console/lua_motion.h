/* Hooks of the console's script in motions of other commands. */
#ifndef CYCLOPS_UI_CONSOLE_LUA_MOTION_H
#define CYCLOPS_UI_CONSOLE_LUA_MOTION_H

#include "ui/console/command.h"

/* Around motions of other commands: hooks may be called in them. */
void lua_motion_begins(struct console *c);
/* CMD_ERROR with c->err if a hook failed. */
enum command_result lua_motion_ends(struct console *c);
/* Which hook asked for the stop, NULL: none that is known. */
const char *lua_stopper(const struct console *c);
/* A call stack, where there is more of it than the line that was typed. */
void lua_put_trace(struct console *c, const char *trace);

#endif
