#include "scripting/api/tuples.h"

#include <string.h>

#include "core/base/nearest_word.h"
#include "scripting/api/api.h"

/* ---- memory ---- */
struct tuple_memory tuples_memory(lua_State *L)
{
	struct tuple_memory m;
	m.resize = lua_getallocf(L, &m.ctx);
	return m;
}

void tuples_grown(lua_State *L, size_t bytes)
{
	enum { SMALL = 64 << 10, MOST = 1 << 20 };
	size_t kib = bytes >> 10;
	if (bytes >= SMALL)
		lua_gc(L, LUA_GCSTEP, (int)(kib < MOST ? kib : MOST));
}

bool tuples_try_again(lua_State *L, bool *tried)
{
	bool again = !*tried;
	*tried = true;
	if (again)
		lua_gc(L, LUA_GCCOLLECT);
	return again;
}

void tuples_fail(lua_State *L, enum tuple_outcome outcome, const char *what, size_t most,
                 const char *right)
{
	if (outcome == TUPLES_FULL)
		binding_fail(L, "%s has at most %zu%s", what, most, right);
	else
		binding_fail(L, "out of memory for %s", what);
}

/* ---- tuples ---- */
uint64_t tuples_check_pc(lua_State *L, int pc, int tag)
{
	lua_Integer address = luaL_checkinteger(L, pc), number = luaL_optinteger(L, tag, 0);
	luaL_argcheck(L, !((uint64_t)address >> TUPLE_TAG_SHIFT), pc, "a pc has at most 56 bits");
	luaL_argcheck(L, number >= 0 && number <= TUPLE_TAG_MAX, tag, "a tag is 0 to 255");
	return (uint64_t)address | (uint64_t)number << TUPLE_TAG_SHIFT;
}

struct tuple tuples_check(lua_State *L, int index)
{
	lua_Integer value = luaL_checkinteger(L, index + 1);
	return (struct tuple){tuples_check_pc(L, index, index + 2), (uint64_t)value};
}

void tuples_push(lua_State *L, struct tuple t)
{
	lua_pushinteger(L, (lua_Integer)tuple_pc(t));
	lua_pushinteger(L, (lua_Integer)t.value);
	lua_pushinteger(L, (lua_Integer)tuple_tag(t));
}

void tuples_set(lua_State *L, struct tuple t)
{
	binding_set_integer(L, "pc", tuple_pc(t));
	binding_set_integer(L, "value", t.value);
	binding_set_integer(L, "tag", tuple_tag(t));
}

size_t tuples_place(lua_State *L, int index, size_t count)
{
	lua_Integer i = luaL_checkinteger(L, index);
	return i >= 1 && (uint64_t)i <= count ? (size_t)i - 1 : count;
}

size_t tuples_range(lua_State *L, int n, int from_index, size_t count, size_t *from)
{
	uint64_t wanted = api_count(L, n, count), first = api_count(L, from_index, 1);
	luaL_argcheck(L, first >= 1, from_index, "places count from 1 on");
	*from = first - 1 < count ? (size_t)first - 1 : count;
	return wanted < count - *from ? (size_t)wanted : count - *from;
}

int tuples_iterate(lua_State *L, lua_CFunction next)
{
	lua_settop(L, 1);
	lua_pushinteger(L, 0);
	lua_pushcclosure(L, next, 2);
	return 1;
}

/* ---- objects ---- */
/* Upvalues: the object's name, methods, values, a function for other keys or nil. */
static int object_index(lua_State *L)
{
	struct nearest n;
	if (lua_type(L, 2) != LUA_TSTRING && !lua_isnil(L, lua_upvalueindex(4))) {
		lua_pushvalue(L, lua_upvalueindex(4));
		lua_insert(L, 1);
		lua_call(L, lua_gettop(L) - 1, 1);
		return 1;
	}
	lua_pushvalue(L, 2);
	if (lua_rawget(L, lua_upvalueindex(2)) != LUA_TNIL)
		return 1;
	lua_pushvalue(L, 2);
	if (lua_rawget(L, lua_upvalueindex(3)) != LUA_TNIL) {
		lua_pushvalue(L, 1);
		lua_call(L, 1, 1);
		return 1;
	}
	const char *object = lua_tostring(L, lua_upvalueindex(1)),
		   *name = host_text(L, 2, NULL);
	nearest_init(&n, name);
	binding_offer(L, object, &n);
	return binding_fail(L, "a %s has no '%s'; %s", object, name,
	                    nearest_said(&n, "see `help lua %s`", object));
}

void tuples_new_type(lua_State *L, const char *type, const char *object, const luaL_Reg *meta)
{
	char values[32];
	luaL_newmetatable(L, type);
	luaL_setfuncs(L, meta, 0);
	lua_pushstring(L, object);
	lua_newtable(L);
	binding_register_object(L, object, 0);
	lua_newtable(L);
	lua_pushfstring(L, "%s.", object);
	strncpy(values, lua_tostring(L, -1), sizeof values - 1);
	values[sizeof values - 1] = '\0';
	lua_pop(L, 1);
	binding_register_object(L, values, 0);
	lua_getfield(L, -4, "__index");
	lua_pushcclosure(L, object_index, 4);
	lua_setfield(L, -2, "__index");
	lua_pushboolean(L, 0);
	lua_setfield(L, -2, "__metatable");
	lua_pop(L, 1);
}
