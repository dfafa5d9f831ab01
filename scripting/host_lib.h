/* Lua's libraries as hosts have them: what loops or allocates by its arguments charges steps for it and looks up in between.
 * For scripting/host*.c and lib_*.c only. */
#ifndef CYCLOPS_SCRIPTING_HOST_LIB_H
#define CYCLOPS_SCRIPTING_HOST_LIB_H

#include <lua.h>

enum {
	CHARACTERS_PER_STEP = 2, /* that a pattern compares one by one */
	BYTES_PER_STEP = 64,     /* that are copied or searched as a whole */
	PLAIN_PIECE = 1 << 20,   /* bytes that are searched for a plain text in one go */
};

/* Each replaces functions in the table on top of the stack, a library of Lua's. */
/* lib_patterns.c: find, match, gmatch, gsub of string */
void lib_set_patterns(lua_State *L);

#endif
