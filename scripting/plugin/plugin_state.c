/* Tables of a plug-in: declaration, and access by the plug-in's functions. */
#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/nearest_word.h"
#include "core/base/sort.h"
#include "scripting/plugin/lua_plugin.h"

#define TABLE "plug-in's table"

/* ---- access ---- */

static struct lua_plugin *in_a_call(lua_State *L)
{
	struct lua_plugin *p = plugin_of(L);
	if (!p->state)
		luaL_error(
			L,
			"state is there while one of the plug-in's functions runs, and not before");
	return p;
}

/* The entry at stack index 2 of the table at 1. */
static uint32_t plugin_state_check_index(lua_State *L, const struct plugin_table *t)
{
	int whole;
	lua_Integer i = lua_tointegerx(L, 2, &whole);
	if (!whole || lua_type(L, 2) != LUA_TNUMBER)
		luaL_error(L, "%s[%s]: a whole number is needed", t->name,
		           luaL_tolstring(L, 2, NULL));
	if (i < 0 || i >= (lua_Integer)t->count)
		luaL_error(L, "%s[%I]: its entries are 0 to %d", t->name, i, (int)t->count - 1);
	return (uint32_t)i;
}

static void plugin_state_store_entry(lua_State *L, struct lua_plugin *p, unsigned t, uint32_t i,
                                     lua_Integer value)
{
	const struct plugin_table *table = &p->table[t];
	if (table->scratch && !p->state->scratch)
		luaL_error(L, "%s can't change %s: scratch is for predict, target and fetched",
		           p->calls, table->name);
	if (!table->scratch && p->reads_only)
		luaL_error(L,
		           "%s can't change %s: it runs on wrong paths too; learn in %s, or "
		           "declare scratch = true",
		           p->calls, table->name, p->notify_name);
	if (value < plugin_least(table) || value > plugin_most(table))
		luaL_error(L, "%s[%d] = %I: an entry holds %I to %I; %s:add(i, n) stops there",
		           table->name, (int)i, value, (lua_Integer)plugin_least(table),
		           (lua_Integer)plugin_most(table), table->name);
	if (!table->scratch)
		plugin_put((struct plugin_state *)(uintptr_t)p->state, t, i, value);
	else if (!plugin_put_scratch(p->state, t, i, value))
		luaL_error(L, "%s writes more than %d entries of scratch tables", p->calls,
		           PLUGIN_SCRATCH_MAX);
}

static lua_Integer plugin_state_check_integer(lua_State *L, int index, const char *table)
{
	int whole;
	lua_Integer v = lua_tointegerx(L, index, &whole);
	if (!whole || lua_type(L, index) != LUA_TNUMBER)
		luaL_error(L, "%s: entries are whole numbers, not %s", table,
		           luaL_tolstring(L, index, NULL));
	return v;
}

/* t:add(i, n): saturates at the least and the greatest value. */
static int plugin_state_add_saturating(lua_State *L)
{
	unsigned t = *(unsigned *)luaL_checkudata(L, 1, TABLE);
	struct lua_plugin *p = in_a_call(L);
	const struct plugin_table *table = &p->table[t];
	uint32_t i = plugin_state_check_index(L, table);
	int64_t sum, n = plugin_state_check_integer(L, 3, table->name);
	if (__builtin_add_overflow(plugin_get(p->state, t, i), n, &sum))
		sum = n < 0 ? INT64_MIN : INT64_MAX;
	if (sum < plugin_least(table))
		sum = plugin_least(table);
	if (sum > plugin_most(table))
		sum = plugin_most(table);
	plugin_state_store_entry(L, p, t, i, sum);
	lua_pushinteger(L, sum);
	return 1;
}

static int plugin_state_get_entry(lua_State *L)
{
	unsigned t = *(unsigned *)luaL_checkudata(L, 1, TABLE);
	if (lua_type(L, 2) == LUA_TSTRING && !strcmp(lua_tostring(L, 2), "add")) {
		lua_pushcfunction(L, plugin_state_add_saturating);
		return 1;
	}
	const struct lua_plugin *p = in_a_call(L);
	lua_pushinteger(L, plugin_get(p->state, t, plugin_state_check_index(L, &p->table[t])));
	return 1;
}

