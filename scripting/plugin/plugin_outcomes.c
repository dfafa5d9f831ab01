/* Argument h of predictors' functions: the outcomes and the path before the instruction in
 * question. */
#include <lauxlib.h>

#include "core/pipe/frontend/outcomes.h"
#include "scripting/plugin/lua_plugin.h"

/* A history and its head in the present call. */
struct shown {
	const struct outcomes *bits;
	uint32_t head;
};

/* Of outcomes, or of the path. Raises an error outside of calls that have it. */
static struct shown outcomes_shown(lua_State *L, bool path, const char *function)
{
	const struct plugin_history *h = plugin_of(L)->history;
	if (!lua_isuserdata(L, 1))
		luaL_error(L, "expected h:%s(1, 3) with a colon, not h.%s(1, 3)", function,
		           function);
	if (!h)
		luaL_error(L, "h is of a call of predict, target, fetched, resolved or update: use "
		              "it there");
	if (path)
		return (struct shown){h->path, h->path_head};
	if (!h->outcomes)
		luaL_error(L, "h:%s is for predict and its update; %s has h:path_%s", function,
		           plugin_of(L)->calls, function);
	return (struct shown){h->outcomes, h->head};
}

static uint32_t outcomes_argument(lua_State *L, int index, lua_Integer least, lua_Integer most)
{
	const lua_Integer v = luaL_checkinteger(L, index);
	if (v < least || v > most)
		luaL_error(L, "argument %d is %I; expected %I to %I", index - 1, v, least, most);
	return (uint32_t)v;
}

static int outcomes_push_bits(lua_State *L, struct shown s)
{
	const uint32_t n = outcomes_argument(L, 3, 1, 64),
		       from = outcomes_argument(L, 2, 0, OUTCOMES_MAX - n);
	lua_pushinteger(L, (lua_Integer)outcomes_bits(s.bits, s.head, from, n));
	return 1;
}

static int outcomes_push_fold(lua_State *L, struct shown s)
{
	const uint32_t length = outcomes_argument(L, 2, 0, OUTCOMES_MAX),
		       width = outcomes_argument(L, 3, 1, 64);
	lua_pushinteger(L, (lua_Integer)outcomes_fold(s.bits, s.head, length, width));
	return 1;
}

static int outcomes_lua_bits(lua_State *L)
{
	return outcomes_push_bits(L, outcomes_shown(L, false, "bits"));
}

static int outcomes_lua_fold(lua_State *L)
{
	return outcomes_push_fold(L, outcomes_shown(L, false, "fold"));
}

static int outcomes_lua_path_bits(lua_State *L)
{
	return outcomes_push_bits(L, outcomes_shown(L, true, "path_bits"));
}

static int outcomes_lua_path_fold(lua_State *L)
{
	return outcomes_push_fold(L, outcomes_shown(L, true, "path_fold"));
}

void plugin_outcomes_make(lua_State *L)
{
	static const luaL_Reg functions[] = {{"bits", outcomes_lua_bits},
	                                     {"fold", outcomes_lua_fold},
	                                     {"path_bits", outcomes_lua_path_bits},
	                                     {"path_fold", outcomes_lua_path_fold},
	                                     {NULL, NULL}};
	lua_newuserdatauv(L, 1, 0);
	lua_newtable(L);
	luaL_newlib(L, functions);
	plugin_arguments_close(L, ARGUMENT_HISTORY);
	lua_setfield(L, -2, "__index");
	lua_pushboolean(L, false);
	lua_setfield(L, -2, "__metatable");
	lua_setmetatable(L, -2);
	plugin_of(L)->outcomes = luaL_ref(L, LUA_REGISTRYINDEX);
}
