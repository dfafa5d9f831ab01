/* Words of hardware: statistics, parameters, queues and views as tables. */
#include "scripting/expr/words.h"

#include <lauxlib.h>
#include <stdio.h>
#include <string.h>

#include "core/base/nearest_word.h"
#include "core/defs/config.h"
#include "core/defs/stats.h"
#include "core/machine/params.h"
#include "core/pipe/pipe.h"
#include "hwviews/grid/view.h"
#include "hwviews/session/uop_fields.h"
#include "scripting/binding.h"

#define UOP_META "cyclops.uop"

enum queue { QUEUE_NONE, QUEUE_ROB, QUEUE_LSQ, QUEUE_FETCHQ };

static enum queue queue_of(const char *name)
{
	static const char *const names[] = {"", "rob", "lsq", "fetchq"};
	for (enum queue q = QUEUE_ROB; q <= QUEUE_FETCHQ; q++)
		if (!strcmp(name, names[q]))
			return q;
	return QUEUE_NONE;
}

static uint32_t words_hw_queue_count(const struct pipe *p, enum queue q)
{
	return q == QUEUE_ROB   ? p->st->rob_count
	       : q == QUEUE_LSQ ? p->st->lsq_count
	                        : p->st->fetchq_count;
}

static const struct uop *queue_at(const struct pipe *p, enum queue q, uint32_t i)
{
	return q == QUEUE_ROB   ? pipe_rob_at(p, i)
	       : q == QUEUE_LSQ ? pipe_lsq_at(p, i)
	                        : pipe_fetchq_at(p, i);
}

/* ---- one instruction in flight ---- */
/* An instruction by its seq; an empty entry of a queue has seq 0, and nil for every field. */
struct uop_ref {
	struct words *words; /* kept alive by its user value */
	uint64_t seq;
};

static const struct uop *words_hw_check_uop(lua_State *L, const struct words **w)
{
	const struct uop_ref *ref = luaL_checkudata(L, 1, UOP_META);
	*w = ref->words;
	const struct machine *m = words_machine(L, ref->words);
	return ref->seq ? pipe_find(machine_pipe(m), ref->seq) : NULL;
}

static int no_field(lua_State *L, const char *name)
{
	luaL_Buffer b;
	luaL_buffinit(L, &b);
	for (int i = 0; i < UOP_FIELD_COUNT; i++) {
		luaL_addstring(&b, i ? " " : "");
		luaL_addstring(&b, uop_field_info[i].name);
	}
	luaL_pushresult(&b);
	return binding_fail(L, "an instruction has no '%s'; it has %s", name, lua_tostring(L, -1));
}

static int uop_index(lua_State *L)
{
	const struct words *w;
	const struct uop *u = words_hw_check_uop(L, &w);
	const char *name = luaL_checkstring(L, 2);
	int f = uop_field_find(name);
	if (f < 0)
		return no_field(L, name);
	words_push_uop_field(L, w, u, (enum uop_field)f);
	return 1;
}

static int uop_tostring(lua_State *L)
{
	const struct words *w;
	const struct uop *u = words_hw_check_uop(L, &w);
	char text[256], line[512];
	if (!u) {
		lua_pushstring(L, "(empty)");
		return 1;
	}
	uop_disasm(u, text, sizeof text);
	snprintf(line, sizeof line, "#%llu %s, %s", (unsigned long long)u->seq, text,
	         uop_state_info[u->state].name);
	lua_pushstring(L, line);
	return 1;
}

static void push_uop(lua_State *L, const struct uop *u)
{
	struct uop_ref *ref = lua_newuserdatauv(L, sizeof *ref, 1);
	*ref = (struct uop_ref){words_here(L), u ? u->seq : 0};
	lua_pushvalue(L, lua_upvalueindex(1));
	lua_setiuservalue(L, -2, 1);
	luaL_setmetatable(L, UOP_META);
}

