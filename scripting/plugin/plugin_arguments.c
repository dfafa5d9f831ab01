/* Tables that a plug-in's functions receive as arguments: a field that they do not have is an
 * error, which lists those that there are. */
#include <lauxlib.h>
#include <string.h>

#include "scripting/plugin/lua_plugin.h"

enum { PLUGIN_FIELDS_MAX = 8 };

static const struct {
	const char *name, *fields[PLUGIN_FIELDS_MAX + 1];
	const char *absent; /* a field that may be nil */
} plugin_arguments[ARGUMENTS] = {
	[ARGUMENT_CONTROL] = {"b", {"pc", "branch", "indirect", "call", "returns", "next"}, NULL},
	[ARGUMENT_OUTCOME] = {"b",
                              {"pc", "branch", "indirect", "call", "returns", "taken", "next",
                               "predicted"},
                              NULL},
	[ARGUMENT_ACCESS] = {"a",
                             {"pc", "addr", "line", "set", "cycle", "hit", "prefetched", "store"},
                             NULL},
	[ARGUMENT_FLAG] = {"a", {"pc", "type", "entry", "count", "bit"}, "entry"},
	[ARGUMENT_DECODED] = {"a",
                              {"pc", "type", "entry", "count", "on", "expected", "leader"},
                              "entry"},
	[ARGUMENT_WAYS] = {"ways", {"n"}, NULL},
	[ARGUMENT_WAY] = {"ways[way]", {"addr", "used", "inserted", "dirty"}, NULL},
	[ARGUMENT_HISTORY] = {"h", {"bits", "fold", "path_bits", "path_fold"}, NULL},
};

/* Raises the error about key, at index 2. */
static int plugin_refuse_field(lua_State *L, enum plugin_argument kind)
{
	const char *const *fields = plugin_arguments[kind].fields;
	const bool text = lua_type(L, 2) == LUA_TSTRING;
	const char *key = luaL_tolstring(L, 2, NULL);
	if (kind == ARGUMENT_WAYS && !text) {
		lua_getfield(L, 1, "n");
		if (lua_rawequal(L, 2, -1)) /* ipairs() ends there */
			return 0;
		return luaL_error(L, "there is no ways[%s]; expected ways[0] to ways[%d]", key,
		                  (int)lua_tointeger(L, -1) - 1);
	}
	luaL_Buffer list;
	luaL_buffinit(L, &list);
	for (unsigned i = 0; fields[i]; i++) {
		luaL_addstring(&list, i ? ", " : "");
		luaL_addstring(&list, fields[i]);
	}
	luaL_pushresult(&list);
	return luaL_error(L, "%s has no field '%s'; it has %s", plugin_arguments[kind].name, key,
	                  lua_tostring(L, -1));
}

/* __index. Upvalue: enum plugin_argument. */
static int plugin_read_field(lua_State *L)
{
	const lua_Integer of = lua_tointeger(L, lua_upvalueindex(1));
	const enum plugin_argument kind = (enum plugin_argument)of;
	const char *absent = plugin_arguments[kind].absent;
	const bool text = lua_type(L, 2) == LUA_TSTRING;
	return absent && text && !strcmp(lua_tostring(L, 2), absent) ? 0
	                                                             : plugin_refuse_field(L, kind);
}

static int plugin_write_field(lua_State *L)
{
	return plugin_refuse_field(L, (enum plugin_argument)lua_tointeger(L, lua_upvalueindex(1)));
}

void plugin_arguments_make(lua_State *L)
{
	struct lua_plugin *p = plugin_of(L);
	for (int kind = 0; kind < ARGUMENTS; kind++) {
		lua_createtable(L, 0, 3);
		lua_pushinteger(L, kind);
		lua_pushcclosure(L, plugin_read_field, 1);
		lua_setfield(L, -2, "__index");
		lua_pushinteger(L, kind);
		lua_pushcclosure(L, plugin_write_field, 1);
		lua_setfield(L, -2, "__newindex");
		lua_pushliteral(L, "the fields of an argument"); /* for getmetatable() */
		lua_setfield(L, -2, "__metatable");
		p->arguments[kind] = luaL_ref(L, LUA_REGISTRYINDEX);
	}
}

void plugin_arguments_close(lua_State *L, enum plugin_argument kind)
{
	lua_rawgeti(L, LUA_REGISTRYINDEX, plugin_of(L)->arguments[kind]);
	lua_setmetatable(L, -2);
}
