/* `help lua`: the areas of the Lua API and their bindings, from the tables that register them. */
#ifndef CYCLOPS_UI_HELP_HELP_LUA_H
#define CYCLOPS_UI_HELP_HELP_LUA_H

#include "ui/console/command.h"

/* Prints the list of areas. */
void help_lua_put_areas(struct console *c);
/* Prints an area, or all bindings of this name ("step", "m:step"); the list for "". CMD_ERROR with
 * c->err, which names the nearest. */
enum command_result help_lua(struct console *c, const char *word);
/* Like help_lua(), but false for a word that is not in the Lua API. */
bool help_lua_try(struct console *c, const char *word);
/* Prints lines for `apropos`; returns how many. */
unsigned help_lua_search(struct console *c, const char *word);

#endif
