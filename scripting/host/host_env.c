/* Globals of a host: its libraries, and read-only tables. */
#include <lauxlib.h>
#include <lualib.h>
#include <string.h>

#include "scripting/host/host.h"
#include "scripting/host/host_lib.h"

/* ---- read-only tables ---- */
static const char frozen_key; /* its address marks their metatables */

bool host_is_frozen(lua_State *L, int index)
{
	if (!lua_istable(L, index) || !lua_getmetatable(L, index))
		return false;
	bool frozen = lua_rawgetp(L, -1, &frozen_key) != LUA_TNIL;
	lua_pop(L, 2);
	return frozen;
}

/* Upvalue: the table's name, for the message. */
static int host_env_reject_assignment(lua_State *L)
{
	const char *name = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "an entry";
	return luaL_error(L, "%s of %s can't be set", name, lua_tostring(L, lua_upvalueindex(1)));
}

/* Upvalue: the original table, which must not be returned. */
static int frozen_next(lua_State *L)
{
	lua_settop(L, 2);
	return lua_next(L, lua_upvalueindex(1)) ? 2 : 0;
}

static int frozen_pairs(lua_State *L)
{
	lua_pushvalue(L, lua_upvalueindex(1));
	lua_pushcclosure(L, frozen_next, 1);
	return 1;
}

void host_freeze(lua_State *L, const char *name)
{
	lua_newtable(L); /* the proxy stays empty */
	lua_createtable(L, 0, 5);
	lua_pushvalue(L, -3);
	lua_setfield(L, -2, "__index");
	lua_pushstring(L, name);
	lua_pushcclosure(L, host_env_reject_assignment, 1);
	lua_setfield(L, -2, "__newindex");
	lua_pushvalue(L, -3);
	lua_pushcclosure(L, frozen_pairs, 1);
	lua_setfield(L, -2, "__pairs");
	lua_pushboolean(L, 0);
	lua_setfield(L, -2, "__metatable");
	lua_pushboolean(L, 1);
	lua_rawsetp(L, -2, &frozen_key);
	lua_setmetatable(L, -2);
	lua_remove(L, -2);
}

/* ---- libraries ---- */
/* math.randomseed; without an argument a constant seed, not the time: each run of a script must be
 * equal. Upvalue: Lua's own function. */
static int host_env_randomseed(lua_State *L)
{
	lua_pushvalue(L, lua_upvalueindex(1));
	lua_insert(L, 1);
	if (lua_gettop(L) == 1)
		lua_pushinteger(L, 0);
	lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
	return lua_gettop(L);
}

static void set_math(lua_State *L)
{
	lua_getfield(L, -1, "randomseed");
	lua_pushvalue(L, -1);
	lua_pushinteger(L, 0);
	lua_call(L, 1, 0);
	lua_pushcclosure(L, host_env_randomseed, 1);
	lua_setfield(L, -2, "randomseed");
}

static void set_string(lua_State *L)
{
	lib_set_string(L);
	lib_set_patterns(L);
}

static const struct library {
	const char *name;
	lua_CFunction open;
	void (*set)(lua_State *L);
	const char *left_out; /* not in a safe host */
} libraries[] = {
	{LUA_MATHLIBNAME, luaopen_math, set_math, NULL},
	{LUA_STRLIBNAME, luaopen_string, set_string, "dump"},
	{LUA_TABLIBNAME, luaopen_table, lib_set_table, NULL},
	{LUA_UTF8LIBNAME, luaopen_utf8, lib_set_utf8, NULL},
	{LUA_COLIBNAME, luaopen_coroutine, lib_set_coroutine, NULL},
};
enum { LIBRARIES = sizeof libraries / sizeof *libraries };

/* Strings have methods: s:format(...). Hides their metatable's table. */
static void protect_texts(lua_State *L)
{
	lua_pushliteral(L, "");
	if (lua_getmetatable(L, -1)) {
		lua_pushboolean(L, 0);
		lua_setfield(L, -2, "__metatable");
		lua_pop(L, 1);
	}
	lua_pop(L, 1);
}

