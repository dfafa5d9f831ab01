/* Words of Xprof: pflag, the profile flags as known at each stage, and bdt[SET][WAY], the entries
 * of the block descriptor table. */
#include "scripting/expr/words.h"

#include <inttypes.h>
#include <lauxlib.h>
#include <stdio.h>
#include <string.h>

#include "core/pipe/pipe.h"
#include "core/pipe/xprof/xprof.h"
#include "scripting/binding.h"

#define SET_META "cyclops.bdt_set"
#define ENTRY_META "cyclops.bdt_entry"

/* ---- the block descriptor table ---- */
static const struct bdt *words_xprof_check_bdt(lua_State *L, const struct words *w)
{
	const struct bdt *t = &machine_pipe(words_machine(L, w))->xprof.bdt;
	if (!t->ways)
		binding_fail(L, "this machine has no block descriptor table (bdt.sets = 0, or "
		                "xprof.enable = false)");
	return t;
}

static const struct bdt_entry *words_xprof_bdt_entry(lua_State *L, const struct words_place *at)
{
	const struct bdt *t = words_xprof_check_bdt(L, at->words);
	return &t->entry[(size_t)at->number * t->ways + at->part];
}

static lua_Integer words_xprof_count_entries(const struct bdt *t, uint32_t from, uint32_t sets,
                                             bool locked)
{
	lua_Integer n = 0;
	for (size_t i = (size_t)from * t->ways; i < ((size_t)from + sets) * t->ways; i++)
		n += t->entry[i].leader && (!locked || t->entry[i].locked);
	return n;
}

static int entry_index(lua_State *L)
{
	const struct bdt_entry *e = words_xprof_bdt_entry(L, luaL_checkudata(L, 1, ENTRY_META));
	const char *name = luaL_checkstring(L, 2);
	const struct {
		const char *name;
		uint64_t value;
	} numbers[] = {{"leader", e->leader},
	               {"follow", e->follow},
	               {"insts", e->count},
	               {"bytes", e->follow - e->leader},
	               {"used", e->touched}};
	if (!strcmp(name, "valid") || !strcmp(name, "locked") || !strcmp(name, "on")) {
		lua_pushboolean(L,
		                e->leader && (*name == 'v' || (*name == 'l' ? e->locked : e->on)));
		return 1;
	}
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		if (strcmp(numbers[i].name, name) != 0)
			continue;
		if (e->leader)
			lua_pushinteger(L, (lua_Integer)numbers[i].value);
		else
			lua_pushnil(L);
		return 1;
	}
	return binding_fail(L,
	                    "an entry of the block descriptor table has no '%s'; it has valid "
	                    "leader follow insts bytes on locked used",
	                    name);
}

/* Omits the time of its last use: a watch on an entry must report only changes. */
static void tell_entry(const struct bdt_entry *e, char *buf, size_t n)
{
	if (e->leader)
		snprintf(buf, n, "0x%" PRIx64 " to 0x%" PRIx64 " (%u instruction%s, %s%s)",
		         e->leader, e->follow, e->count, e->count == 1 ? "" : "s",
		         e->on ? "on" : "off", e->locked ? ", locked" : "");
	else
		snprintf(buf, n, "(empty)");
}

static int entry_tostring(lua_State *L)
{
	char text[128];
	tell_entry(words_xprof_bdt_entry(L, luaL_checkudata(L, 1, ENTRY_META)), text, sizeof text);
	lua_pushstring(L, text);
	return 1;
}

static int set_index(lua_State *L)
{
	const struct words_place *at = luaL_checkudata(L, 1, SET_META);
	const struct bdt *t = words_xprof_check_bdt(L, at->words);
	if (lua_isinteger(L, 2)) {
		lua_Integer way = lua_tointeger(L, 2);
		if (way < 0 || way >= (lua_Integer)t->ways)
			return binding_fail(L,
			                    "a set of the block descriptor table has ways 0 to %d",
			                    (int)t->ways - 1);
		lua_getiuservalue(L, 1, 1);
		words_push_place(L, -1,
		                 (struct words_place){at->words, at->number, (uint32_t)way},
		                 ENTRY_META);
		return 1;
	}
	const char *name = luaL_checkstring(L, 2);
	if (strcmp(name, "count") != 0 && strcmp(name, "locked") != 0)
		return binding_fail(L,
		                    "a set of the block descriptor table has no '%s'; it has "
		                    "[WAY], count and locked",
		                    name);
	lua_pushinteger(L, words_xprof_count_entries(t, at->number, 1, *name == 'l'));
	return 1;
}

