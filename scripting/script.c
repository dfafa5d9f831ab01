#include "scripting/script.h"

#include <errno.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/open_input.h"
#include "scripting/api/api.h"
#include "scripting/api/batch.h"
#include "scripting/modules.h"
#include "scripting/show.h"

/* Limits of a safe script. */
enum { SAFE_BYTES = 256 << 20 };
#define SAFE_STEPS UINT64_C(1000000000)

/* __close of the mark of a module that is being loaded; upvalue 1: the modules being loaded. */
static int script_clear_loading_mark(lua_State *L)
{
	lua_getfield(L, 1, "name");
	lua_pushnil(L);
	lua_settable(L, lua_upvalueindex(1));
	return 0;
}

/* Detects circular requires, which Lua's own `require` would follow without end. Upvalues: Lua's
 * own, the modules being loaded, the marks' metatable. */
static int require_once(lua_State *L)
{
	const char *name = luaL_checkstring(L, 1);
	lua_settop(L, 1);
	if (lua_getfield(L, lua_upvalueindex(2), name) != LUA_TNIL)
		return luaL_error(L, "module '%s' requires itself", name);
	lua_newtable(L);
	lua_pushvalue(L, 1);
	lua_setfield(L, -2, "name");
	lua_pushvalue(L, lua_upvalueindex(3));
	lua_setmetatable(L, -2);
	lua_toclose(L, -1);
	lua_pushboolean(L, 1);
	lua_setfield(L, lua_upvalueindex(2), name);
	const int below = lua_gettop(L);
	lua_pushvalue(L, lua_upvalueindex(1));
	lua_pushvalue(L, 1);
	lua_call(L, 1, LUA_MULTRET);
	return lua_gettop(L) - below;
}

/* Guards require in the environment, which is on top. */
static void guard_require(lua_State *L)
{
	lua_getfield(L, -1, "require");
	lua_newtable(L);
	lua_newtable(L);
	lua_pushvalue(L, -2);
	lua_pushcclosure(L, script_clear_loading_mark, 1);
	lua_setfield(L, -2, "__close");
	lua_pushcclosure(L, require_once, 3);
	lua_setfield(L, -2, "require");
}

/* A trusted script's `require` searches built-in modules first, then the script's folder, then
 * installed modules; never the current folder. */
static void open_path(lua_State *L, const struct script *s)
{
	if (s->opt.safe)
		return;
	guard_require(L);
	lua_getfield(L, -1, "package");
	lua_modules_preload(L);
	if (s->folder) {
		lua_getfield(L, -1, "path");
		lua_pushfstring(L, "%s/?.lua;%s", s->folder, lua_tostring(L, -1));
		lua_setfield(L, -3, "path");
		lua_pop(L, 1);
	}
	lua_pop(L, 1);
}

/* Sets up the globals: Lua's, `cyclops` and print. */
static int script_open_globals(lua_State *L)
{
	struct script *s = script_of(L);
	binding_set_areas(L, binding_areas);
	host_push_environment(L);
	lua_pushvalue(L, -1);
	show_push(L);
	s->show = luaL_ref(L, LUA_REGISTRYINDEX);
	open_path(L, s);
	lua_newtable(L);
	binding_register_object(L, "cyclops", 0);
	if (s->opt.safe)
		host_freeze(L, "cyclops");
	lua_pushvalue(L, -1);
	host_set_module(L, "cyclops");
	lua_setfield(L, -2, "cyclops");
	lua_pushcfunction(L, script_print);
	lua_setfield(L, -2, "print");
	s->env = luaL_ref(L, LUA_REGISTRYINDEX);
	api_open_machine(L);
	api_open_regs(L);
	api_open_mem(L);
	api_open_state(L);
	api_open_stats(L);
	api_open_snapshots(L);
	api_open_event(L);
	api_open_batch(L);
	api_open_hooks(L);
	api_open_compressor(L);
	api_open_stream(L);
	api_open_messages(L);
	api_open_profile(L);
	api_open_sampler(L);
	api_open_cop(L);
	api_open_profileme(L);
	api_open_value_profile(L);
	return 0;
}

