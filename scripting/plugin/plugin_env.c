/* The environment of a plug-in's functions, and how they are kept from storing anything in it. */
#include <lauxlib.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "scripting/plugin/lua_plugin.h"

enum { DEPTH_MAX = 64 };

/* ---- globals ---- */

static int refuse_global(lua_State *L)
{
	return luaL_error(L, "the global '%s' can't be set: " PLUGIN_DECLARE,
	                  luaL_tolstring(L, 2, NULL));
}

static int refuse_field(lua_State *L)
{
	return luaL_error(L,
	                  "'%s' can't be set in a table from outside the function: " PLUGIN_DECLARE,
	                  luaL_tolstring(L, 2, NULL));
}

static int no_order(lua_State *L)
{
	return luaL_error(
		L,
		"pairs and next have another order in every run: use ipairs, or for i = 1, n do");
}

static int no_chance(lua_State *L)
{
	return luaL_error(L, "math.random is not the same when the past is executed again: keep a "
	                     "generator in state");
}

/* Raises an error for tables and functions: their addresses differ between runs. */
static void check_plain(lua_State *L, int index)
{
	int type = lua_type(L, index);
	if (type == LUA_TTABLE || type == LUA_TFUNCTION || type == LUA_TUSERDATA)
		luaL_error(L, "a %s has no text that is the same in every run",
		           lua_typename(L, type));
}

static int plain_tostring(lua_State *L)
{
	luaL_checkany(L, 1);
	check_plain(L, 1);
	luaL_tolstring(L, 1, NULL);
	return 1;
}

/* string.format without %p and without values that have addresses. Upvalue: the original. */
static int plain_format(lua_State *L)
{
	const char *f = luaL_checkstring(L, 1);
	for (int i = 2; i <= lua_gettop(L); i++)
		check_plain(L, i);
	for (; (f = strchr(f, '%')); f++) {
		f++;
		f += strspn(f, "-+ #0123456789.");
		if (*f == 'p')
			luaL_error(L, "%%p is not the same in every run");
		if (!*f)
			break;
	}
	lua_pushvalue(L, lua_upvalueindex(1));
	lua_insert(L, 1);
	lua_call(L, lua_gettop(L) - 1, 1);
	return 1;
}

/* Replaces the table on top by a read-only proxy. */
static void plugin_env_wrap_read_only(lua_State *L, lua_CFunction refuse)
{
	lua_newtable(L);
	lua_createtable(L, 0, 3);
	lua_pushvalue(L, -3);
	lua_setfield(L, -2, "__index");
	lua_pushcfunction(L, refuse);
	lua_setfield(L, -2, "__newindex");
	lua_pushboolean(L, 0);
	lua_setfield(L, -2, "__metatable");
	lua_setmetatable(L, -2);
	lua_remove(L, -2);
}

/* Pushes a table, not yet read-only, with the selected functions of field `library` of the table at
 * `from`. */
static void plugin_env_select_functions(lua_State *L, int from, const char *library,
                                        const char *const *names)
{
	lua_newtable(L);
	if (library)
		lua_getfield(L, from, library);
	else
		lua_pushvalue(L, from);
	for (; *names; names++) {
		lua_getfield(L, -1, *names);
		lua_setfield(L, -3, *names);
	}
	lua_pop(L, 1);
}