/* ---- groups: the word before the dot ---- */
static bool words_hw_push_stat(lua_State *L, const char *name)
{
	for (size_t i = 0; i < stat_row_count; i++) {
		if (strcmp(stat_rows[i].name, name) != 0)
			continue;
		const struct machine *m = words_machine(L, words_here(L));
		const struct stats *s = machine_stats(m);
		struct err err;
		if (!stat_exists(machine_config(m), &stat_rows[i])) {
			stat_absent(&stat_rows[i], &err);
			binding_fail(L, "%s", err.msg);
		}
		if (stat_rows[i].derived)
			lua_pushnumber(L, stat_value(s, &stat_rows[i]));
		else
			lua_pushinteger(L,
			                *(const lua_Integer *)(const void *)((const char *)s +
			                                                     stat_rows[i].offset));
		return true;
	}
	return false;
}

static bool words_hw_push_param(lua_State *L, const char *name)
{
	char text[PARAM_TEXT_MAX];
	for (size_t i = 0; i < param_count; i++) {
		if (strcmp(params[i].name, name) != 0)
			continue;
		const struct config *cfg = machine_config(words_machine(L, words_here(L)));
		if (params[i].type == PARAM_INT)
			lua_pushinteger(L, config_get(cfg, &params[i]));
		else if (params[i].type == PARAM_BOOL)
			lua_pushboolean(L, config_get(cfg, &params[i]) != 0);
		else
			lua_pushstring(L, config_format(cfg, &params[i], text, sizeof text));
		return true;
	}
	return false;
}

bool words_is_group(const char *name)
{
	size_t n = strlen(name);
	for (size_t i = 0; i < stat_row_count; i++)
		if (!strncmp(stat_rows[i].name, name, n) && stat_rows[i].name[n] == '.')
			return true;
	for (size_t i = 0; i < param_count; i++)
		if (!strncmp(params[i].name, name, n) && params[i].name[n] == '.')
			return true;
	return queue_of(name) != QUEUE_NONE || words_is_xprof(name);
}

/* Pushes rob[1], btb[3] or btb.count: upvalue 2 is the group's name. False: no such key. */
static bool push_entry(lua_State *L, const char *group, int key)
{
	enum queue q = queue_of(group);
	bool count = !lua_isinteger(L, key) && !strcmp(lua_tostring(L, key), "count");
	struct err err;
	if (!count && !lua_isinteger(L, key))
		return false;
	if (q != QUEUE_NONE) {
		const struct pipe *p = machine_pipe(words_machine(L, words_here(L)));
		uint32_t n = words_hw_queue_count(p, q);
		lua_Integer i = lua_tointeger(L, key);
		if (count)
			lua_pushinteger(L, n);
		else
			push_uop(L, i >= 1 && i <= n ? queue_at(p, q, (uint32_t)i - 1) : NULL);
		return true;
	}
	if (!view_named(words_here(L)->s, group))
		return false;
	if (!words_push_view(L, group, &err))
		binding_fail(L, "%s", err.msg);
	lua_pushvalue(L, key);
	lua_gettable(L, -2);
	return true;
}

static int group_index(lua_State *L)
{
	const char *group = lua_tostring(L, lua_upvalueindex(2));
	char name[256];
	if (!lua_isinteger(L, 2))
		luaL_checkstring(L, 2);
	if (words_push_xprof(L, group, 2) ||
	    (!strcmp(group, "sampler") && words_push_sampler(L, 2)) ||
	    (!strcmp(group, "cop") && words_push_cop(L, 2)) ||
	    (!strcmp(group, "vsample") && words_push_vsample(L, 2)) || push_entry(L, group, 2))
		return 1;
	if (lua_isinteger(L, 2))
		return binding_fail(L, "'%s' has no entries", group);
	snprintf(name, sizeof name, "%s.%s", group, lua_tostring(L, 2));
	if (words_hw_push_stat(L, name) || words_hw_push_param(L, name) ||
	    words_push_group(L, name))
		return 1;
	if (!strcmp(group, "cop") && words_push_cop_named(L, lua_tostring(L, 2)))
		return 1;
	if (words_is_xprof(group))
		return binding_fail(L, "%s has no '%s'; it has %s", group, lua_tostring(L, 2),
		                    words_tell_xprof(group));
	struct nearest n;
	nearest_init(&n, name);
	for (size_t i = 0; i < stat_row_count; i++)
		nearest_offer_dotted(&n, stat_rows[i].name);
	for (size_t i = 0; i < param_count; i++)
		nearest_offer_dotted(&n, params[i].name);
	return binding_fail(L, "no statistic or parameter '%s': %s", name,
	                    nearest_said(&n, "`print %s` lists what there is", group));
}