static int plugin_state_set_entry(lua_State *L)
{
	unsigned t = *(unsigned *)luaL_checkudata(L, 1, TABLE);
	struct lua_plugin *p = in_a_call(L);
	uint32_t i = plugin_state_check_index(L, &p->table[t]);
	plugin_state_store_entry(L, p, t, i, plugin_state_check_integer(L, 3, p->table[t].name));
	return 0;
}

static int plugin_state_table_length(lua_State *L)
{
	const struct lua_plugin *p = plugin_of(L);
	lua_pushinteger(L, p->table[*(unsigned *)luaL_checkudata(L, 1, TABLE)].count);
	return 1;
}

/* Raises an error for s.NAME with an undeclared name. */
static int plugin_state_report_unknown(lua_State *L)
{
	const struct lua_plugin *p = plugin_of(L);
	const char *name = luaL_tolstring(L, 2, NULL);
	struct nearest n;
	nearest_init(&n, name);
	for (unsigned t = 0; t < p->p.tables; t++)
		nearest_offer(&n, p->table[t].name);
	return luaL_error(L, "state has no table '%s': %s", name,
	                  nearest_said(&n, "declare it, state = { %s = { 1024, bits = 2 } }",
	                               name));
}

static int plugin_state_reject_assignment(lua_State *L)
{
	return luaL_error(L, "s.%s can't be set: its entries can, s.%s[i] = n",
	                  luaL_tolstring(L, 2, NULL), luaL_tolstring(L, 2, NULL));
}

/* ---- declaration ---- */

static lua_Integer plugin_state_integer_option(lua_State *L, int index, const char *table,
                                               const char *name, lua_Integer least,
                                               lua_Integer most, lua_Integer dflt)
{
	lua_Integer v = dflt;
	int whole = 1;
	if (lua_getfield(L, index, name) != LUA_TNIL)
		v = lua_tointegerx(L, -1, &whole);
	if (!whole || v < least || v > most)
		luaL_error(L, "state.%s: %s = %s; expected %I to %I", table, name,
		           luaL_tolstring(L, -1, NULL), least, most);
	lua_pop(L, 1);
	return v;
}

/* Reads init = a number, or a list of numbers that is repeated. */
static void read_init(lua_State *L, int index, struct plugin_table *t)
{
	int type = lua_getfield(L, index, "init");
	if (type == LUA_TNIL) {
		lua_pop(L, 1);
		return;
	}
	lua_Unsigned n = type == LUA_TTABLE ? lua_rawlen(L, -1) : 1;
	if ((type != LUA_TTABLE && type != LUA_TNUMBER) || !n || n > t->count)
		luaL_error(L,
		           "state.%s: init is a whole number, or a list of at most %d of them that "
		           "is repeated",
		           t->name, (int)t->count);
	int64_t *init = alloc_zeroed(n ? n : 1, sizeof *init);
	if (!init) {
		luaL_error(L, "out of memory");
		return;
	}
	t->init = init; /* freed with the plug-in in any case */
	t->inits = (uint32_t)n;
	for (lua_Unsigned i = 0; i < n; i++) {
		if (type == LUA_TTABLE)
			lua_rawgeti(L, -1, (lua_Integer)i + 1);
		else
			lua_pushvalue(L, -1);
		init[i] = plugin_state_check_integer(L, -1, t->name);
		lua_pop(L, 1);
	}
	lua_pop(L, 1);
}

static void plugin_state_check_keys(lua_State *L, int index, const char *table)
{
	for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) {
		const char *key = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : NULL;
		bool first = !key && lua_isinteger(L, -2) && lua_tointeger(L, -2) == 1;
		if (!first && (!key || (strcmp(key, "bits") != 0 && strcmp(key, "init") != 0 &&
		                        strcmp(key, "signed") != 0 &&
		                        strcmp(key, "scratch") != 0)))
			luaL_error(
				L,
				"state.%s: expected { ENTRIES, bits = 1..64, init = N or { N, ... "
				"}, signed = true, scratch = true }",
				table);
	}
}

