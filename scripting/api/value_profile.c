/* m.values: the profile that customisation modules make of the value sampler's tuples, for
 * scripts. */
#include "core/run/value_daemon.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/nearest_word.h"
#include "hwviews/values/value_rows.h"
#include "scripting/api/api.h"
#include "scripting/api/tuples.h"

#define VALUES "cyclops.machine.values"

enum { MOST = HOTLIST_MAX };

static struct session *session_here(lua_State *L, int index)
{
	return api_machine_of_part(L, index, VALUES)->s;
}

static const struct value_daemon *daemon_here(lua_State *L, int index)
{
	const struct lua_machine *m = api_machine_of_part(L, index, VALUES);
	if (!m->s->launch.values)
		binding_fail(L,
		             "%s makes no values of samples: cyclops.machine{ ..., values = "
		             "\"results\" }",
		             m->name);
	return m->s->launch.values;
}

static unsigned kind_at(lua_State *L, int index, const struct value_daemon *d)
{
	struct err err;
	const int kind = value_daemon_kind(d, luaL_checkstring(L, index), &err);
	if (kind < 0)
		binding_fail(L, "%s", err.msg);
	return (unsigned)kind;
}

/* The lists of the method named at `index`, or of the first method that has any. */
static const struct hotlists *lists_at(lua_State *L, int index, const struct value_daemon *d)
{
	unsigned i = 0;
	if (lua_isnoneornil(L, index))
		return value_daemon_main(d);
	const char *name = luaL_checkstring(L, index);
	while (i < HOTLIST_METHODS && strcmp(hotlist_method_name[i], name) != 0)
		i++;
	if (i == HOTLIST_METHODS)
		binding_fail(L, "no method is '%s': samples, top and exact are", name);
	const struct hotlists *lists = value_daemon_lists(d, (enum hotlist_method)i);
	if (!lists)
		binding_fail(L, "values are not kept by %s: values.method=%s, or all", name, name);
	return lists;
}

static int push_kinds(lua_State *L)
{
	const struct value_source *v = value_daemon_source(daemon_here(L, 1));
	lua_createtable(L, (int)v->kinds, 0);
	for (unsigned i = 0; i < v->kinds; i++) {
		lua_createtable(L, 0, 3);
		binding_set_text(L, "name", v->kind[i].name);
		binding_set_text(L, "summary", v->kind[i].summary);
		binding_set_text(L, "module", v->module[v->kind[i].module].name);
		lua_rawseti(L, -2, (lua_Integer)i + 1);
	}
	return 1;
}

static int api_value_profile_totals(lua_State *L)
{
	const struct value_daemon *d = daemon_here(L, 1);
	const struct value_totals t = value_daemon_totals(d);
	const struct hotlists *lists = value_daemon_main(d);
	lua_createtable(L, 0, 8);
	binding_set_integer(L, "tuples", t.through);
	binding_set_integer(L, "sequences", t.sequences);
	binding_set_integer(L, "gaps", t.gaps);
	binding_set_integer(L, "values", t.pairs);
	binding_set_integer(L, "refused", t.refused);
	binding_set_integer(L, "lost", lists->head.lost);
	binding_set_integer(L, "lists", hotlists_count(lists));
	lua_newtable(L);
	lua_Integer n = 0;
	for (unsigned i = 0; i < value_daemon_source(d)->modules; i++)
		if (t.broken >> i & 1) {
			lua_pushstring(L, value_daemon_source(d)->module[i].name);
			lua_rawseti(L, -2, ++n);
		}
	lua_setfield(L, -2, "broken");
	return 1;
}

/* { pc =, version =, kind =, vtot =, thld =, nv =,
 *   { value =, count =, estimate =, share =, text = }, ... } */
static void push_list(lua_State *L, const struct value_daemon *d, const struct hotlists *lists,
                      uint32_t i, unsigned most)
{
	const struct hotlist_info info = hotlists_info(lists, i);
	struct hot_estimate *top = lua_newuserdatauv(L, most * sizeof *top, 0);
	const unsigned n = hotlists_top(lists, i, top, most);
	char text[256];
	lua_createtable(L, (int)n, 5);
	binding_set_integer(L, "pc", info.pc);
	if (info.version)
		binding_set_integer(L, "version", info.version);
	binding_set_text(L, "kind", value_daemon_source(d)->kind[info.kind].name);
	binding_set_integer(L, "vtot", info.seen);
	binding_set_number(L, "thld", info.probability);
	binding_set_integer(L, "nv", info.used);
	for (unsigned k = 0; k < n; k++) {
		lua_createtable(L, 0, 5);
		binding_set_integer(L, "value", top[k].value);
		binding_set_integer(L, "count", top[k].count);
		binding_set_number(L, "estimate", top[k].estimate);
		binding_set_number(L, "share", info.seen ? top[k].estimate / (double)info.seen : 0);
		binding_set_text(L, "text",
		                 value_daemon_format(d, info.kind, info.pc, top[k].value, text,
		                                     sizeof text));
		lua_rawseti(L, -2, (lua_Integer)k + 1);
	}
	lua_remove(L, -2);
}

