/* Finding a machine, and its parts (m.regs, m.mem), among the arguments of a function. */
#include "scripting/api/api.h"

struct lua_machine *api_machine(lua_State *L, int index)
{
	struct lua_machine *m = luaL_checkudata(L, index, MACHINE);
	if (!m->s)
		binding_fail(L, "%s is closed", m->name);
	return m;
}

struct lua_machine *api_machine_of_part(lua_State *L, int index, const char *type)
{
	struct lua_machine *m = *(struct lua_machine **)luaL_checkudata(L, index, type);
	if (!m->s)
		binding_fail(L, "%s is closed", m->name);
	return m;
}

void api_push_part(lua_State *L, int index, const char *type)
{
	struct lua_machine *m = luaL_checkudata(L, index, MACHINE);
	index = lua_absindex(L, index);
	lua_getiuservalue(L, index, MACHINE_PARTS);
	if (lua_getfield(L, -1, type) == LUA_TNIL) {
		lua_pop(L, 1);
		struct lua_machine **part = lua_newuserdatauv(L, sizeof *part, 1);
		*part = m;
		lua_pushvalue(L, index);
		lua_setiuservalue(L, -2, 1);
		luaL_setmetatable(L, type);
		lua_pushvalue(L, -1);
		lua_setfield(L, -3, type);
	}
	lua_remove(L, -2);
}

void api_new_part(lua_State *L, const char *type, const luaL_Reg *functions)
{
	luaL_newmetatable(L, type);
	luaL_setfuncs(L, functions, 0);
	lua_pushboolean(L, 0);
	lua_setfield(L, -2, "__metatable");
	lua_pop(L, 1);
}

/* Returns a method, or evaluates the part's name as in expressions. */
static int worded_index(lua_State *L)
{
	lua_pushvalue(L, 2);
	if (lua_rawget(L, lua_upvalueindex(1)) != LUA_TNIL)
		return 1;
	lua_getiuservalue(L, 1, 1);
	lua_getiuservalue(L, -1, MACHINE_ENV);
	lua_pushvalue(L, lua_upvalueindex(2));
	lua_gettable(L, -2);
	lua_pushvalue(L, 2);
	lua_gettable(L, -2);
	return 1;
}

void api_new_worded_part(lua_State *L, const char *type, const char *name)
{
	static const luaL_Reg none[] = {{NULL, NULL}};
	api_new_part(L, type, none);
	luaL_getmetatable(L, type);
	lua_newtable(L);
	binding_register_object(L, name, 0);
	lua_pushstring(L, name);
	lua_pushcclosure(L, worded_index, 2);
	lua_setfield(L, -2, "__index");
	lua_pop(L, 1);
}

void api_push_again(lua_State *L, struct lua_machine *m)
{
	lua_rawgeti(L, LUA_REGISTRYINDEX, m->script->by_machine);
	lua_rawgetp(L, -1, m);
	lua_remove(L, -2);
}

void api_refuse_reader(lua_State *L, const struct script *s, const char *what)
{
	if (s->reader)
		binding_fail(L, "%s: not in %s, which only looks", what, s->reader);
}

void api_refuse_moving(lua_State *L, const struct lua_machine *m, const char *what)
{
	api_refuse_reader(L, m->script, what);
	if (m->script->moving)
		binding_fail(L, "%s: not while a machine is moving; a hook or condition looks on",
		             what);
}
