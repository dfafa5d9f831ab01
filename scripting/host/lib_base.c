/* The base library's functions that could hide a stop, and those that differ in a safe host. */
#include <lauxlib.h>
#include <string.h>

#include "scripting/host/host.h"
#include "scripting/host/host_lib.h"

enum { CALLS_PER_STEP = 8 };

/* ---- protected calls ---- */
/* The depth of current calls, to within a factor of two; 0: small. */
static uint64_t lib_base_call_depth(lua_State *L)
{
	lua_Debug ar;
	int deep = 64;
	while (deep < 1 << 24 && lua_getstack(L, deep, &ar))
		deep *= 2;
	return deep > 64 ? (uint64_t)deep / 2 : 0;
}

/* Finishes a call: `below` values lie under its results. Also the continuation if the call
 * yielded. */
static int finish_call(lua_State *L, int status, lua_KContext below)
{
	if (status == LUA_ERRMEM)
		host_note_memory(L);
	host_go_on(L);
	if (status == LUA_OK || status == LUA_YIELD)
		return lua_gettop(L) - (int)below;
	/* For each caught error Lua walks all calls to find how much of the stack is in use. */
	host_tick(L, lib_base_call_depth(L) / CALLS_PER_STEP);
	lua_pushboolean(L, 0);
	lua_insert(L, -2);
	return 2;
}

static int protected_call(lua_State *L)
{
	luaL_checkany(L, 1);
	lua_pushboolean(L, 1);
	lua_insert(L, 1);
	return finish_call(L, lua_pcallk(L, lua_gettop(L) - 2, LUA_MULTRET, 0, 0, finish_call), 0);
}

/* Calls the script's message handler unless the call is to end: handlers run where Lua calls no
 * hook. Upvalue: the script's. */
static int guarded_handler(lua_State *L)
{
	if (host_is_stopping(L))
		return 1;
	lua_pushvalue(L, lua_upvalueindex(1));
	lua_insert(L, 1);
	lua_call(L, lua_gettop(L) - 1, 1);
	return 1;
}

static int protected_call_with_handler(lua_State *L)
{
	int n = lua_gettop(L);
	luaL_checktype(L, 2, LUA_TFUNCTION);
	lua_pushvalue(L, 2);
	lua_pushcclosure(L, guarded_handler, 1);
	lua_replace(L, 2);
	lua_pushboolean(L, 1);
	lua_pushvalue(L, 1);
	lua_rotate(L, 3, 2); /* f, handler, true, f, arguments */
	return finish_call(L, lua_pcallk(L, n - 2, LUA_MULTRET, 2, 2, finish_call), 2);
}

void lib_set_calls(lua_State *L)
{
	static const luaL_Reg functions[] = {
		{"pcall", protected_call}, {"xpcall", protected_call_with_handler}, {NULL, NULL}};
	luaL_setfuncs(L, functions, 0);
}

/* ---- tables ---- */
static bool has_field(lua_State *L, int index, const char *name)
{
	lua_pushstring(L, name);
	bool has = lua_rawget(L, index) != LUA_TNIL;
	lua_pop(L, 1);
	return has;
}

/* Refuses __gc and __mode: finalizers run without a step count, and weak tables show when memory
 * was collected. Upvalue: Lua's own. */
static int set_metatable(lua_State *L)
{
	if (lua_istable(L, 2) && has_field(L, 2, "__gc"))
		return luaL_error(L, "a safe script has no finalizers (__gc)");
	if (lua_istable(L, 2) && has_field(L, 2, "__mode"))
		return luaL_error(L, "a safe script has no weak tables (__mode)");
	return lua_tocfunction(L, lua_upvalueindex(1))(L);
}

/* For tables only: the metatables of strings and userdata are shared. */
static int get_metatable(lua_State *L)
{
	luaL_checkany(L, 1);
	if (!lua_istable(L, 1) || !lua_getmetatable(L, 1)) {
		lua_pushnil(L);
	} else {
		lua_pushliteral(L, "__metatable");
		if (lua_rawget(L, -2) == LUA_TNIL)
			lua_pop(L, 1);
	}
	return 1;
}

static int to_text(lua_State *L)
{
	luaL_checkany(L, 1);
	host_text(L, 1, NULL);
	return 1;
}

/* Upvalue: Lua's own. */
static int raw_set(lua_State *L)
{
	if (host_is_frozen(L, 1))
		return luaL_error(L, "this table can't be changed");
	return lua_tocfunction(L, lua_upvalueindex(1))(L);
}

/* ---- load(TEXT or FUNCTION, [NAME, [MODE, [ENVIRONMENT]]]), of texts only ---- */
static void push_pieces(lua_State *L)
{
	luaL_Buffer b;
	luaL_buffinit(L, &b);
	for (;;) {
		host_tick(L, 16);
		lua_pushvalue(L, 1);
		lua_call(L, 0, 1);
		if (lua_isnil(L, -1) || (lua_isstring(L, -1) && !lua_rawlen(L, -1)))
			break;
		if (lua_type(L, -1) != LUA_TSTRING)
			luaL_error(L, "reader function must return a string");
		luaL_addvalue(&b);
		if (luaL_bufflen(&b) > host_text_max(L))
			luaL_error(L, "resulting string too large");
	}
	lua_pop(L, 1);
	luaL_pushresult(&b);
}

static int load_text(lua_State *L)
{
	bool has_environment = lua_gettop(L) >= 4;
	size_t n;
	lua_settop(L, 4);
	if (lua_type(L, 1) != LUA_TSTRING) {
		luaL_checktype(L, 1, LUA_TFUNCTION);
		push_pieces(L);
		lua_copy(L, -1, 1);
		lua_pop(L, 1);
	}
	const char *text = lua_tolstring(L, 1, &n), *name = luaL_optstring(L, 2, text);
	int status = host_load(L, text, n, name);
	if (status == LUA_ERRMEM)
		host_note_memory(L);
	host_go_on(L);
	if (status != LUA_OK) {
		luaL_pushfail(L);
		lua_insert(L, -2);
		return 2;
	}
	if (has_environment) {
		lua_pushvalue(L, 4);
		if (!lua_setupvalue(L, -2, 1))
			lua_pop(L, 1);
	}
	return 1;
}

/* Replaces the library's function of this name by `with`, whose upvalue is the replaced function.
 */
static void lib_base_wrap_function(lua_State *L, const char *name, lua_CFunction with)
{
	lua_getfield(L, -1, name);
	lua_pushcclosure(L, with, 1);
	lua_setfield(L, -2, name);
}

void lib_set_safe_base(lua_State *L)
{
	lib_base_wrap_function(L, "setmetatable", set_metatable);
	lib_base_wrap_function(L, "rawset", raw_set);
	lua_pushcfunction(L, to_text);
	lua_setfield(L, -2, "tostring");
	lua_pushcfunction(L, get_metatable);
	lua_setfield(L, -2, "getmetatable");
	lua_pushcfunction(L, load_text);
	lua_setfield(L, -2, "load");
}
