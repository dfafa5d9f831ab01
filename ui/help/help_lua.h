/* `help lua`: the areas of the Lua API and their bindings, from the tables that register them. */
#ifndef CYCLOPS_UI_HELP_HELP_LUA_H
#define CYCLOPS_UI_HELP_HELP_LUA_H

#include "ui/console/command.h"

/* The list of areas. */
void help_lua_put_areas(struct console *c);
/* An area, or all bindings of this name ("step", "m:step"); "" gives the list. CMD_ERROR with
 * c->err, naming the nearest. */
enum command_result help_lua(struct console *c, const char *word);
/* The same, of a word that may be somebody else's: false if it is nothing of Lua's. */
bool help_lua_try(struct console *c, const char *word);
/* Lines for `apropos`; returns how many. */
unsigned help_lua_search(struct console *c, const char *word);

#endif
