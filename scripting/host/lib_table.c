/* The table library, whose loops charge steps: __len can return any length. */
#include <lauxlib.h>
#include <limits.h>

#include "scripting/host/host.h"
#include "scripting/host/host_lib.h"

enum { ELEMENTS = 256 }; /* between two charges */

/* The length of a table, or of a value that behaves like one. */
static lua_Integer check_list(lua_State *L, int i)
{
	if (!lua_istable(L, i)) {
		if (!luaL_getmetafield(L, i, "__index") || !luaL_getmetafield(L, i, "__len"))
			luaL_typeerror(L, i, "table");
		lua_pop(L, 2);
	}
	return luaL_len(L, i);
}

static void lib_table_charge_element(lua_State *L, lua_Integer i)
{
	if (i % ELEMENTS == 0)
		host_tick(L, ELEMENTS);
}

/* list[to] = list[from] */
static void lib_table_copy_element(lua_State *L, int source, lua_Integer from, int target,
                                   lua_Integer to)
{
	lua_geti(L, source, from);
	lua_seti(L, target, to);
}

static int lib_table_insert(lua_State *L)
{
	lua_Integer end = (lua_Integer)((lua_Unsigned)check_list(L, 1) + 1), at = end;
	int n = lua_gettop(L);
	if (n != 2 && n != 3)
		return luaL_error(L, "wrong number of arguments to 'insert'");
	if (n == 3) {
		at = luaL_checkinteger(L, 2);
		luaL_argcheck(L, (lua_Unsigned)at - 1 < (lua_Unsigned)end, 2,
		              "position out of bounds");
	}
	for (lua_Integer i = end; i > at; i--) {
		lib_table_charge_element(L, i);
		lib_table_copy_element(L, 1, i - 1, 1, i);
	}
	lua_seti(L, 1, at);
	return 0;
}

static int lib_table_remove(lua_State *L)
{
	lua_Integer size = check_list(L, 1), at = luaL_optinteger(L, 2, size);
	if (lua_gettop(L) > 1 && at != size)
		luaL_argcheck(L, (lua_Unsigned)at - 1 <= (lua_Unsigned)size, 2,
		              "position out of bounds");
	lua_geti(L, 1, at);
	for (; at < size; at++) {
		lib_table_charge_element(L, at);
		lib_table_copy_element(L, 1, at + 1, 1, at);
	}
	lua_pushnil(L);
	lua_seti(L, 1, at);
	return 1;
}

static int lib_table_move(lua_State *L)
{
	lua_Integer from = luaL_checkinteger(L, 2), end = luaL_checkinteger(L, 3),
		    to = luaL_checkinteger(L, 4);
	int target = lua_isnoneornil(L, 5) ? 1 : 5;
	luaL_argexpected(L, lua_istable(L, 1) || luaL_getmetafield(L, 1, "__index"), 1, "table");
	luaL_argexpected(L, lua_istable(L, target) || luaL_getmetafield(L, target, "__newindex"),
	                 target, "table");
	lua_pushvalue(L, target);
	if (end < from)
		return 1;
	luaL_argcheck(L, from > 0 || end < LUA_MAXINTEGER + from, 3, "too many elements to move");
	lua_Integer n = end - from + 1;
	luaL_argcheck(L, to <= LUA_MAXINTEGER - n + 1, 4, "destination wrap around");
	/* Copy backwards only if the target would overwrite elements not yet read. */
	bool overlap =
		to > from && to <= end && (target == 1 || lua_compare(L, 1, target, LUA_OPEQ));
	for (lua_Integer i = 0; i < n; i++) {
		lua_Integer k = overlap ? n - 1 - i : i;
		lib_table_charge_element(L, i + 1);
		lib_table_copy_element(L, 1, from + k, target, to + k);
	}
	return 1;
}

static void add_field(lua_State *L, luaL_Buffer *b, lua_Integer i)
{
	lua_geti(L, 1, i);
	if (!lua_isstring(L, -1))
		luaL_error(L, "invalid value (at index %I) in table for 'concat'", (LUAI_UACINT)i);
	luaL_addvalue(b);
}

