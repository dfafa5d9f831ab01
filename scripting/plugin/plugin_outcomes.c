/* Argument h of a predictor's functions: the outcomes of branches before the one in question. */
#include <lauxlib.h>

#include "core/pipe/frontend/outcomes.h"
#include "scripting/plugin/lua_plugin.h"

/* The branch of the present call. Raises an error outside of calls. */
static const struct plugin_branch *outcomes_branch(lua_State *L)
{
	const struct plugin_branch *b = plugin_of(L)->branch;
	if (!lua_isuserdata(L, 1))
		luaL_error(L, "expected h:bits(1, 3) with a colon, not h.bits(1, 3)");
	if (!b || !b->outcomes)
		luaL_error(L, "h is of a call of predict or update: use it there");
	return b;
}

static uint32_t outcomes_argument(lua_State *L, int index, lua_Integer least, lua_Integer most)
{
	const lua_Integer v = luaL_checkinteger(L, index);
	if (v < least || v > most)
		luaL_error(L, "argument %d is %I; expected %I to %I", index - 1, v, least, most);
	return (uint32_t)v;
}

static int outcomes_lua_bits(lua_State *L)
{
	const struct plugin_branch *b = outcomes_branch(L);
	const uint32_t n = outcomes_argument(L, 3, 1, 64),
		       from = outcomes_argument(L, 2, 0, OUTCOMES_MAX - n);
	lua_pushinteger(L, (lua_Integer)outcomes_bits(b->outcomes, b->head, from, n));
	return 1;
}

static int outcomes_lua_fold(lua_State *L)
{
	const struct plugin_branch *b = outcomes_branch(L);
	const uint32_t length = outcomes_argument(L, 2, 0, OUTCOMES_MAX),
		       width = outcomes_argument(L, 3, 1, 64);
	lua_pushinteger(L, (lua_Integer)outcomes_fold(b->outcomes, b->head, length, width));
	return 1;
}

void plugin_outcomes_make(lua_State *L)
{
	static const luaL_Reg functions[] = {
		{"bits", outcomes_lua_bits}, {"fold", outcomes_lua_fold}, {NULL, NULL}};
	lua_newuserdatauv(L, 1, 0);
	lua_newtable(L);
	luaL_newlib(L, functions);
	lua_setfield(L, -2, "__index");
	lua_pushboolean(L, false);
	lua_setfield(L, -2, "__metatable");
	lua_setmetatable(L, -2);
	plugin_of(L)->outcomes = luaL_ref(L, LUA_REGISTRYINDEX);
}