/* Lists the keys of a group. */
static int group_tostring(lua_State *L)
{
	const char *group = lua_tostring(L, lua_upvalueindex(2));
	size_t n = strlen(group);
	luaL_Buffer b;
	char entries[320] = "";
	if (queue_of(group) != QUEUE_NONE)
		snprintf(entries, sizeof entries, "%s.count, %s[1] (the oldest), ...", group,
		         group);
	else if (words_is_xprof(group))
		snprintf(entries, sizeof entries, "%s", words_tell_xprof(group));
	else if (!strcmp(group, "sampler"))
		snprintf(entries, sizeof entries, "%s", words_tell_sampler());
	else if (!strcmp(group, "cop"))
		snprintf(entries, sizeof entries, "%s", words_tell_cop());
	else if (!strcmp(group, "vsample"))
		snprintf(entries, sizeof entries, "%s", words_tell_vsample());
	luaL_buffinit(L, &b);
	luaL_addstring(&b, entries);
	for (size_t i = 0; i < stat_row_count; i++)
		if (!strncmp(stat_rows[i].name, group, n) && stat_rows[i].name[n] == '.') {
			luaL_addstring(&b, luaL_bufflen(&b) ? ", " : "");
			luaL_addstring(&b, stat_rows[i].name);
		}
	for (size_t i = 0; i < param_count; i++)
		if (!strncmp(params[i].name, group, n) && params[i].name[n] == '.') {
			luaL_addstring(&b, luaL_bufflen(&b) ? ", " : "");
			luaL_addstring(&b, params[i].name);
		}
	luaL_pushresult(&b);
	return 1;
}

bool words_push_group(lua_State *L, const char *name)
{
	if (!words_is_group(name))
		return false;
	lua_newtable(L);
	lua_newtable(L);
	lua_pushvalue(L, lua_upvalueindex(1));
	lua_pushstring(L, name);
	lua_pushcclosure(L, group_index, 2);
	lua_setfield(L, -2, "__index");
	lua_pushvalue(L, lua_upvalueindex(1));
	lua_pushstring(L, name);
	lua_pushcclosure(L, group_tostring, 2);
	lua_setfield(L, -2, "__tostring");
	lua_setmetatable(L, -2);
	return true;
}

static int stat_index(lua_State *L)
{
	const char *name = luaL_checkstring(L, 2);
	struct err err;
	if (words_hw_push_stat(L, name))
		return 1;
	stat_find(name, &err);
	return binding_fail(L, "%s", err.msg);
}

static int words_hw_config_index(lua_State *L)
{
	const char *name = luaL_checkstring(L, 2);
	struct err err;
	if (words_hw_push_param(L, name))
		return 1;
	param_find(name, &err);
	return binding_fail(L, "%s", err.msg);
}

/* ---- views ---- */
static int empty_row(lua_State *L)
{
	if (lua_isinteger(L, 2))
		lua_pushvalue(L, lua_upvalueindex(1));
	else
		lua_pushnil(L);
	return 1;
}

