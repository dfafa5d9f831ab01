/* Words of the command line as Lua, for commands that Lua modules implement. */
#ifndef CYCLOPS_UI_CLI_LUA_FIELD_H
#define CYCLOPS_UI_CLI_LUA_FIELD_H

#include <stdio.h>

/* Writes "name = TEXT, ", a field of a table; the text may have any bytes. NULL: writes nothing. */
void lua_field(FILE *f, const char *name, const char *text);
/* Writes TEXT as a Lua string. */
void lua_text(FILE *f, const char *text);

#endif
