/* Exact counts, for scripts to iterate over. */
#include <string.h>

#include "core/prof/oracle/oracle.h"
#include "scripting/api/api.h"

/* Tables whose entries are two words and a count. Columns: name, table, parameter that enables the
 * table */
#define EXACT(X) \
	X("instructions", ORACLE_INSTS, "oracle.enable=true") \
	X("edges", ORACLE_EDGES, "oracle.blocks=true") \
	X("values", ORACLE_VALUES, "oracle.values=loads or all") \
	X("addresses", ORACLE_ADDRESSES, "oracle.addresses=true")

static const struct {
	const char *name;
	enum oracle_table_id id;
	const char *right;
} tables[] = {
#define X(name, id, right) {name, id, right},
	EXACT(X)
#undef X
};

static const struct oracle *oracle_at(lua_State *L, int index)
{
	struct lua_machine *m = api_machine(L, index);
	const struct oracle *o = oracle_of(machine_pipe(m->s->machine)->prof);
	if (!o)
		binding_fail(L, "%s counts nothing exactly: it needs oracle.enable=true", m->name);
	return o;
}

/* Upvalues: the machine, the table, the next entry. */
static int api_oracle_next_entry(lua_State *L)
{
	const struct oracle *o = oracle_at(L, lua_upvalueindex(1));
	const enum oracle_table_id id = (enum oracle_table_id)lua_tointeger(L, lua_upvalueindex(2));
	const uint32_t i = (uint32_t)lua_tointeger(L, lua_upvalueindex(3));
	if (i >= oracle_entries(o, id))
		return 0;
	const struct oracle_entry *e = oracle_entry(o, id, i);
	lua_pushinteger(L, (lua_Integer)i + 1);
	lua_replace(L, lua_upvalueindex(3));
	lua_pushinteger(L, (lua_Integer)e->key[0]);
	lua_pushinteger(L, (lua_Integer)e->key[1]);
	lua_pushinteger(L, (lua_Integer)e->count);
	return 3;
}

static int api_oracle_iterate_exact(lua_State *L)
{
	const struct oracle *o = oracle_at(L, 1);
	const char *name = luaL_checkstring(L, 2);
	size_t i = 0;
	while (i < sizeof tables / sizeof *tables && strcmp(tables[i].name, name) != 0)
		i++;
	if (i == sizeof tables / sizeof *tables)
		return binding_fail(L,
		                    "nothing is counted as '%s'; expected instructions, edges, "
		                    "values, addresses",
		                    name);
	if (!oracle_has(o, tables[i].id))
		return binding_fail(L, "%s counts no %s: it needs %s", api_machine(L, 1)->name,
		                    name, tables[i].right);
	lua_settop(L, 1);
	lua_pushinteger(L, (lua_Integer)tables[i].id);
	lua_pushinteger(L, 0);
	lua_pushcclosure(L, api_oracle_next_entry, 3);
	return 1;
}

static const struct binding methods[] = {
	{"exact", api_oracle_iterate_exact, "for PC, WORD, COUNT in m:exact(TABLE) do",
         "The oracle's counts so far, in no particular order: 'values' (PC "
         "and what it produced), 'addresses' (PC and what it "
         "accessed), 'edges' (PC and where it went), 'instructions' (PC and 0)."},
};

const struct binding_area area_oracle = {
	.name = "oracle",
	.object = "machine",
	.summary = "exact counts, a reference for profilers",
	.text = "For machines with oracle.enable=true; `report oracle` and related reports show "
                "the same as tables.",
	.bindings = methods,
	.count = sizeof methods / sizeof *methods,
};
