/* m.stats and m.config: statistics and parameters by their full names. */
#include "core/defs/stats.h"

#include <stdio.h>
#include <string.h>

#include "core/machine/params.h"
#include "hwviews/session/marks.h"
#include "scripting/api/api.h"

#define STATS "cyclops.stats"
#define CONFIG_PART "cyclops.config"

static void api_stats_push_stat(lua_State *L, const struct stats *s, const struct stat_row *row)
{
	uint64_t count;
	if (row->derived) {
		lua_pushnumber(L, stat_value(s, row));
		return;
	}
	memcpy(&count, (const char *)s + row->offset, sizeof count);
	lua_pushinteger(L, (lua_Integer)count);
}

static int stats_index(lua_State *L)
{
	const struct machine *m = api_machine_of_part(L, 1, STATS)->s->machine;
	struct err err;
	const struct stat_row *row = stat_find(luaL_checkstring(L, 2), &err);
	if (!row || !(stat_exists(machine_config(m), row) || stat_absent(row, &err)))
		return binding_fail(L, "%s", err.msg);
	api_stats_push_stat(L, machine_stats(m), row);
	return 1;
}

int api_thread_stats(lua_State *L)
{
	const struct session *s = api_machine(L, 1)->s;
	char number[24];
	struct err err;
	struct region r;
	if (lua_isinteger(L, 2))
		snprintf(number, sizeof number, "%lld", (long long)lua_tointeger(L, 2));
	else
		snprintf(number, sizeof number, "%s", luaL_checkstring(L, 2));
	const char *const words[] = {"thread", number};
	struct stats *sum = lua_newuserdatauv(L, STATS_ROOM * sizeof(uint64_t), 0);
	if (!region_take_thread(s, 2, words, &r, &err) || !region_stats(s, &r, sum, &err))
		return binding_fail(L, "%s", err.msg);
	host_tick(L, (unsigned)stat_row_count);
	lua_newtable(L);
	for (size_t i = 0; i < stat_row_count; i++)
		if (stat_exists(machine_config(s->machine), &stat_rows[i])) {
			api_stats_push_stat(L, sum, &stat_rows[i]);
			lua_setfield(L, -2, stat_rows[i].name);
		}
	return 1;
}

/* Upvalues: the part, the next row. */
static int stats_next(lua_State *L)
{
	const struct machine *m = api_machine_of_part(L, lua_upvalueindex(1), STATS)->s->machine;
	size_t i = (size_t)lua_tointeger(L, lua_upvalueindex(2));
	while (i < stat_row_count && !stat_exists(machine_config(m), &stat_rows[i]))
		i++;
	if (i == stat_row_count)
		return 0;
	lua_pushinteger(L, (lua_Integer)i + 1);
	lua_replace(L, lua_upvalueindex(2));
	lua_pushstring(L, stat_rows[i].name);
	api_stats_push_stat(L, machine_stats(m), &stat_rows[i]);
	return 2;
}

static void api_stats_push_param(lua_State *L, const struct config *cfg, const struct param *p)
{
	char text[PARAM_TEXT_MAX];
	if (p->type == PARAM_INT)
		lua_pushinteger(L, config_get(cfg, p));
	else if (p->type == PARAM_BOOL)
		lua_pushboolean(L, config_get(cfg, p) != 0);
	else
		lua_pushstring(L, config_format(cfg, p, text, sizeof text));
}

static int api_stats_config_index(lua_State *L)
{
	const struct lua_machine *m = api_machine_of_part(L, 1, CONFIG_PART);
	struct err err;
	const struct param *p = param_find(luaL_checkstring(L, 2), &err);
	if (!p)
		return binding_fail(L, "%s", err.msg);
	api_stats_push_param(L, machine_config(m->s->machine), p);
	return 1;
}

static int config_next(lua_State *L)
{
	const struct lua_machine *m = api_machine_of_part(L, lua_upvalueindex(1), CONFIG_PART);
	size_t i = (size_t)lua_tointeger(L, lua_upvalueindex(2));
	if (i == param_count)
		return 0;
	lua_pushinteger(L, (lua_Integer)i + 1);
	lua_replace(L, lua_upvalueindex(2));
	lua_pushstring(L, params[i].name);
	api_stats_push_param(L, machine_config(m->s->machine), &params[i]);
	return 2;
}

static int api_stats_push_iterator(lua_State *L, lua_CFunction next)
{
	lua_settop(L, 1);
	lua_pushinteger(L, 0);
	lua_pushcclosure(L, next, 2);
	return 1;
}

static int stats_pairs(lua_State *L)
{
	api_machine_of_part(L, 1, STATS);
	return api_stats_push_iterator(L, stats_next);
}

static int config_pairs(lua_State *L)
{
	api_machine_of_part(L, 1, CONFIG_PART);
	return api_stats_push_iterator(L, config_next);
}

static int read_only(lua_State *L)
{
	return binding_fail(L,
	                    "'%s' is read-only: parameters are set when a machine is made, "
	                    "statistics are counted by it",
	                    host_text(L, 2, NULL));
}

static int get_stats(lua_State *L)
{
	api_push_part(L, 1, STATS);
	return 1;
}

static int get_config(lua_State *L)
{
	api_push_part(L, 1, CONFIG_PART);
	return 1;
}

static const struct binding values[] = {
	{"stats", get_stats, "m.stats[NAME], for name, value in pairs(m.stats) do",
         "Statistics by name: m.stats['sim.ipc'] is m.sim.ipc. pairs goes through those that this "
         "machine has, in the order of `stats`."},
	{"config", get_config, "m.config[NAME], for name, value in pairs(m.config) do",
         "Parameters by name, as this machine was made: numbers, booleans, texts, or the name of a "
         "choice."},
};

const struct binding_area area_stats = {
	.name = "statistics",
	.object = "machine.",
	.summary = "statistics and parameters",
	.text = "",
	.bindings = values,
	.count = sizeof values / sizeof *values,
};

void api_open_stats(lua_State *L)
{
	static const luaL_Reg stats[] = {{"__index", stats_index},
	                                 {"__newindex", read_only},
	                                 {"__pairs", stats_pairs},
	                                 {NULL, NULL}};
	static const luaL_Reg config[] = {
		{"__index", api_stats_config_index},
		{"__newindex", read_only},
		{"__pairs", config_pairs},
		{NULL, NULL},
	};
	api_new_part(L, STATS, stats);
	api_new_part(L, CONFIG_PART, config);
}