/* m.values:top(PLACE, KIND [, { most =, method = }]) */
static int api_value_profile_top(lua_State *L)
{
	static const char *const keys[] = {"most", "method", NULL};
	const struct value_daemon *d = daemon_here(L, 1);
	const uint64_t pc = api_address(L, 2, session_here(L, 1));
	const unsigned kind = kind_at(L, 3, d);
	const struct hotlists *lists = value_daemon_main(d);
	uint64_t most = MOST;
	lua_settop(L, 4);
	if (!lua_isnil(L, 4)) {
		luaL_checktype(L, 4, LUA_TTABLE);
		api_check_keys(L, 4, "m.values:top", keys);
		most = api_option_count(L, 4, "most", MOST);
		lua_getfield(L, 4, "method");
		lists = lists_at(L, 5, d);
	}
	const uint32_t i = hotlists_find(lists, value_place(session_here(L, 1), pc), kind);
	if (i == UINT32_MAX || !most)
		return 0;
	push_list(L, d, lists, i, most < MOST ? (unsigned)most : MOST);
	return 1;
}

/* Upvalues: the part, the next list, kind or nil, method or nil. */
static int next_list(lua_State *L)
{
	const struct value_daemon *d = daemon_here(L, lua_upvalueindex(1));
	const struct hotlists *lists = lists_at(L, lua_upvalueindex(4), d);
	uint32_t i = (uint32_t)lua_tointeger(L, lua_upvalueindex(2));
	const int kind =
		lua_isnil(L, lua_upvalueindex(3)) ? -1 : (int)lua_tointeger(L, lua_upvalueindex(3));
	while (i < hotlists_count(lists) && kind >= 0 &&
	       hotlists_info(lists, i).kind != (unsigned)kind)
		i++;
	if (i >= hotlists_count(lists))
		return 0;
	lua_pushinteger(L, (lua_Integer)i + 1);
	lua_replace(L, lua_upvalueindex(2));
	push_list(L, d, lists, i, MOST);
	return 1;
}

/* m.values:each([KIND [, METHOD]]) */
static int api_value_profile_each(lua_State *L)
{
	const struct value_daemon *d = daemon_here(L, 1);
	lua_settop(L, 3);
	if (!lua_isnil(L, 2)) {
		lua_pushinteger(L, kind_at(L, 2, d));
		lua_replace(L, 2);
	}
	lists_at(L, 3, d);
	lua_pushinteger(L, 0);
	lua_insert(L, 2);
	lua_pushcclosure(L, next_list, 4);
	return 1;
}

static int api_value_profile_hash(lua_State *L)
{
	lua_pushinteger(L, (lua_Integer)value_daemon_hash(daemon_here(L, 1)));
	return 1;
}

static const struct binding methods[] = {
	{"kinds", push_kinds, "m.values:kinds() -> { { name =, summary =, module = }, ... }",
         "The kinds of values that the modules make."},
	{"totals", api_value_profile_totals,
         "m.values:totals() -> { tuples =, sequences =, gaps =, values =, refused =, lost =, lists "
         "=, broken = {} }",
         "The daemon's totals: tuples; sequences of them without a lost tuple; gaps between "
         "these; values made of them; values refused because they have no address; values lost "
         "for lack of memory; hotlists; and the modules that failed."},
	{"top", api_value_profile_top,
         "m.values:top(PLACE, KIND [, { most = N, method = \"samples\" | \"top\" | \"exact\" | "
         "\"counting\" }]) -> LIST",
         "The hotlist of this instruction, nothing if it was not sampled: { pc =, kind =, vtot =, "
         "thld =, nv =, { value =, count =, estimate =, share =, "
         "text = }, ... }, the most frequent value first. vtot: values seen; thld: the probability "
         "with which one is counted; nv: values in the list; "
         "text: as the module prints it. version =, if other code was at this address before: 1 "
         "for the first that replaced other code. top gives the list of the code there now."},
	{"each", api_value_profile_each, "for LIST in m.values:each([KIND [, METHOD]]) do",
         "All hotlists in the order of their first values, as m.values:top returns them."},
	{"digest", api_value_profile_hash, "m.values:digest() -> NUMBER",
         "A digest of the whole profile: equal profiles have equal digests."},
};

const struct binding_area area_value_profile = {
	.name = "hotlists",
	.object = "values",
	.summary = "sampled values: hotlists by instruction and kind",
	.text = "    local m = cyclops.machine{ program = \"build/demos/lisp\", args = { "
                "\"demos/programs/input/queens.lisp\" }, values = \"results,latency\" }\n"
		"    m:run()\n"
		"    for l in m.values:each \"results\" do if l[1].share > 0.9 then "
                "print(m.where(l.pc), l[1].text) end end\n"
		"Machines with values = \"MODULE,...\" (`help values`); `report values` shows the "
                "same as a table. m.values.NAME is a parameter.\n"
		"`require \"cyclops.hotlists\"` keeps profiles in files and merges them.",
	.bindings = methods,
	.count = sizeof methods / sizeof *methods,
};

static int get_values(lua_State *L)
{
	api_push_part(L, 1, VALUES);
	return 1;
}

static const struct binding value[] = {
	{"values", get_values, "m.values",
         "Values that modules made of samples: `help lua hotlists`; parameters as words."},
};

const struct binding_area area_value_profile_value = {
	.name = "sampled",
	.object = "machine.",
	.summary = "reaching a machine's profile of values",
	.text = "",
	.bindings = value,
	.count = sizeof value / sizeof *value,
};

void api_open_value_profile(lua_State *L)
{
	api_new_worded_part(L, VALUES, "values");
}