static void push_safe_libraries(lua_State *L)
{
	static const char *const kept[] = {
		"assert", "error",        "getmetatable", "ipairs",   "load",   "next",
		"pairs",  "pcall",        "rawequal",     "rawget",   "rawlen", "rawset",
		"select", "setmetatable", "tonumber",     "tostring", "type",   "xpcall"};
	lua_newtable(L);
	luaL_requiref(L, LUA_GNAME, luaopen_base, 0);
	lib_set_calls(L);
	lib_set_safe_base(L);
	for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
		lua_getfield(L, -1, kept[i]);
		lua_setfield(L, -3, kept[i]);
	}
	/* Opening the library has set Lua's own names globally. */
	lua_pop(L, 1);
	lua_newtable(L);
	lua_rawseti(L, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
	for (int i = 0; i < LIBRARIES; i++) {
		luaL_requiref(L, libraries[i].name, libraries[i].open, 0);
		libraries[i].set(L);
		if (libraries[i].left_out) {
			lua_pushnil(L);
			lua_setfield(L, -2, libraries[i].left_out);
		}
		host_freeze(L, libraries[i].name);
		lua_setfield(L, -2, libraries[i].name);
	}
	if (host_folder(L))
		lib_set_require(L);
	protect_texts(L);
}

/* Takes the templates out of package.NAME that would look in the present folder ("./?.lua"): a
 * module would be executed because it lies where we are. The package table is on top. */
static void keep_absolute_templates(lua_State *L, const char *name)
{
	luaL_Buffer b;
	lua_getfield(L, -1, name);
	const char *at = lua_tostring(L, -1);
	bool first = true;
	luaL_buffinit(L, &b);
	while (at && *at) {
		const size_t n = strcspn(at, ";");
		if (*at == '/') {
			if (!first)
				luaL_addchar(&b, ';');
			luaL_addlstring(&b, at, n);
			first = false;
		}
		at += n + (at[n] == ';');
	}
	luaL_pushresult(&b);
	lua_setfield(L, -3, name);
	lua_pop(L, 1);
}

static void push_all_libraries(lua_State *L)
{
	luaL_openlibs(L);
	lua_getglobal(L, LUA_LOADLIBNAME);
	keep_absolute_templates(L, "path");
	keep_absolute_templates(L, "cpath");
	lua_pop(L, 1);
	lua_pushglobaltable(L);
	lib_set_calls(L);
	for (int i = 0; i < LIBRARIES; i++) {
		lua_getfield(L, -1, libraries[i].name);
		libraries[i].set(L);
		lua_pop(L, 1);
	}
	lib_set_trusted(L);
}

void host_push_libraries(lua_State *L)
{
	if (host_is_trusted(host_of(L)))
		push_all_libraries(L);
	else
		push_safe_libraries(L);
}

/* Upvalue: the libraries. */
static int set_global(lua_State *L)
{
	lua_settop(L, 3);
	lua_pushvalue(L, 2);
	if (lua_rawget(L, lua_upvalueindex(1)) != LUA_TNIL)
		return luaL_error(L, "'%s' is Lua's own here and can't be set",
		                  host_text(L, 2, NULL));
	lua_pop(L, 1);
	lua_rawset(L, 1);
	return 0;
}

void host_push_environment(lua_State *L)
{
	host_push_libraries(L);
	if (host_is_trusted(host_of(L)))
		return;
	lua_newtable(L);
	lua_createtable(L, 0, 3);
	lua_pushvalue(L, -3);
	lua_setfield(L, -2, "__index");
	lua_pushvalue(L, -3);
	lua_pushcclosure(L, set_global, 1);
	lua_setfield(L, -2, "__newindex");
	lua_pushboolean(L, 0);
	lua_setfield(L, -2, "__metatable");
	lua_setmetatable(L, -2);
	lua_remove(L, -2);
	lua_pushvalue(L, -1);
	lua_rawseti(L, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
}

void host_set_module(lua_State *L, const char *name)
{
	luaL_getsubtable(L, LUA_REGISTRYINDEX,
	                 host_is_trusted(host_of(L)) ? LUA_LOADED_TABLE : SAFE_MODULES);
	lua_insert(L, -2);
	lua_setfield(L, -2, name);
	lua_pop(L, 1);
}
