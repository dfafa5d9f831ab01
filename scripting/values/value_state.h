/* What a customisation module remembers, as bytes: a table of numbers, texts, booleans and such
 * tables, in an order that does not depend on how it came about. */
#ifndef CYCLOPS_SCRIPTING_VALUES_VALUE_STATE_H
#define CYCLOPS_SCRIPTING_VALUES_VALUE_STATE_H

#include <lua.h>
#include <stddef.h>

struct value_text {
	char *at; /* owned, malloc'd; NULL: nothing yet */
	size_t n, room;
};

/* The table at `index` replaces what t holds; a Lua error if it can't be kept: then t holds
 * anything. */
void value_state_write(lua_State *L, int index, struct value_text *t);
/* Pushes what was written; a Lua error if it was not. */
void value_state_read(lua_State *L, const void *bytes, size_t n);

#endif