/* The path's folder, malloc'd. */
static char *folder_of(const char *path)
{
	char *copy = alloc_text(path), *folder = copy ? alloc_text(dirname(copy)) : NULL;
	free(copy);
	return folder;
}

struct script *script_new(const struct script_options *opt, const char *path, struct err *err)
{
	struct script *s = alloc_zeroed(1, sizeof *s);
	if (!s)
		return err_set(err, "out of memory for a script"), NULL;
	s->opt = *opt;
	s->path = path ? alloc_text(path) : NULL;
	s->folder = path ? folder_of(path) : NULL;
	if (path && (!s->path || !s->folder)) {
		err_set(err, "out of memory for a script");
		goto failed;
	}
	const size_t bytes =
		opt->safe && (!opt->bytes || opt->bytes > SAFE_BYTES) ? SAFE_BYTES : opt->bytes;
	s->host = host_new(
		&(struct host_options){.trusted = !opt->safe,
	                               .bytes_max = bytes,
	                               .steps_max = opt->steps  ? opt->steps
	                                            : opt->safe ? SAFE_STEPS
	                                                        : 0,
	                               .folder = s->folder,
	                               .owner = s,
	                               .execute = opt->commands ? opt->commands->execute : NULL},
		err);
	if (!s->host)
		goto failed;
	lua_pushcfunction(host_state(s->host), script_open_globals);
	if (host_call(s->host, 0, 0, err))
		return s;
failed:
	script_free(s);
	return NULL;
}

bool script_end(struct script *s, struct err *err)
{
	while (s->machines)
		api_close_machine(s->machines);
	return !s->lost || err_set(err, "%s", s->lost_why.msg);
}

void script_free(struct script *s)
{
	if (!s)
		return;
	script_end(s, NULL);
	host_free(s->host);
	own_views_free(s);
	own_commands_free(s);
	own_texts_free(s);
	free(s->path);
	free(s->folder);
	free(s);
}

/* Reads the file, malloc'd; a first line with #! becomes blank. NULL with *err. */
static char *script_read_text(const char *path, size_t *n, struct err *err)
{
	enum { TEXT_MAX = 16 << 20 };
	FILE *f = open_input(path);
	if (!f)
		return err_set(err, "%s: %s", path, open_input_error()), NULL;
	char *text = alloc_bytes(TEXT_MAX + 1);
	*n = text ? fread(text, 1, TEXT_MAX + 1, f) : 0;
	bool ok = text && !ferror(f) && *n <= TEXT_MAX;
	fclose(f);
	if (!ok) {
		free(text);
		return err_set(err, "%s: can't be read as a script", path), NULL;
	}
	if (*n && text[0] == '#')
		memset(text, ' ', strcspn(text, "\n") < *n ? strcspn(text, "\n") : *n);
	return text;
}

struct chunk {
	const char *text;
	size_t n;
	const char *name;
	int argc;
	char *const *argv;
};

/* Loads a text; pushes its function and arguments, and sets `arg`. */
static int script_load_chunk(lua_State *L)
{
	const struct script *s = script_of(L);
	const struct chunk *c = lua_touserdata(L, 1);
	if (host_load(L, c->text, c->n, c->name) != LUA_OK)
		return lua_error(L);
	lua_rawgeti(L, LUA_REGISTRYINDEX, s->env);
	if (c->argv) {
		lua_newtable(L);
		lua_pushstring(L, s->path);
		lua_rawseti(L, -2, 0);
		for (int i = 0; i < c->argc; i++) {
			lua_pushstring(L, c->argv[i]);
			lua_rawseti(L, -2, i + 1);
		}
		lua_setfield(L, -2, "arg");
	}
	lua_setupvalue(L, -2, 1);
	luaL_checkstack(L, c->argc + 1, "too many arguments");
	for (int i = 0; c->argv && i < c->argc; i++)
		lua_pushstring(L, c->argv[i]);
	return c->argc + 1;
}

