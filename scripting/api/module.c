/* The module `cyclops`. */
#include "core/defs/events.h"
#include "core/defs/stats.h"
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
         "A program in a machine of its own, at cycle 0; as many at once as memory holds. All but "
         "the program, a FILE.s that is assembled or an executable, may be left out:\n"
         "args = {...} of the program; stdin = PATH or input = TEXT, what it reads; env = { NAME = "
         "TEXT }, empty otherwise;\n"
         "config = a preset's name, a FILE.lua or a table, set = { ['pipe.fetch_queue'] = 16 } "
         "over it; firmware = PATH;\n"
         "cop = PATH, a microprogram that the profiling co-processor begins with;\n"
         "ff = N, instructions executed without timing first, warmup = true: caches and predictors "
         "learn from them;\n"
         "root = FOLDER, which the program sees as / and is in, instead of the current directory; "
         "rw = true: it may write files below that;\n"
         "dirs = { '/PLACE=FOLDER', '/PLACE=FOLDER:rw' }, what it has there, too, as with "
         "`--dir`;\n"
         "sysroot = FOLDER, where its libraries are if it is dynamically linked (`help programs`); "
         "history = false: nothing goes backwards, and the "
         "run is a little faster;\n"
         "predictor, replacement, prefetcher = a FILE.lua, or its text, which takes the built-in "
         "one's place, of L1D if no cache is said:\n"
         "replacement = { l2 = FILE } (`cyclops help plugins`); flags, stage = the same, for "
         "profile flags and in the sampler's compressor (a list if several are);\n"
         "instrument = 'path+hw', what `--instrument` puts into the program, with metrics = "
         "'sim.insts,l1d.misses' and labels = 'simple', only into functions = 'main,do_*';\n"
         "patch = { 'main+8=00000013' }, bytes that are replaced before all that, as `--patch` "
         "does;\n"
         "echo = true: its output is passed through (m:output() has it either way); name = what "
         "messages call it.\n"
         "Paths are those of the command line: from the current directory."},
	{"events", api_module_list_events, "cyclops.events() -> { NAME, ... }",
         "Names of all events; `help events` explains them."},
	{"stats", api_module_list_stats, "cyclops.stats() -> { NAME, ... }",
         "Names of all statistics, also those of devices a machine may not have."},
	{"parameters", api_module_list_parameters, "cyclops.parameters() -> { NAME, ... }",
         "Names of all parameters of machines."},
	{"note", api_module_note, "cyclops.note(TEXT)",
         "Writes a line to standard error, in a session with its output. Control characters of "
         "names and other foreign text do not reach a terminal, as with `print`; `io.stderr:write` "
         "hands them on."},
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
