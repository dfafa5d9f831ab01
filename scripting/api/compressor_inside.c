/* Inspects a compressor in Lua: one tuple step by step, contents of tables, hashes. */
#include "core/defs/stats_fields.h"

#include "core/pipe/plugin.h"
#include "scripting/api/compressor.h"
#include "scripting/api/tuples.h"
#include "scripting/binding.h"

/* ---- one tuple, step by step ---- */
static void push_step(lua_State *L, const struct compressor *c, unsigned stage,
                      const struct component_touch *touch)
{
	lua_createtable(L, 0, 7);
	binding_set_integer(L, "stage", stage + 1);
	lua_pushstring(L, component_act_name[touch->act]);
	lua_setfield(L, -2, "act");
	lua_pushstring(L, component_act_help[touch->act]);
	lua_setfield(L, -2, "help");
	binding_set_integer(L, "entry", touch->entry);
	binding_set_integer(L, "before", touch->before);
	binding_set_integer(L, "after", touch->after);
	if (c->spec.stage[stage].kind == COMPONENT_TAGGED)
		binding_set_integer(L, "misses", touch->misses);
}

int lua_compressor_follow(lua_State *L)
{
	struct compressor *c = lua_compressor_at(L, 1);
	struct message m = {tuples_check(L, 2), 1}, out;
	bool sent = true;
	lua_compressor_check(L, 1)->cycle++;
	lua_newtable(L);
	for (unsigned i = 0; i < c->spec.count && sent; i++) {
		struct component_touch touch;
		sent = compressor_stage(c, i, &m, &out, &touch);
		lua_compressor_check_plugins(L, lua_compressor_check(L, 1));
		push_step(L, c, i, &touch);
		if (sent) {
			lua_createtable(L, 0, 4);
			tuples_set(L, out.tuple);
			binding_set_integer(L, "count", out.count);
			lua_setfield(L, -2, "message");
			m = out;
		}
		lua_rawseti(L, -2, (lua_Integer)i + 1);
	}
	return 1;
}

/* ---- looking inside ---- */
/* The stage in the argument, from 1; without one the first stage that hashes. */
static unsigned stage_at(lua_State *L, const struct compressor *c, int index)
{
	unsigned stage = 0;
	if (lua_isnoneornil(L, index)) {
		while (stage < c->spec.count && !c->hasher[stage])
			stage++;
		return stage < c->spec.count ? stage : 0;
	}
	lua_Integer n = luaL_checkinteger(L, index);
	if (n < 1 || n > (lua_Integer)c->spec.count)
		binding_fail(L, "no stage %d; this compressor has 1 to %u", (int)n, c->spec.count);
	return (unsigned)n - 1;
}

int lua_compressor_held(lua_State *L)
{
	const struct compressor *c = lua_compressor_at(L, 1);
	bool all = lua_isnoneornil(L, 2);
	unsigned stage = all ? 0 : stage_at(L, c, 2);
	for (unsigned i = 0; i < c->spec.count; i++)
		host_tick(L, c->spec.stage[i].entries / 8 + 1);
	lua_pushinteger(L, (lua_Integer)(all ? compressor_held(c) : component_held(c, stage)));
	return 1;
}

int lua_compressor_place(lua_State *L)
{
	const struct compressor *c = lua_compressor_at(L, 1);
	struct tuple t = tuples_check(L, 2);
	unsigned stage = stage_at(L, c, 5);
	lua_pushinteger(L, compressor_index(c, stage, t));
	if (c->spec.stage[stage].kind != COMPONENT_TAGGED)
		return 1;
	lua_pushinteger(L, compressor_tag(c, stage, t));
	return 2;
}

int lua_compressor_hash_steps(lua_State *L)
{
	const struct compressor *c = lua_compressor_at(L, 1);
	struct tuple t = tuples_check(L, 2);
	unsigned stage = stage_at(L, c, 5);
	if (!c->hasher[stage] || c->spec.stage[stage].hash != HASH_RANDOM)
		return binding_fail(L,
		                    "stage %u does not hash in steps: only H and T do, with the "
		                    "hash function random",
		                    stage + 1);
	struct tuple_hash_steps s = compressor_hash_steps(c, stage, t);
	lua_createtable(L, 0, 5);
	binding_set_integer(L, "pc_random", s.pc_random);
	binding_set_integer(L, "pc_flipped", s.pc_flipped);
	binding_set_integer(L, "value_random", s.value_random);
	binding_set_integer(L, "mixed", s.mixed);
	binding_set_integer(L, "index", s.index);
	return 1;
}

static void set_tagged(lua_State *L, const struct compressor *c, unsigned stage, uint32_t i)
{
	static const char *const state[] = {
		[TAG_EMPTY] = "empty", [TAG_VALID] = "valid", [TAG_EVICT] = "evict"};
	struct tagged_view v = compressor_tagged(c, stage, i);
	lua_pushstring(L, state[v.state]);
	lua_setfield(L, -2, "state");
	binding_set_integer(L, "tag", v.tag);
	binding_set_integer(L, "hits", v.hits);
	binding_set_integer(L, "misses", v.misses);
}

int lua_compressor_entry(lua_State *L)
{
	const struct compressor *c = lua_compressor_at(L, 1);
	unsigned stage = stage_at(L, c, 2);
	lua_Integer n = luaL_checkinteger(L, 3);
	const struct component *part = &c->spec.stage[stage];
	if (n < 0 || n >= (lua_Integer)part->entries)
		return binding_fail(L, "no entry %d; stage %u has 0 to %u", (int)n, stage + 1,
		                    part->entries - 1);
	uint32_t i = (uint32_t)n;
	lua_createtable(L, 0, 5);
	if (part->kind == COMPONENT_TAGGED) {
		set_tagged(L, c, stage, i);
	} else if (part->kind == COMPONENT_ASSOCIATIVE) {
		struct associative_view v = compressor_associative(c, stage, i);
		tuples_set(L, v.tuple);
		binding_set_integer(L, "count", v.count);
		binding_set_integer(L, "used", v.used);
	} else if (part->kind == COMPONENT_EXTERNAL) {
		binding_set_integer(L, "count", compressor_external(c, stage, i).count);
	} else {
		struct sampler_view v = compressor_sampler(c, stage, i);
		binding_set_integer(L, "at", v.at);
		binding_set_integer(L, "since", v.since);
	}
	return 1;
}
