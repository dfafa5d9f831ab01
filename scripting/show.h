/* Values as text for users: tables by their contents, with sorted keys, so that equal tables give
 * equal texts. */
#ifndef CYCLOPS_SCRIPTING_SHOW_H
#define CYCLOPS_SCRIPTING_SHOW_H

#include <lua.h>

/* Replaces the table of libraries on top of the stack by a function that formats a value. */
void show_push(lua_State *L);

#endif
