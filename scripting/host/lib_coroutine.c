/* Coroutines that neither hide a stop nor get free steps. */
#include <lauxlib.h>

#include "scripting/host/host.h"
#include "scripting/host/host_lib.h"

/* Resumes `co` with n values of L's stack. Returns how many results L has, or -1: the error. */
static int lib_coroutine_resume_with_args(lua_State *L, lua_State *co, int n)
{
	int results;
	if (!lua_checkstack(co, n)) {
		lua_pushliteral(L, "too many arguments to resume");
		return -1;
	}
	/* Each resume restarts the coroutine's count of steps: charge them in advance. */
	host_tick(L, HOST_STEPS);
	if (co != L)
		host_watch(co);
	lua_xmove(L, co, n);
	host_set_running(co);
	int status = lua_resume(co, L, n, &results);
	host_set_running(L);
	if (status == LUA_ERRMEM)
		host_note_memory(L);
	if (status != LUA_OK && status != LUA_YIELD) {
		lua_xmove(co, L, 1);
		return -1;
	}
	if (!lua_checkstack(L, results + 1)) {
		lua_pop(co, results);
		lua_pushliteral(L, "too many results to resume");
		return -1;
	}
	lua_xmove(co, L, results);
	return results;
}

static lua_State *check_coroutine(lua_State *L)
{
	lua_State *co = lua_tothread(L, 1);
	luaL_argexpected(L, co, 1, "coroutine");
	return co;
}

static int lib_coroutine_resume(lua_State *L)
{
	lua_State *co = check_coroutine(L);
	int n = lib_coroutine_resume_with_args(L, co, lua_gettop(L) - 1);
	host_go_on(L);
	lua_pushboolean(L, n >= 0);
	lua_insert(L, n < 0 ? -2 : -(n + 1));
	return n < 0 ? 2 : n + 1;
}

static int lib_coroutine_call_wrapped(lua_State *L)
{
	lua_State *co = lua_tothread(L, lua_upvalueindex(1));
	int n = lib_coroutine_resume_with_args(L, co, lua_gettop(L));
	host_go_on(L);
	if (n >= 0)
		return n;
	int status = lua_status(co);
	/* it died with an error: close its variables */
	if (status != LUA_OK && status != LUA_YIELD) {
		host_watch(co);
		lua_resetthread(co);
		host_go_on(L);
		lua_xmove(co, L, 1);
	}
	if (lua_type(L, -1) == LUA_TSTRING) {
		luaL_where(L, 1);
		lua_insert(L, -2);
		lua_concat(L, 2);
	}
	return lua_error(L);
}

static int lib_coroutine_wrap(lua_State *L)
{
	luaL_checktype(L, 1, LUA_TFUNCTION);
	lua_State *co = lua_newthread(L);
	lua_pushvalue(L, 1);
	lua_xmove(L, co, 1);
	lua_pushcclosure(L, lib_coroutine_call_wrapped, 1);
	return 1;
}

/* Upvalue: Lua's own. */
static int close_coroutine(lua_State *L)
{
	lua_State *co = check_coroutine(L);
	host_tick(L, HOST_STEPS);
	if (co != L)
		host_watch(co);
	int n = lua_tocfunction(L, lua_upvalueindex(1))(L);
	host_go_on(L);
	return n;
}

void lib_set_coroutine(lua_State *L)
{
	static const luaL_Reg functions[] = {
		{"resume", lib_coroutine_resume}, {"wrap", lib_coroutine_wrap}, {NULL, NULL}};
	luaL_setfuncs(L, functions, 0);
	lua_getfield(L, -1, "close");
	lua_pushcclosure(L, close_coroutine, 1);
	lua_setfield(L, -2, "close");
}