/* Rows as tables by column name; a missing row is an empty table. */
static int push_grid(lua_State *L)
{
	const struct grid *g = lua_touserdata(L, 1);
	lua_createtable(L, (int)g->row_count, 2);
	for (unsigned r = 0; r < g->row_count; r++) {
		lua_createtable(L, 0, (int)g->column_count);
		for (unsigned c = 0; c < g->column_count; c++) {
			words_push_cell(L, &g->rows[r].cells[c]);
			lua_setfield(L, -2, g->columns[c].name);
		}
		lua_rawseti(L, -2, (lua_Integer)r + 1);
	}
	lua_pushinteger(L, g->row_count);
	lua_setfield(L, -2, "count");
	lua_pushstring(L, g->summary);
	lua_setfield(L, -2, "summary");
	lua_newtable(L);
	lua_newtable(L);
	lua_pushcclosure(L, empty_row, 1);
	lua_setfield(L, -2, "__index");
	lua_setmetatable(L, -2);
	return 1;
}

static bool words_hw_build_view(lua_State *L, const char *words, struct grid *g, struct err *err)
{
	words_machine(L, words_here(L));
	return view_build(words_here(L)->s, words, &(struct view_args){0}, g, err);
}

/* Pushes it by lua_pcall(), so that a lack of memory does not leak the grid. */
static void push_built(lua_State *L, struct grid *g)
{
	lua_pushcfunction(L, push_grid);
	lua_pushlightuserdata(L, g);
	int status = lua_pcall(L, 1, 1, 0);
	grid_deinit(g);
	if (status != LUA_OK)
		lua_error(L);
}

bool words_push_view(lua_State *L, const char *words, struct err *err)
{
	struct words *w = words_here(L);
	struct grid g;
	if (w->live) {
		if (!words_hw_build_view(L, words, &g, err))
			return false;
		push_built(L, &g);
		return true;
	}
	lua_getiuservalue(L, lua_upvalueindex(1), 1);
	if (lua_getfield(L, -1, words) == LUA_TTABLE) {
		lua_remove(L, -2);
		return true;
	}
	lua_pop(L, 1);
	if (!words_hw_build_view(L, words, &g, err)) {
		lua_pop(L, 1);
		return false;
	}
	push_built(L, &g);
	w->views_used = true;
	lua_pushvalue(L, -1);
	lua_setfield(L, -3, words);
	lua_remove(L, -2);
	return true;
}

static int view_index(lua_State *L)
{
	struct err err;
	if (!words_push_view(L, luaL_checkstring(L, 2), &err))
		return binding_fail(L, "%s", err.msg);
	return 1;
}

static int proxy_tostring(lua_State *L)
{
	lua_pushvalue(L, lua_upvalueindex(1));
	return 1;
}

/* Sets name in the table on top to a table whose fields fn returns; the userdata is at `index`. */
static void set_proxy(lua_State *L, int index, const char *name, lua_CFunction fn, const char *text)
{
	lua_newtable(L);
	lua_newtable(L);
	lua_pushvalue(L, index);
	lua_pushcclosure(L, fn, 1);
	lua_setfield(L, -2, "__index");
	lua_pushstring(L, text);
	lua_pushcclosure(L, proxy_tostring, 1);
	lua_setfield(L, -2, "__tostring");
	lua_setmetatable(L, -2);
	lua_setfield(L, -2, name);
}

void words_open_hw(lua_State *L, int index)
{
	if (luaL_newmetatable(L, UOP_META)) {
		lua_pushcfunction(L, uop_index);
		lua_setfield(L, -2, "__index");
		lua_pushcfunction(L, uop_tostring);
		lua_setfield(L, -2, "__tostring");
	}
	lua_pop(L, 1);
	words_open_xprof(L);
	words_open_sampler(L);
	words_open_cop(L);
	set_proxy(L, index, "stat", stat_index, "statistics: stat['sim.ipc']");
	set_proxy(L, index, "config", words_hw_config_index, "parameters: config['pipe.rob_size']");
	set_proxy(L, index, "view", view_index,
	          "views: view.ras[1].returns_to, view['btb 3'][1].target");
}