static int lib_table_concat(lua_State *L)
{
	lua_Integer end = check_list(L, 1);
	size_t bytes, max = host_text_max(L);
	const char *between = luaL_optlstring(L, 2, "", &bytes);
	lua_Integer i = luaL_optinteger(L, 3, 1);
	end = luaL_optinteger(L, 4, end);
	luaL_Buffer b;
	luaL_buffinit(L, &b);
	size_t looked = 0;
	for (; i <= end; i++) {
		lib_table_charge_element(L, i);
		if (luaL_bufflen(&b) - looked >= BYTES_PER_STEP * 1024) {
			looked = luaL_bufflen(&b);
			host_tick(L, 1024);
		}
		if (luaL_bufflen(&b) > max)
			return luaL_error(L, "resulting string too large");
		add_field(L, &b, i);
		if (i == end)
			break;
		luaL_addlstring(&b, between, bytes);
	}
	luaL_pushresult(&b);
	return 1;
}

static int lib_table_unpack(lua_State *L)
{
	lua_Integer from = luaL_optinteger(L, 2, 1);
	lua_Integer end = lua_isnoneornil(L, 3) ? luaL_len(L, 1) : luaL_checkinteger(L, 3);
	if (from > end)
		return 0;
	lua_Unsigned n = (lua_Unsigned)end - (lua_Unsigned)from;
	if (n >= INT_MAX || !lua_checkstack(L, (int)++n))
		return luaL_error(L, "too many results to unpack");
	for (lua_Unsigned i = 0; i < n; i++) {
		lib_table_charge_element(L, (lua_Integer)i + 1);
		lua_geti(L, 1, (lua_Integer)((lua_Unsigned)from + i));
	}
	return (int)n;
}

static int lib_table_pack(lua_State *L)
{
	int n = lua_gettop(L);
	host_tick(L, (uint64_t)n);
	lua_createtable(L, n, 1);
	lua_insert(L, 1);
	for (int i = n; i >= 1; i--)
		lua_seti(L, 1, i);
	lua_pushinteger(L, n);
	lua_setfield(L, 1, "n");
	return 1;
}

/* ---- sort: heap sort, which needs no stack, has no bad case, and tolerates any comparison ---- */
/* Whether the value at stack index a comes before the one at b. */
static bool lib_table_element_precedes(lua_State *L, int a, int b)
{
	if (lua_isnil(L, 2))
		return lua_compare(L, a, b, LUA_OPLT);
	lua_pushvalue(L, 2);
	lua_pushvalue(L, a - 1);
	lua_pushvalue(L, b - 2);
	lua_call(L, 2, 1);
	bool yes = lua_toboolean(L, -1);
	lua_pop(L, 1);
	return yes;
}

/* Pops a value and sifts it down from place `at` in a heap of n. */
static void lib_table_sift_down(lua_State *L, lua_Integer at, lua_Integer n)
{
	for (lua_Integer child; (child = 2 * at) <= n; at = child) {
		host_tick(L, 4);
		lua_geti(L, 1, child);
		if (child < n) {
			lua_geti(L, 1, child + 1);
			if (lib_table_element_precedes(L, -2, -1)) {
				lua_remove(L, -2);
				child++;
			} else {
				lua_pop(L, 1);
			}
		}
		/* value, child */
		if (!lib_table_element_precedes(L, -2, -1)) {
			lua_pop(L, 1);
			break;
		}
		lua_seti(L, 1, at);
	}
	lua_seti(L, 1, at);
}

static int lib_table_heap_sort(lua_State *L)
{
	lua_Integer n = check_list(L, 1);
	if (n < 2)
		return 0;
	luaL_argcheck(L, n < INT_MAX, 1, "array too big");
	if (!lua_isnoneornil(L, 2))
		luaL_checktype(L, 2, LUA_TFUNCTION);
	lua_settop(L, 2);
	for (lua_Integer i = n / 2; i >= 1; i--) {
		lua_geti(L, 1, i);
		lib_table_sift_down(L, i, n);
	}
	for (lua_Integer i = n; i >= 2; i--) {
		lua_geti(L, 1, i);
		lua_geti(L, 1, 1);
		lua_seti(L, 1, i);
		lib_table_sift_down(L, 1, i - 1);
	}
	return 0;
}

void lib_set_table(lua_State *L)
{
	static const luaL_Reg functions[] = {
		{"insert", lib_table_insert},  {"remove", lib_table_remove},
		{"move", lib_table_move},      {"concat", lib_table_concat},
		{"unpack", lib_table_unpack},  {"pack", lib_table_pack},
		{"sort", lib_table_heap_sort}, {NULL, NULL},
	};
	luaL_setfuncs(L, functions, 0);
}
