/* A customisation module's saved state, as bytes: a table of numbers, texts, booleans and such
 * tables, in an order that depends only on the contents. */
#ifndef CYCLOPS_SCRIPTING_VALUES_VALUE_STATE_H
#define CYCLOPS_SCRIPTING_VALUES_VALUE_STATE_H

#include <lua.h>
#include <stddef.h>

struct value_text {
	char *at; /* owned, malloc'd; NULL: nothing yet */
	size_t n, room;
};

/* Replaces t's contents by the table at `index`. Values of other kinds raise a Lua error, and t's
 * contents are then undefined. */
void value_state_write(lua_State *L, int index, struct value_text *t);
/* Pushes the table that was written; a Lua error if the bytes are invalid. */
void value_state_read(lua_State *L, const void *bytes, size_t n);

#endif