static int set_tostring(lua_State *L)
{
	const struct words_place *at = luaL_checkudata(L, 1, SET_META);
	const struct bdt *t = words_xprof_check_bdt(L, at->words);
	char text[128];
	luaL_Buffer b;
	luaL_buffinit(L, &b);
	for (uint32_t way = 0; way < t->ways; way++) {
		tell_entry(&t->entry[(size_t)at->number * t->ways + way], text, sizeof text);
		luaL_addstring(&b, way ? "; " : "");
		luaL_addstring(&b, text);
	}
	luaL_pushresult(&b);
	return 1;
}

static bool push_table(lua_State *L, int key)
{
	struct words *w = words_here(L);
	if (lua_isinteger(L, key)) {
		const struct bdt *t = words_xprof_check_bdt(L, w);
		lua_Integer set = lua_tointeger(L, key);
		if (set < 0 || set > (lua_Integer)t->mask)
			binding_fail(L, "the block descriptor table has sets 0 to %d",
			             (int)t->mask);
		words_push_place(L, lua_upvalueindex(1), (struct words_place){w, (uint32_t)set, 0},
		                 SET_META);
		return true;
	}
	const char *name = lua_tostring(L, key);
	if (strcmp(name, "count") != 0 && strcmp(name, "locked") != 0)
		return false;
	const struct bdt *t = words_xprof_check_bdt(L, w);
	lua_pushinteger(L, words_xprof_count_entries(t, 0, t->mask + 1, *name == 'l'));
	return true;
}

/* ---- profile flags ---- */
static bool words_xprof_push_flags(lua_State *L, int key)
{
	const struct pipe *p = machine_pipe(words_machine(L, words_here(L)));
	const struct xprof_state *st = p->xprof.st;
	uint16_t late, known = xprof_known(p, &late);
	if (lua_isinteger(L, key)) {
		lua_Integer k = lua_tointeger(L, key);
		if (k < 0 || k >= PROFILE_TYPES_MAX)
			binding_fail(L, "there are profile flags 0 to %d", PROFILE_TYPES_MAX - 1);
		if (late >> k & 1)
			lua_pushnil(L);
		else
			lua_pushboolean(L, known >> k & 1);
		return true;
	}
	const struct {
		const char *name;
		uint64_t value;
	} numbers[] = {{"decode", known},
	               {"late", late},
	               {"commit", xprof_committed_flags(p)},
	               {"fetch", st->bits},
	               {"leader", xprof_leader(p)}};
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		if (!strcmp(numbers[i].name, lua_tostring(L, key))) {
			lua_pushinteger(L, (lua_Integer)numbers[i].value);
			return true;
		}
	return false;
}

bool words_is_xprof(const char *group)
{
	return !strcmp(group, "bdt") || !strcmp(group, "pflag");
}

bool words_push_xprof(lua_State *L, const char *group, int key)
{
	if (!strcmp(group, "bdt"))
		return push_table(L, key);
	return !strcmp(group, "pflag") && words_xprof_push_flags(L, key);
}

const char *words_tell_xprof(const char *group)
{
	return !strcmp(group, "bdt")
	               ? "bdt.count, bdt.locked, bdt[SET].locked, bdt[SET][WAY].leader"
	               : "pflag[0] (by decode, nil: a poppf is to bring it), pflag.decode, late, "
	                 "commit, fetch, leader";
}

void words_open_xprof(lua_State *L)
{
	words_metatable(L, SET_META, set_index, set_tostring);
	words_metatable(L, ENTRY_META, entry_index, entry_tostring);
}
