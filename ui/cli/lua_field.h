/* Words of the command line as Lua, for commands that a module carries out. */
#ifndef CYCLOPS_UI_CLI_LUA_FIELD_H
#define CYCLOPS_UI_CLI_LUA_FIELD_H

#include <stdio.h>

/* "name = TEXT, ", a field of a table; the text may have any bytes. NULL: nothing is written. */
void lua_field(FILE *f, const char *name, const char *text);
/* TEXT alone. */
void lua_text(FILE *f, const char *text);

#endif
