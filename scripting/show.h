/* Values as people read them: tables by their contents, keys in order, so that the same table
 * always reads the same. */
#ifndef CYCLOPS_SCRIPTING_SHOW_H
#define CYCLOPS_SCRIPTING_SHOW_H

#include <lua.h>

/* Replaces the table of libraries on top of the stack by the function that turns a value into a
 * text. */
void show_push(lua_State *L);

#endif
