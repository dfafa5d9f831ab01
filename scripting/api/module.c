/* The module `cyclops`. */
#include "core/defs/events.h"
#include "core/defs/stats.h"
#include "core/machine/params.h"
#include "hwviews/grid/view.h"
#include "scripting/api/api.h"

static int api_module_list_events(lua_State *L)
{
	lua_createtable(L, EV_COUNT, 0);
	for (int i = 0; i < EV_COUNT; i++) {
		lua_pushstring(L, event_info[i].name);
		lua_rawseti(L, -2, i + 1);
	}
	return 1;
}

static int api_module_list_stats(lua_State *L)
{
	lua_createtable(L, (int)stat_row_count, 0);
	for (size_t i = 0; i < stat_row_count; i++) {
		lua_pushstring(L, stat_rows[i].name);
		lua_rawseti(L, -2, (lua_Integer)i + 1);
	}
	return 1;
}

static int api_module_list_parameters(lua_State *L)
{
	lua_createtable(L, (int)param_count, 0);
	for (size_t i = 0; i < param_count; i++) {
		lua_pushstring(L, params[i].name);
		lua_rawseti(L, -2, (lua_Integer)i + 1);
	}
	return 1;
}

static int view_names(lua_State *L)
{
	const struct session more = {.more_views = &script_of(L)->views};
	const struct view *v;
	lua_createtable(L, (int)view_count, 0);
	for (unsigned i = 0; (v = view_at(&more, i)); i++) {
		lua_pushstring(L, v->name);
		lua_rawseti(L, -2, (lua_Integer)i + 1);
	}
	return 1;
}

static int api_module_note(lua_State *L)
{
	size_t n;
	const struct script *s = script_of(L);
	luaL_checkstring(L, 1);
	lua_settop(L, 1);
	lua_pushliteral(L, "\n");
	lua_concat(L, 2);
	const char *text = lua_tolstring(L, 1, &n);
	s->opt.write(s->opt.ctx, 2, text, n);
	return 0;
}

static const struct binding functions[] = {
	{"machine", api_new_machine, "cyclops.machine{ program = PATH, ... } -> MACHINE",
         "A new machine with a program, at cycle 0; memory limits their number. Only program is "
         "required: an executable, or a FILE.s that is assembled, with those that begin args.\n"
         "args = {...} of the program; stdin = PATH or input = TEXT, what it reads; env = { NAME "
         "= TEXT }, empty otherwise;\n"
         "config = a preset's name, a FILE.lua or a table, set = { ['pipe.fetch_queue'] = 16 } "
         "over it; firmware = PATH;\n"
         "cop = PATH, the profiling co-processor's first microprogram;\n"
         "ff = N, instructions executed without timing first, warmup = true: caches and "
         "predictors learn from them;\n"
         "root = FOLDER, the program's / and working directory, instead of the current directory; "
         "rw = true: it may write files below that;\n"
         "dirs = { '/PLACE=FOLDER', '/PLACE=FOLDER:rw' }, further folders, as with `--dir`;\n"
         "sysroot = FOLDER, with the libraries of a dynamically linked program (`help programs`); "
         "history = false: no reverse motion, and a slightly faster run;\n"
         "predictor, replacement, prefetcher = a FILE.lua, or its text, which replaces the "
         "built-in one, that of L1D if no cache is named:\n"
         "replacement = { l2 = FILE } (`cyclops help plugins`); targets = the same, for "
         "indirect jumps, or { btb = FILE }; flags, stage = the same, for "
         "profile flags and the sampler's compressor (a list if there are several);\n"
         "instrument = 'path+hw', the program is instrumented as by `--instrument`, with metrics "
         "= 'sim.insts,l1d.misses' and labels = 'simple', only into functions = 'main,do_*';\n"
         "patch = { 'main+8=00000013' }, bytes replaced before everything else, as by `--patch`;\n"
         "echo = true: its output is passed through (m:output() has it either way); name = its "
         "name in messages.\n"
         "Paths are relative to the current directory, as on the command line."},
	{"events", api_module_list_events, "cyclops.events() -> { NAME, ... }",
         "Names of all events; `help events` explains them."},
	{"stats", api_module_list_stats, "cyclops.stats() -> { NAME, ... }",
         "Names of all statistics, including those of devices that a machine may lack."},
	{"parameters", api_module_list_parameters, "cyclops.parameters() -> { NAME, ... }",
         "Names of all parameters of machines."},
	{"note", api_module_note, "cyclops.note(TEXT)",
         "Writes a line to standard error; in a session, to its output. Control characters in "
         "names and other foreign text do not reach a terminal, as with `print`; "
         "`io.stderr:write` passes them on."},
	{"views", view_names, "cyclops.views() -> { NAME, ... }",
	 "Names of all views, those of cyclops.view after the others."},
};

const struct binding_area area_module = {
	.name = "module",
	.object = "cyclops",
	.summary = "the module `cyclops`",
	.text = "A script finds `cyclops`, its arguments in `arg` (arg[0] is its own path) and in "
                "`...`:\n"
		"    local m = cyclops.machine{ program = \"build/demos/fib\", args = {20}, config "
                "= \"classic5\" }\n"
		"    local stop = m:run{ until_pc = \"fib\" }\n"
		"    print(stop.cycle, m.a0, m.sim.ipc)",
	.bindings = functions,
	.count = sizeof functions / sizeof *functions,
};