static bool script_run_chunk(struct script *s, const struct chunk *c, struct err *err)
{
	lua_State *L = host_state(s->host);
	if (!lua_checkstack(L, c->argc + 10))
		return err_set(err, "out of memory for arguments");
	lua_pushcfunction(L, script_load_chunk);
	lua_pushlightuserdata(L, (void *)(uintptr_t)c);
	s->loaded = host_call(s->host, 1, c->argc + 1, err);
	return s->loaded && host_call(s->host, c->argc, 0, err);
}

static bool run_file(struct script *s, const char *path, struct chunk c, struct err *err)
{
	char *name, *text = script_read_text(path, &c.n, err);
	if (!text)
		return false;
	if (!(name = alloc_format("@%s", path))) {
		free(text);
		return err_set(err, "out of memory");
	}
	c.text = text;
	c.name = name;
	bool ok = script_run_chunk(s, &c, err);
	free(text);
	free(name);
	return ok;
}

bool script_run_text(struct script *s, const char *text, const char *name, struct err *err)
{
	return script_run_chunk(s, &(struct chunk){.text = text, .n = strlen(text), .name = name},
	                        err);
}

bool script_run_file(struct script *s, int argc, char *const argv[], struct err *err)
{
	s->argc = argc;
	s->argv = argv;
	const bool ok = run_file(s, s->path, (struct chunk){.argc = argc, .argv = argv}, err);
	s->argc = 0;
	return ok;
}

bool script_run_path(struct script *s, const char *path, struct err *err)
{
	return run_file(s, path, (struct chunk){0}, err);
}

bool script_say(struct script *s, const char *text, struct err *err)
{
	const char *form[] = {"return %s", "%s"};
	lua_State *L = host_state(s->host);
	int top = lua_gettop(L);
	char *chunk = NULL;
	bool loaded = false;
	for (int i = 0; i < 2 && !loaded; i++) {
		free(chunk);
		if (!(chunk = alloc_format(form[i], text)))
			return err_set(err, "out of memory");
		lua_pushcfunction(L, script_load_chunk);
		lua_pushlightuserdata(
			L, &(struct chunk){.text = chunk, .n = strlen(chunk), .name = "=lua"});
		loaded = host_call(s->host, 1, 1, err);
	}
	s->loaded = loaded;
	bool ok = loaded && host_call(s->host, 0, LUA_MULTRET, err);
	int n = lua_gettop(L) - top;
	if (ok && n) {
		lua_pushcfunction(L, script_show);
		lua_insert(L, top + 1);
		ok = host_call(s->host, n, 0, err);
	}
	lua_settop(L, top);
	free(chunk);
	return ok;
}

const char *script_traceback(const struct script *s)
{
	return s->loaded ? host_traceback(s->host) : "";
}

/* ---- the machine of a session ---- */
struct adopted {
	struct session *session;
	const char *name;
};

static int script_adopt_machine(lua_State *L)
{
	const struct adopted *a = lua_touserdata(L, 1);
	struct err err;
	lua_rawgeti(L, LUA_REGISTRYINDEX, script_of(L)->env);
	struct lua_machine *m = api_push_machine(L, a->session, false, &err);
	if (!m)
		return binding_fail(L, "%s", err.msg);
	snprintf(m->name, sizeof m->name, "%s", a->name);
	lua_setfield(L, -2, a->name);
	return 0;
}

bool script_adopt(struct script *s, struct session *session, const char *name, struct err *err)
{
	struct adopted a = {session, name};
	lua_pushcfunction(host_state(s->host), script_adopt_machine);
	lua_pushlightuserdata(host_state(s->host), &a);
	return host_call(s->host, 1, 0, err);
}

void script_forget(struct script *s, const struct session *session)
{
	for (struct lua_machine *m = s->machines, *next; m; m = next) {
		next = m->next;
		if (m->s == session)
			api_close_machine(m);
	}
}

void script_begin(struct script *s)
{
	host_clear_interrupt(s->host);
	hooks_begin(s);
}

bool script_is_busy(const struct script *s)
{
	return host_is_busy(s->host);
}

bool script_is_interrupted(const struct script *s)
{
	return host_is_interrupted(s->host);
}

void script_interrupt(struct script *s)
{
	struct run *moving = s->moving;
	host_interrupt(s->host);
	if (moving)
		run_interrupt(moving);
}
