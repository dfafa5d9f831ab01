/* m.sampler: exact counts of selected tuples, and of those reported to software. */
#include "core/prof/common/prof.h"
#include "core/prof/sampler/sampler_exact.h"
#include "scripting/api/sampler.h"
#include "scripting/api/tuples.h"
#include "scripting/binding.h"

enum { ENTRIES_PER_STEP = 4 };

static const struct sampler_exact *exact_at(lua_State *L, int index)
{
	struct lua_machine *m = sampler_machine(L, index);
	const struct sampler_exact *x = sampler_exact_of(sampler_devices(m));
	if (!x)
		binding_fail(L, "%s counts nothing exactly: it needs sampler.exact=true", m->name);
	return x;
}

static int sampler_counts_next_tuple(lua_State *L)
{
	const struct sampler_exact *x = exact_at(L, lua_upvalueindex(1));
	uint32_t i = (uint32_t)lua_tointeger(L, lua_upvalueindex(2));
	if (i >= x->head.entries)
		return 0;
	const struct exact_tuple t = sampler_exact_tuple(x, i);
	lua_pushinteger(L, (lua_Integer)i + 1);
	lua_replace(L, lua_upvalueindex(2));
	tuples_push(L, t.tuple);
	lua_pushinteger(L, (lua_Integer)t.selected);
	lua_pushinteger(L, (lua_Integer)t.told);
	return 5;
}

int sampler_lua_tuples(lua_State *L)
{
	exact_at(L, 1);
	return tuples_iterate(L, sampler_counts_next_tuple);
}

int sampler_lua_count(lua_State *L)
{
	const struct exact_tuple t = sampler_exact_find(exact_at(L, 1), tuples_check(L, 2));
	lua_pushinteger(L, (lua_Integer)t.selected);
	lua_pushinteger(L, (lua_Integer)t.told);
	return 2;
}

int sampler_lua_lost(lua_State *L)
{
	const struct sampler_exact *x = exact_at(L, 1);
	lua_pushinteger(L, (lua_Integer)x->head.lost);
	lua_pushinteger(L, (lua_Integer)x->head.lost_told);
	return 2;
}

int sampler_lua_profiles(lua_State *L)
{
	const struct sampler_exact *x = exact_at(L, 1);
	struct tuple_profile *ideal = tuples_new_profile(L), *told = tuples_new_profile(L);
	host_tick(L, x->head.entries / ENTRIES_PER_STEP + 1);
	for (uint32_t i = 0; i < x->head.entries; i++) {
		const struct exact_tuple t = sampler_exact_tuple(x, i);
		tuples_count(L, ideal, t.tuple, t.selected);
		if (t.told)
			tuples_count(L, told, t.tuple, t.told);
	}
	return 2;
}

struct tuple_error sampler_error(lua_State *L, const struct lua_machine *m,
                                 const struct tuple_thresholds *limits)
{
	const struct sampler_exact *x = sampler_exact_of(sampler_devices(m));
	struct tuple_error e;
	host_tick(L, x->head.entries / ENTRIES_PER_STEP + 1);
	if (!sampler_exact_error(x, limits, &e))
		binding_fail(L, "out of memory for the error of %s's sampler", m->name);
	return e;
}

int sampler_lua_error(lua_State *L)
{
	static const char *const keys[] = {TUPLES_THRESHOLD_KEYS, NULL};
	struct lua_machine *m = sampler_machine(L, 1);
	struct tuple_thresholds t = sampler_thresholds(sampler_devices(m)->cfg);
	exact_at(L, 1);
	if (!lua_isnoneornil(L, 2)) {
		luaL_checktype(L, 2, LUA_TTABLE);
		api_check_keys(L, 2, "m.sampler:error", keys);
		tuples_thresholds(L, 2, &t);
	}
	const struct tuple_error e = sampler_error(L, m, &t);
	tuples_push_error(L, &e);
	return 2;
}

static void push_bucket(lua_State *L, const struct exact_bucket *b)
{
	lua_createtable(L, 0, 8);
	if (b->selected)
		tuples_set(L, b->tuple);
	binding_set_integer(L, "distinct", b->distinct);
	binding_set_integer(L, "selected", b->selected);
	binding_set_integer(L, "most", b->most);
	lua_pushnumber(L, b->bias);
	lua_setfield(L, -2, "bias");
	lua_pushnumber(L, b->entropy);
	lua_setfield(L, -2, "entropy");
}

int sampler_lua_buckets(lua_State *L)
{
	const struct sampler *s = sampler_of(sampler_devices(sampler_machine(L, 1)));
	const struct sampler_exact *x = exact_at(L, 1);
	const unsigned stage = lua_isnoneornil(L, 2) ? 0 : sampler_stage(L, 2, s);
	const uint32_t n = sampler_exact_buckets(&s->compressor, stage);
	host_tick(L, x->head.entries / ENTRIES_PER_STEP + n + 1);
	struct exact_bucket *all = lua_newuserdatauv(L, (n + 1) * sizeof *all, 0);
	sampler_exact_fill(x, &s->compressor, stage, all);
	lua_newtable(L);
	for (uint32_t i = 0; i < n; i++) {
		push_bucket(L, &all[i]);
		lua_rawseti(L, -2, (lua_Integer)i);
	}
	return 1;
}