/* Reads the declaration on top of the stack. */
static void plugin_state_read_table(lua_State *L, struct lua_plugin *p, const char *name)
{
	if (p->p.tables == PLUGIN_TABLES_MAX)
		luaL_error(L, "state has too many tables; expected at most %d", PLUGIN_TABLES_MAX);
	if (strlen(name) >= PLUGIN_NAME_MAX)
		luaL_error(L, "state.%s: a name has at most %d characters", name,
		           PLUGIN_NAME_MAX - 1);
	struct plugin_table *t = &p->table[p->p.tables];
	int index = lua_gettop(L);
	if (!lua_istable(L, index))
		luaL_error(L, "state.%s: expected { ENTRIES, bits = 2 }, not %s", name,
		           host_a(lua_type(L, index)));
	plugin_state_check_keys(L, index, name);
	snprintf(p->table_name[p->p.tables], PLUGIN_NAME_MAX, "%s", name);
	t->name = p->table_name[p->p.tables];
	int whole;
	lua_rawgeti(L, index, 1);
	lua_Integer entries = lua_tointegerx(L, -1, &whole);
	if (!whole || entries < 1 || entries > PLUGIN_ENTRIES_MAX)
		luaL_error(L, "state.%s has %s entries; expected 1 to %d", name,
		           luaL_tolstring(L, -1, NULL), PLUGIN_ENTRIES_MAX);
	lua_settop(L, index);
	t->count = (uint32_t)entries;
	t->bits = (uint8_t)plugin_state_integer_option(L, index, name, "bits", 1, 64, 64);
	lua_getfield(L, index, "signed");
	t->is_signed = lua_toboolean(L, -1);
	lua_getfield(L, index, "scratch");
	t->scratch = lua_toboolean(L, -1);
	lua_pop(L, 2);
	if (t->scratch && !p->control)
		luaL_error(L, "state.%s: scratch is for predictors of branches and targets", name);
	p->p.tables++;
	read_init(L, index, t);
}

/* Tables are in the arena in order of their names: Lua's own order differs between runs. */
static int plugin_state_compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void read_tables(lua_State *L, struct lua_plugin *p, int index)
{
	const char *name[PLUGIN_TABLES_MAX];
	unsigned n = 0;
	if (!lua_istable(L, index))
		luaL_error(L,
		           "state is a table of tables: state = { counters = { 2048, bits = 2 } }, "
		           "not %s",
		           host_a(lua_type(L, index)));
	for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) {
		if (lua_type(L, -2) != LUA_TSTRING)
			luaL_error(L, "a table of state needs a name: state = { counters = { 2048, "
			              "bits = 2 } }");
		if (n == PLUGIN_TABLES_MAX)
			luaL_error(L, "state has too many tables; expected at most %d",
			           PLUGIN_TABLES_MAX);
		name[n++] = lua_tostring(L, -2); /* the table keeps it alive */
	}
	sort_stable(name, n, sizeof *name, plugin_state_compare_names);
	for (unsigned i = 0; i < n; i++) {
		lua_getfield(L, index, name[i]);
		plugin_state_read_table(L, p, name[i]);
		lua_pop(L, 1);
	}
}

void plugin_read_state(lua_State *L, int index)
{
	static const luaL_Reg functions[] = {{"__index", plugin_state_get_entry},
	                                     {"__newindex", plugin_state_set_entry},
	                                     {"__len", plugin_state_table_length},
	                                     {NULL, NULL}};
	struct lua_plugin *p = plugin_of(L);
	index = lua_absindex(L, index);
	if (!lua_isnil(L, index))
		read_tables(L, p, index);
	luaL_newmetatable(L, TABLE);
	luaL_setfuncs(L, functions, 0);
	lua_newtable(L); /* s */
	lua_newtable(L);
	lua_newtable(L); /* name -> table */
	for (unsigned t = 0; t < p->p.tables; t++) {
		*(unsigned *)lua_newuserdatauv(L, sizeof t, 0) = t;
		luaL_setmetatable(L, TABLE);
		lua_setfield(L, -2, p->table[t].name);
	}
	lua_newtable(L);
	lua_pushcfunction(L, plugin_state_report_unknown);
	lua_setfield(L, -2, "__index");
	lua_setmetatable(L, -2);
	lua_setfield(L, -2, "__index");
	lua_pushcfunction(L, plugin_state_reject_assignment);
	lua_setfield(L, -2, "__newindex");
	lua_setmetatable(L, -2);
	p->tables = luaL_ref(L, LUA_REGISTRYINDEX);
	lua_pop(L, 1);
}