void plugin_push_env(lua_State *L)
{
	static const char *const base[] = {"assert", "error", "ipairs",   "pcall",
	                                   "select", "type",  "tonumber", NULL};
	/* Functions with the same results on every host. */
	static const char *const math[] = {"abs",  "ceil",       "floor", "fmod",       "huge",
	                                   "max",  "maxinteger", "min",   "mininteger", "modf",
	                                   "sqrt", "tointeger",  "type",  "ult",        NULL};
	static const char *const tables[] = {"concat", "insert", "move",   "pack",
	                                     "remove", "sort",   "unpack", NULL};
	static const char *const strings[] = {"byte",    "char", "len",   "lower", "rep",
	                                      "reverse", "sub",  "upper", NULL};
	host_push_libraries(L);
	int from = lua_gettop(L);
	plugin_env_select_functions(L, from, NULL, base);
	lua_pushcfunction(L, plain_tostring);
	lua_setfield(L, -2, "tostring");
	lua_pushcfunction(L, no_order);
	lua_setfield(L, -2, "pairs");
	lua_pushcfunction(L, no_order);
	lua_setfield(L, -2, "next");
	plugin_env_select_functions(L, from, "math", math);
	lua_pushcfunction(L, no_chance);
	lua_setfield(L, -2, "random");
	plugin_env_wrap_read_only(L, refuse_field);
	lua_setfield(L, -2, "math");
	plugin_env_select_functions(L, from, "table", tables);
	plugin_env_wrap_read_only(L, refuse_field);
	lua_setfield(L, -2, "table");
	plugin_env_select_functions(L, from, "string", strings);
	lua_getfield(L, from, "string");
	lua_getfield(L, -1, "format");
	lua_pushcclosure(L, plain_format, 1);
	lua_setfield(L, -3, "format");
	lua_pop(L, 1);
	plugin_env_wrap_read_only(L, refuse_field);
	/* ("x"):upper() */
	lua_pushliteral(L, "");
	if (!lua_getmetatable(L, -1))
		lua_newtable(L);
	lua_pushvalue(L, -3);
	lua_setfield(L, -2, "__index");
	lua_setmetatable(L, -2);
	lua_pop(L, 1);
	lua_setfield(L, -2, "string");
	plugin_env_wrap_read_only(L, refuse_global);
	lua_remove(L, from);
}

/* ---- shared variables ---- */

static int length_of_shown(lua_State *L)
{
	lua_pushinteger(L, (lua_Integer)lua_rawlen(L, lua_upvalueindex(1)));
	return 1;
}

static void plugin_env_save_upvalue(lua_State *L, int function, int index)
{
	struct lua_plugin *p = plugin_of(L);
	if (p->kept_count == p->kept_room) {
		unsigned room = p->kept_room ? 2 * p->kept_room : 16;
		struct kept *kept = alloc_resize(p->kept, room * sizeof *kept);
		if (!kept) {
			luaL_error(L, "out of memory");
			return;
		}
		p->kept = kept;
		p->kept_room = room;
	}
	lua_pushvalue(L, function);
	int f = luaL_ref(L, LUA_REGISTRYINDEX);
	lua_getupvalue(L, function, index);
	int value = luaL_ref(L, LUA_REGISTRYINDEX); /* LUA_REFNIL for nil */
	p->kept[p->kept_count++] = (struct kept){.function = f, .value = value, .index = index};
}

static void plugin_env_freeze_value(lua_State *L, int seen, unsigned depth);

/* Freezes what the function on top uses. */
static void freeze_function(lua_State *L, int seen, unsigned depth)
{
	int function = lua_gettop(L);
	if (lua_iscfunction(L, function)) {
		if (lua_getupvalue(L, function, 1))
			luaL_error(L, "a plug-in can't keep an iterator: " PLUGIN_DECLARE);
		return;
	}
	for (int i = 1; lua_getupvalue(L, function, i); i++) {
		plugin_env_freeze_value(L, seen, depth + 1);
		lua_setupvalue(L, function, i);
		plugin_env_save_upvalue(L, function, i);
	}
}

/* Replaces the table on top by a read-only one. */
static void freeze_table(lua_State *L, int seen, unsigned depth)
{
	int table = lua_gettop(L);
	lua_newtable(L);
	int shown = lua_gettop(L);
	for (int i = 0; i < 2; i++) {
		lua_pushvalue(L, i ? shown : table);
		lua_pushvalue(L, shown);
		lua_rawset(L, seen);
	}
	for (lua_pushnil(L); lua_next(L, table);) {
		plugin_env_freeze_value(L, seen, depth + 1);
		lua_pushvalue(L, -2);
		lua_insert(L, -2);
		lua_rawset(L, table);
	}
	lua_createtable(L, 0, 4);
	lua_pushvalue(L, table);
	lua_setfield(L, -2, "__index");
	lua_pushcfunction(L, refuse_field);
	lua_setfield(L, -2, "__newindex");
	lua_pushvalue(L, table);
	lua_pushcclosure(L, length_of_shown, 1);
	lua_setfield(L, -2, "__len");
	lua_pushboolean(L, 0);
	lua_setfield(L, -2, "__metatable");
	lua_setmetatable(L, shown);
	lua_remove(L, table);
}

