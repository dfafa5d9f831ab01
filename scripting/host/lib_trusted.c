/* Functions of a trusted host that Ctrl-C would not reach, or that would replace the host's hook.
 */
#include <errno.h>
#include <lauxlib.h>
#include <lualib.h>
#include <stdlib.h>

#include "scripting/host/host.h"
#include "scripting/host/host_lib.h"

/* Calls a finalizer in a coroutine: Lua calls no hooks in the thread that runs a finalizer, so
 * Ctrl-C and limits would not end it. Upvalue: the script's finalizer. */
static int lib_trusted_finalize(lua_State *L)
{
	int results;
	lua_State *co = lua_newthread(L);
	lua_pushvalue(L, lua_upvalueindex(1));
	lua_pushvalue(L, 1);
	lua_xmove(L, co, 2);
	host_watch(co);
	lua_State *running = host_state(host_of(L));
	host_set_running(co);
	const int status = lua_resume(co, L, 1, &results);
	host_set_running(running);
	if (status == LUA_OK)
		return 0;
	if (status == LUA_YIELD)
		return luaL_error(L, "a finalizer can't yield");
	lua_xmove(co, L, 1);
	return lua_error(L);
}

/* Upvalue: Lua's own. */
static int lib_trusted_setmetatable(lua_State *L)
{
	lua_settop(L, 2);
	if (lua_istable(L, 2)) {
		lua_pushliteral(L, "__gc");
		if (lua_rawget(L, 2) == LUA_TFUNCTION && !lua_iscfunction(L, -1)) {
			lua_pushcclosure(L, lib_trusted_finalize, 1);
			lua_pushliteral(L, "__gc");
			lua_insert(L, -2);
			lua_rawset(L, 2);
		}
		lua_settop(L, 2);
	}
	lua_pushvalue(L, lua_upvalueindex(1));
	lua_insert(L, 1);
	lua_call(L, 2, 1);
	return 1;
}

static int lib_trusted_execute(lua_State *L)
{
	const char *command = luaL_optstring(L, 1, NULL);
	if (!command) {
		lua_pushboolean(L, 1);
		return 1;
	}
	const int status = host_execute(L)(command);
	host_go_on(L);
	if (status != -1)
		errno = 0;
	return luaL_execresult(L, status);
}

static void lib_trusted_wrap_setmetatable(lua_State *L)
{
	lua_getfield(L, -1, "setmetatable");
	lua_pushcclosure(L, lib_trusted_setmetatable, 1);
	lua_setfield(L, -2, "setmetatable");
}

void lib_set_trusted(lua_State *L)
{
	lib_trusted_wrap_setmetatable(L);
	lua_getfield(L, -1, LUA_DBLIBNAME);
	lib_trusted_wrap_setmetatable(L);
	lua_pushnil(L); /* it would replace the host's hook */
	lua_setfield(L, -2, "sethook");
	lua_pop(L, 1);
	if (!host_execute(L))
		return;
	lua_getfield(L, -1, LUA_OSLIBNAME);
	lua_pushcfunction(L, lib_trusted_execute);
	lua_setfield(L, -2, "execute");
	lua_pop(L, 1);
}
