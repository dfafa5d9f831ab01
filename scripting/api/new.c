/* cyclops.machine{...}: a program in a machine of its own. */
#include "core/defs/config_fields.h"
#include "core/machine/plugin_places.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/sort.h"
#include "core/host/descriptor_path.h"
#include "core/host/memory_file.h"
#include "core/machine/params.h"
#include "loader/asm/asm.h"
#include "loader/folder_text.h"
#include "loader/instrument/instrument.h"
#include "loader/instrument/metrics.h"
#include "loader/patch.h"
#include "scripting/api/api.h"
#include "scripting/config/config_lua.h"
#include "scripting/config/config_table.h"
#include "scripting/plugin/plugin.h"
#include "scripting/values/value_modules.h"

static const char *const keys[] = {
	"program",    "args",    "stdin",    "input",     "env",       "config",
	"set",        "patch",      "firmware", "cop",     "predictor", "targets",
	"replacement", "prefetcher", "flags",    "stage",   "ff",        "warmup",
	"root",       "sysroot",    "dirs",     "rw",      "history",   "echo",
	"name",       "instrument", "metrics",  "labels",  "functions", "values",
	NULL};

/* Pushes a NULL-terminated string array (Lua-owned userdata) with room for n. */
static char **new_list(lua_State *L, size_t n)
{
	return memset(lua_newuserdatauv(L, (n + 1) * sizeof(char *), 0), 0,
	              (n + 1) * sizeof(char *));
}

/* argv: the program and args = {...}. Leaves the values that own it on the stack. */
static char **read_args(lua_State *L, const char *program, int *argc)
{
	size_t n = api_option(L, 1, "args", LUA_TTABLE) ? lua_rawlen(L, -1) : 0;
	int args = lua_gettop(L);
	char **argv = new_list(L, n + 1);
	lua_createtable(L, (int)n, 0);
	argv[0] = (char *)(uintptr_t)program;
	for (int i = 1; i <= (int)n; i++) {
		int type = lua_rawgeti(L, args, i);
		if (type != LUA_TSTRING && type != LUA_TNUMBER)
			binding_fail(L, "args[%d]: a text or a number is needed, not %s", i,
			             host_a(type));
		argv[i] = (char *)(uintptr_t)host_text(L, -1, NULL);
		lua_rawseti(L, args + 2, i);
		lua_pop(L, 1);
	}
	*argc = (int)n + 1;
	return argv;
}