/* Freezes the value on top, or replaces it by a read-only proxy. seen: values already frozen, with
 * their replacements. */
static void plugin_env_freeze_value(lua_State *L, int seen, unsigned depth)
{
	int type = lua_type(L, -1);
	if (type == LUA_TUSERDATA || type == LUA_TTHREAD)
		luaL_error(L, "a plug-in can't keep a %s: " PLUGIN_DECLARE, lua_typename(L, type));
	if (type != LUA_TTABLE && type != LUA_TFUNCTION)
		return;
	if (depth > DEPTH_MAX)
		luaL_error(L, "its tables and functions are nested too deeply; expected at most %d",
		           DEPTH_MAX);
	luaL_checkstack(L, 10, "plug-in");
	lua_pushvalue(L, -1);
	if (lua_rawget(L, seen) != LUA_TNIL) {
		lua_remove(L, -2);
		return;
	}
	lua_pop(L, 1);
	if (type == LUA_TTABLE) {
		freeze_table(L, seen, depth);
		return;
	}
	lua_pushvalue(L, -1);
	lua_pushvalue(L, -1);
	lua_rawset(L, seen);
	freeze_function(L, seen, depth);
}

/* Marks the read-only table on top, and all in it, as done; pops it. */
static void pass_over(lua_State *L, int seen)
{
	lua_pushvalue(L, -1);
	lua_pushvalue(L, -1);
	lua_rawset(L, seen);
	lua_getmetatable(L, -1);
	lua_getfield(L, -1, "__index");
	for (lua_pushnil(L); lua_next(L, -2);) {
		lua_pushvalue(L, -1);
		/* functions and libraries replace themselves; the key stays */
		lua_rawset(L, seen);
	}
	lua_pop(L, 3);
}

void plugin_push_seen(lua_State *L, int env)
{
	static const char *const libraries[] = {"math", "table", "string"};
	lua_newtable(L);
	int seen = lua_gettop(L);
	lua_pushvalue(L, env);
	pass_over(L, seen);
	for (unsigned i = 0; i < 3; i++) {
		lua_getfield(L, env, libraries[i]);
		pass_over(L, seen);
	}
}

void plugin_freeze(lua_State *L, int index, int seen)
{
	int top = lua_gettop(L);
	lua_pushvalue(L, index);
	plugin_env_freeze_value(L, seen, 0);
	lua_settop(L, top);
}

/* lua_rawequal() is not enough: it treats 1 and 1.0, and 0.0 and -0.0, as equal. */
static bool plugin_env_same_value(lua_State *L, int a, int b)
{
	if (lua_type(L, a) != LUA_TNUMBER || lua_type(L, b) != LUA_TNUMBER)
		return lua_rawequal(L, a, b);
	if (lua_isinteger(L, a) != lua_isinteger(L, b))
		return false;
	if (lua_isinteger(L, a))
		return lua_tointeger(L, a) == lua_tointeger(L, b);
	union {
		double number;
		uint64_t bits;
	} x = {lua_tonumber(L, a)}, y = {lua_tonumber(L, b)};
	return x.bits == y.bits;
}

const char *plugin_put_back(struct lua_plugin *p)
{
	lua_State *L = host_state(p->host);
	const char *changed = NULL;
	for (unsigned i = 0; i < p->kept_count; i++) {
		const struct kept *k = &p->kept[i];
		lua_rawgeti(L, LUA_REGISTRYINDEX, k->function);
		const char *name = lua_getupvalue(L, -1, k->index);
		if (k->value == LUA_REFNIL)
			lua_pushnil(L);
		else
			lua_rawgeti(L, LUA_REGISTRYINDEX, k->value);
		if (plugin_env_same_value(L, -1, -2)) {
			lua_pop(L, 3);
			continue;
		}
		if (!changed)
			changed = name;
		lua_setupvalue(L, -3, k->index);
		lua_pop(L, 2);
	}
	return changed;
}

void plugin_kept_free(struct lua_plugin *p)
{
	free(p->kept);
}