static int api_new_compare_texts(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* env = { NAME = "value" }, sorted by name because it lies on the guest's stack. Leaves values on
 * the stack. */
static char **api_new_read_env(lua_State *L)
{
	size_t n = 0;
	if (!api_option(L, 1, "env", LUA_TTABLE))
		return NULL;
	int table = lua_gettop(L);
	for (lua_pushnil(L); lua_next(L, table); lua_pop(L, 1))
		n++;
	char **env = new_list(L, n);
	lua_createtable(L, (int)n, 0);
	n = 0;
	for (lua_pushnil(L); lua_next(L, table);) {
		if (lua_type(L, -2) != LUA_TSTRING)
			binding_fail(L, "env takes names: env = { HOME = \"/\" }");
		const char *value = host_text(L, -1, NULL);
		env[n++] =
			(char *)(uintptr_t)lua_pushfstring(L, "%s=%s", lua_tostring(L, -3), value);
		lua_rawseti(L, table + 2, (lua_Integer)n);
		lua_pop(L, 2);
	}
	sort_stable(env, n, sizeof *env, api_new_compare_texts);
	return env;
}

/* Opens the guest's input: a file, a text, or none. Returns a descriptor, or -1. */
static int api_new_open_input(lua_State *L)
{
	size_t n;
	int fd = -1;
	struct err err;
	bool file = api_option(L, 1, "stdin", LUA_TSTRING),
	     text = api_option(L, 1, "input", LUA_TSTRING);
	if (file && text)
		binding_fail(L, "stdin = a file or input = a text, not both");
	if (file) {
		api_check_path(L, lua_tostring(L, -2), "stdin");
		fd = launch_open_input(lua_tostring(L, -2), &err);
		if (fd < 0)
			binding_fail(L, "stdin: %s", err.msg);
	} else if (text) {
		const char *s = lua_tolstring(L, -1, &n);
		fd = memory_file_of("input", s, n);
		if (fd < 0)
			binding_fail(L, "input: no room for a text of %d bytes", (int)n);
	}
	return fd;
}

/* Resources that Lua owns until a machine takes them over. */
struct held_set {
	struct plugin_set *set;
	struct value_modules *values; /* NULL: none */
	struct config_files files;    /* that the configuration names */
	int program;                  /* descriptor of an assembled program; -1: none */
};

/* Applies config = a preset, a file or a table; then set = { ["NAME"] = VALUE }. */
static void api_new_read_config(lua_State *L, struct session_options *so, struct held_set *held)
{
	const struct script *script = script_of(L);
	struct err err;
	if (script->opt.base)
		so->cfg = *script->opt.base;
	else
		config_default(&so->cfg);
	so->config_name = script->opt.base_name ? script->opt.base_name : "default";
	int type = lua_getfield(L, 1, "config");
	if (type != LUA_TNIL)
		config_default(&so->cfg);
	if (type == LUA_TSTRING) {
		so->config_name = lua_tostring(L, -1);
		if (strchr(so->config_name, '/') || strchr(so->config_name, '.'))
			api_check_path(L, so->config_name, "config");
		if (!config_load_files(&so->cfg, so->config_name, &held->files, &err))
			binding_fail(L, "%s", err.msg);
	} else if (type == LUA_TTABLE) {
		so->config_name = "a table";
		if (!config_read_table(L, -1, NULL, &so->cfg, NULL, &err))
			binding_fail(L, "config: %s", err.msg);
	} else if (type != LUA_TNIL) {
		binding_fail(L, "config: a preset's name, a file or a table is needed, not %s",
		             host_a(type));
	}
	if (api_option(L, 1, "set", LUA_TTABLE) &&
	    !config_read_table(L, -1, NULL, &so->cfg, NULL, &err))
		binding_fail(L, "set: %s", err.msg);
	lua_pop(L, 1);
	if (!config_check(&so->cfg, &err))
		binding_fail(L, "%s", err.msg);
}

/* Whether `set` turns profile flags on, which they are by default. */
static bool api_new_asks_flags(lua_State *L)
{
	struct config cfg;
	struct err err;
	config_default(&cfg);
	bool asks = config_set(&cfg, "xprof.enable", "false", &err) &&
	            api_option(L, 1, "set", LUA_TTABLE) &&
	            config_read_table(L, -1, NULL, &cfg, NULL, &err) && CONFIG(&cfg, xprof);
	lua_settop(L, 1);
	return asks;
}

static void check_folder(lua_State *L, const char *folder, const char *what)
{
	api_check_path(L, folder, what);
	const int fd = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		binding_fail(L, "%s: %s: %s", what, folder, strerror(errno));
	close(fd);
}

/* Reads folders in the syntax of --dir. The result is Lua's, and left on the stack. */
static void read_folders(lua_State *L, struct launch *l)
{
	struct err err;
	if (!api_option(L, 1, "dirs", LUA_TTABLE))
		return;
	const int list = lua_gettop(L);
	struct os_folder *all = lua_newuserdatauv(L, OS_FOLDERS * sizeof *all, 0);
	l->folders = all;
	for (lua_Integer i = 1; lua_rawgeti(L, list, i) != LUA_TNIL; i++) {
		if (lua_type(L, -1) != LUA_TSTRING)
			binding_fail(L, "dirs: a list of \"/PLACE=FOLDER\" is needed, not of %s",
			             host_a(lua_type(L, -1)));
		const char *text = lua_tostring(L, -1);
		luaL_checkstack(L, 4, "dirs");
		char *room = lua_newuserdatauv(L, strlen(text) + 1, 0);
		bool ok = folder_text_add(all, &l->folder_count, text, room, &err);
		if (ok)
			api_check_path(L, all[l->folder_count - 1].host, "dirs");
		if (!ok || !folder_is_there(&all[l->folder_count - 1], &err))
			binding_fail(L, "dirs: %s: %s", text, err.msg);
	}
	lua_pop(L, 1);
}

#define HELD "parts of a machine to be"

static int free_held(lua_State *L)
{
	struct held_set *held = luaL_checkudata(L, 1, HELD);
	plugin_set_free(held->set);
	value_modules_free(held->values);
	config_files_deinit(&held->files);
	if (held->program >= 0)
		close(held->program);
	held->program = -1;
	held->set = NULL;
	held->values = NULL;
	return 0;
}

static struct held_set *new_held(lua_State *L)
{
	struct held_set *held = lua_newuserdatauv(L, sizeof *held, 0);
	*held = (struct held_set){.program = -1};
	if (luaL_newmetatable(L, HELD)) {
		lua_pushcfunction(L, free_held);
		lua_setfield(L, -2, "__gc");
	}
	lua_setmetatable(L, -2);
	return held;
}

/* Assembles the program and the files of assembly that begin its arguments, as `cyclops run`. */
static void api_new_assemble(lua_State *L, struct session_options *so, struct held_set *held)
{
	struct launch *l = &so->launch;
	struct err err;
	int texts = 1;
	while (texts < l->argc && texts < ASM_SOURCES_MAX && api_is_assembly(l->argv[texts]))
		api_check_path(L, l->argv[texts++], "args");
	held->program = api_assemble(l->argv, (unsigned)texts,
	                             CONFIG(&so->cfg, isa) == ISA_RV32GC, &err);
	if (held->program < 0)
		binding_fail(L, "%s", err.msg);
	char *const program = l->argv[0];
	l->argv += texts - 1;
	l->argc -= texts - 1;
	l->argv[0] = program;
	char path[DESCRIPTOR_PATH_BYTES];
	l->path = lua_pushstring(L, descriptor_path(held->program, path));
}

static void read_launch(lua_State *L, struct session_options *so, struct held_set *held)
{
	if (!api_option(L, 1, "program", LUA_TSTRING))
		binding_fail(L, "no program given; expected cyclops.machine{ program = \"PATH\" }");
	const char *program = lua_tostring(L, -1);
	api_check_path(L, program, "program");
	so->launch.path = program;
	so->launch.argv = read_args(L, program, &so->launch.argc);
	if (api_is_assembly(program))
		api_new_assemble(L, so, held);
	so->launch.env = api_new_read_env(L);
	if (api_option(L, 1, "firmware", LUA_TSTRING)) {
		so->launch.firmware = lua_tostring(L, -1);
		api_check_path(L, so->launch.firmware, "firmware");
	}
	if (api_option(L, 1, "cop", LUA_TSTRING)) {
		so->launch.microprogram = lua_tostring(L, -1);
		api_check_path(L, so->launch.microprogram, "cop");
	}
	if (api_option(L, 1, "root", LUA_TSTRING)) {
		so->launch.root = lua_tostring(L, -1);
		check_folder(L, so->launch.root, "root");
	}
	if (api_option(L, 1, "sysroot", LUA_TSTRING)) {
		so->launch.sysroot = lua_tostring(L, -1);
		check_folder(L, so->launch.sysroot, "sysroot");
	}
	read_folders(L, &so->launch);
	so->launch.allow_writing = api_option_flag(L, 1, "rw", false);
	if (launch_writes(&so->launch) && script_of(L)->opt.safe)
		binding_fail(L, "rw: with --lua-safe no program may write files");
}

static const char *const new_caches[] = {"l1i", "l1d", "l2", NULL};
static const char *const new_target_parts[] = {"indirect", "btb", NULL};

/* The places of each option's plug-ins. */
static const struct plugin_option {
	const char *name;
	const char *usual;        /* the place without a table */
	const char *const *parts; /* keys of the table, NULL at the end; NULL: it takes none */
	const char *place[3];     /* by part */
} plugin_options[] = {
	{"predictor", "bpred.kind", NULL, {NULL}},
	{"targets", "bpred.indirect", new_target_parts, {"bpred.indirect", "btb.kind", NULL}},
	{"replacement",
         "l1d.replacement",
         new_caches,
         {"l1i.replacement", "l1d.replacement", "l2.replacement"}},
	{"prefetcher", "l1d.prefetch", new_caches, {"l1i.prefetch", "l1d.prefetch", "l2.prefetch"}},
	{"flags", "xprof.predictor", NULL, {NULL}},
	{"stage", "sampler.compressor", NULL, {NULL}},
};

/* Adds the plug-in on top of the stack: a file, or a text with a newline. */
static void add_plugin(lua_State *L, struct plugin_set *set, const char *option, const char *place)
{
	struct err err;
	if (lua_type(L, -1) != LUA_TSTRING)
		binding_fail(L,
		             "%s: a FILE.lua, or its text, is needed, not %s: a plug-in has its "
		             "own Lua state",
		             option, host_a(lua_type(L, -1)));
	const char *source = lua_tostring(L, -1);
	if (!strchr(source, '\n'))
		api_check_path(L, source, option);
	if (!plugin_set_add(set, place, source, &err))
		binding_fail(L, "%s: %s", option, err.msg);
}

void api_add_stages(lua_State *L, struct plugin_set *set)
{
	if (!lua_istable(L, -1) || !lua_rawlen(L, -1)) {
		add_plugin(L, set, "stage", "sampler.compressor");
		return;
	}
	for (lua_Integer i = 1; lua_rawgeti(L, -1, i) != LUA_TNIL; i++, lua_pop(L, 1))
		add_plugin(L, set, "stage", "sampler.compressor");
	lua_pop(L, 1);
}

static void read_plugin_option(lua_State *L, struct plugin_set *set, const struct plugin_option *o)
{
	if (!api_option(L, 1, o->name, LUA_TNONE)) {
		lua_pop(L, 1);
		return;
	}
	if (lua_istable(L, -1) && o->parts) {
		api_check_keys(L, -1, o->name, o->parts);
		for (int i = 0; o->parts[i]; i++, lua_pop(L, 1))
			if (lua_getfield(L, -1, o->parts[i]) != LUA_TNIL)
				add_plugin(L, set, o->name, o->place[i]);
	} else if (lua_istable(L, -1) && !strcmp(o->name, "stage")) {
		api_add_stages(L, set);
	} else {
		add_plugin(L, set, o->name, o->usual);
	}
	lua_pop(L, 1);
}

/* Adds the files that the configuration names; options and `set` have precedence. */
static void read_config_files(lua_State *L, struct session_options *so, struct held_set *held)
{
	const struct config_files *base = script_of(L)->opt.base_files;
	const bool named = lua_getfield(L, 1, "config") != LUA_TNIL;
	const struct config_files *files = named || !base ? &held->files : base;
	const struct plugins *given = plugin_set_plugins(held->set);
	const char *path;
	struct err err;
	char place[64];
	bool taken[PLUGIN_COUNT];
	lua_pop(L, 1);
	for (unsigned i = 0; i < PLUGIN_COUNT; i++)
		taken[i] = given->at[i] != NULL;
	for (unsigned i = 0; i < files->count; i++) {
		const char *word = files->word[i];
		snprintf(place, sizeof place, "%.*s", (int)strcspn(word, "="), word);
		bool skip = !config_asks_file(&so->cfg, place);
		for (unsigned k = 0; k < PLUGIN_COUNT; k++)
			skip |= taken[k] && !strcmp(plugin_place_param(k)->name, place);
		if ((path = config_file_of(word, "firmware")))
			so->launch.firmware = so->launch.firmware ? so->launch.firmware : path;
		else if ((path = config_file_of(word, "cop")))
			so->launch.microprogram =
				so->launch.microprogram ? so->launch.microprogram : path;
		else if (!skip && !plugin_set_add_word(held->set, word, &err))
			binding_fail(L, "%s", err.msg);
	}
}

/* Refuses an option's plug-in for a place to which `set` gives another part. */
static void api_new_check_plugins(lua_State *L, const struct config *cfg,
                                  const struct plugins *given)
{
	struct config both = *cfg;
	struct err err;
	plugins_ask(given, &both);
	if (api_option(L, 1, "set", LUA_TTABLE) &&
	    !config_read_table(L, -1, NULL, &both, NULL, &err))
		binding_fail(L, "set: %s", err.msg);
	lua_pop(L, 1);
	const struct plugins asked = plugins_asked(given, &both);
	for (unsigned i = 0; i < PLUGIN_COUNT; i++)
		if (given->at[i] && !asked.at[i] && !plugins_check(given, &both, &err))
			binding_fail(L, "%s", err.msg);
}

/* Reads predictor, targets, replacement, prefetcher, flags and stage. */
static void read_plugins(lua_State *L, struct session_options *so, struct held_set *held)
{
	held->set = plugin_set_new();
	if (!held->set)
		binding_fail(L, "out of memory");
	for (unsigned i = 0; i < sizeof plugin_options / sizeof *plugin_options; i++)
		read_plugin_option(L, held->set, &plugin_options[i]);
	api_new_check_plugins(L, &so->cfg, plugin_set_plugins(held->set));
	read_config_files(L, so, held);
	if (script_of(L)->opt.safe)
		plugin_set_charge(held->set, host_of(L));
	so->launch.plugins = plugin_set_plugins(held->set);
	plugins_ask(so->launch.plugins, &so->cfg);
}

/* Loads values = "results,FILE.lua", or those in `set`: modules owned by the table on the stack. */
static void read_values(lua_State *L, struct session_options *so, struct held_set *held)
{
	struct err err;
	char word[PARAM_TEXT_MAX];
	if (api_option(L, 1, "values", LUA_TSTRING) &&
	    !config_set(&so->cfg, "values.modules", lua_tostring(L, -1), &err))
		binding_fail(L, "values: %s", err.msg);
	lua_pop(L, 1);
	if (!value_modules_wanted(&so->cfg))
		return;
	for (const char *at = so->cfg.values_modules; *at; at += *at == ',') {
		snprintf(word, sizeof word, "%.*s", (int)strcspn(at, ","), at);
		if (strpbrk(word, "/."))
			api_check_path(L, word, "values");
		at += strcspn(at, ",");
	}
	so->cfg.vsample = 1;
	held->values = value_modules_load(&so->cfg, &err);
	if (!held->values)
		binding_fail(L, "%s", err.msg);
	value_modules_launch(held->values, &so->launch);
}

/* Edits of the program before it is loaded. */
struct edits {
	struct patches patches;
	struct instrument_options instrument; /* count 0: none */
};

static struct program *make_edits(struct program *p, void *ctx, struct err *err)
{
	struct edits *all = ctx;
	if (all->patches.count)
		p = patches_apply(p, &all->patches, err);
	return p && all->instrument.count ? instrument_edit(p, &all->instrument, err) : p;
}

/* Reads patch = { "PLACE=HEX", ... }, as on the command line. Leaves values on the stack, which
 * keep the texts alive. */
static void read_patches(lua_State *L, struct session_options *so, struct edits *all)
{
	if (!api_option(L, 1, "patch", LUA_TTABLE))
		return;
	const int table = lua_gettop(L), n = (int)lua_rawlen(L, -1);
	char **texts = new_list(L, (size_t)n);
	for (int i = 1; i <= n; i++) {
		if (lua_rawgeti(L, table, i) != LUA_TSTRING)
			binding_fail(L,
			             "patch[%d]: a text is needed, \"main+8=00000013\", not %s",
			             i, host_a(lua_type(L, -1)));
		texts[i - 1] = (char *)(uintptr_t)lua_tostring(L, -1);
		lua_pop(L, 1); /* the table still has it */
	}
	if (!n)
		binding_fail(L,
		             "patch: a list of texts is needed: patch = { \"main+8=00000013\" }");
	all->patches = (struct patches){.text = (const char *const *)texts, .count = (unsigned)n};
	so->launch.edit = make_edits;
	so->launch.edit_ctx = all;
}

/* text is borrowed from the script's table. */
static bool take_functions(struct instrument_options *o, const char *text, struct err *err)
{
	(void)err;
	o->functions = text;
	return true;
}

/* Reads instrument, metrics, labels and functions, as on the command line. The session uses *all
 * only during its opening. */
static void read_instrument(lua_State *L, struct session_options *so, struct edits *all)
{
	struct instrument_options *o = &all->instrument;
	bool any = false;
	static const struct {
		const char *name;
		bool (*take)(struct instrument_options *o, const char *text, struct err *err);
	} options[] = {{"instrument", instrument_add},
	               {"metrics", metrics_parse},
	               {"labels", instrument_labels},
	               {"functions", take_functions}};
	for (unsigned i = 0; i < sizeof options / sizeof *options; i++) {
		struct err err;
		if (api_option(L, 1, options[i].name, LUA_TSTRING)) {
			if (!options[i].take(o, lua_tostring(L, -1), &err))
				binding_fail(L, "%s: %s", options[i].name, err.msg);
			so->launch.edit = make_edits;
			so->launch.edit_ctx = all;
			any = true;
		}
		lua_pop(L, 1);
	}
	if (any && !o->count)
		binding_fail(L, "metrics, labels and functions go with instrument = \"path+hw\"");
}

static void nobody_hears(void *ctx, int fd, const void *bytes, size_t n)
{
	(void)ctx, (void)fd, (void)bytes, (void)n;
}

int api_new_machine(lua_State *L)
{
	struct session_options so = {0};
	struct edits edits = {0};
	struct err err;
	luaL_checktype(L, 1, LUA_TTABLE);
	lua_settop(L, 1);
	api_refuse_reader(L, script_of(L), "cyclops.machine");
	luaL_checkstack(L, 40, "cyclops.machine");
	api_check_keys(L, 1, "cyclops.machine", keys);
	const bool asks_flags = api_new_asks_flags(L);
	struct held_set *held = new_held(L);
	api_new_read_config(L, &so, held);
	read_launch(L, &so, held);
	read_patches(L, &so, &edits);
	read_instrument(L, &so, &edits);
	read_plugins(L, &so, held);
	read_values(L, &so, held);
	so.fast_forward = api_option_count(L, 1, "ff", 0);
	if (script_of(L)->opt.safe)
		host_tick(L, so.fast_forward);
	so.warm = api_option_flag(L, 1, "warmup", false);
	so.history.history = api_option_flag(L, 1, "history", true);
	bool echo = api_option_flag(L, 1, "echo", false);
	bool named = api_option(L, 1, "name", LUA_TSTRING);
	const char *name = named ? lua_tostring(L, -1) : NULL;
	so.launch.output = nobody_hears;
	so.launch.stdin_fd = api_new_open_input(L);
	struct session *s = session_open(&so, &err);
	if (!s) {
		if (so.launch.stdin_fd >= 0)
			close(so.launch.stdin_fd);
		return binding_fail(L, "%s", err.msg);
	}
	if (program_is_32bit(s->program) && asks_flags) {
		session_free(s);
		if (so.launch.stdin_fd >= 0)
			close(so.launch.stdin_fd);
		return binding_fail(L, "set: xprof.enable: a 32-bit machine has no profiling "
		                       "hardware");
	}
	s->reach = script_of(L)->opt.safe ? REACH_SCRIPT : REACH_ALL;
	struct lua_machine *m = api_push_machine(L, s, true, &err);
	if (!m) {
		session_free(s);
		if (so.launch.stdin_fd >= 0)
			close(so.launch.stdin_fd);
		return binding_fail(L, "%s", err.msg);
	}
	m->plugins = held->set;
	m->values = held->values;
	m->text = held->program;
	config_files_deinit(&held->files);
	*held = (struct held_set){.program = -1};
	m->input = so.launch.stdin_fd;
	m->echo = echo;
	if (name)
		snprintf(m->name, sizeof m->name, "%s", name);
	return 1;
}
