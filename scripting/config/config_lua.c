#include "core/defs/config_fields.h"

#include "scripting/config/config_lua.h"

#include <lauxlib.h>
#include <lua.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/alloc.h"
#include "core/base/open_input.h"
#include "core/base/sort.h"
#include "core/machine/params.h"
#include "core/machine/plugin_places.h"
#include "scripting/config/config_table.h"
#include "scripting/host/host.h"

enum { STEPS_MAX = 1000000 /* a few milliseconds */, BYTES_MAX = 64 << 20 };

struct reader {
	struct config cfg;
	struct config_files *files; /* NULL: they are checked only */
	bool is_base; /* read as another file's base */
	const char *path;
	char *text; /* the file's text, to find a name's line; owned */
	bool failed;
	unsigned line; /* of the reported error; UINT_MAX: not known */
	struct err err;
};

static bool config_lua_load_file(struct config *cfg, const char *path, bool is_base,
                                 struct config_files *files, struct err *err);

void config_files_deinit(struct config_files *f)
{
	while (f->count)
		free(f->word[--f->count]);
}

const char *config_file_of(const char *word, const char *name)
{
	const size_t n = strlen(name);
	return !strncmp(word, name, n) && word[n] == '=' ? word + n + 1 : NULL;
}

bool config_asks_file(const struct config *cfg, const char *place)
{
	char value[PARAM_TEXT_MAX];
	const struct param *p = param_find(place, NULL);
	return !p || strstr(config_format(cfg, p, value, sizeof value), "external");
}

/* Applies the preset that the table on top names as its base. False with r->err. */
static bool take_base(struct reader *r, lua_State *L)
{
	char path[PATH_MAX];
	const char *name = lua_getfield(L, -1, "base") == LUA_TSTRING ? lua_tostring(L, -1) : NULL;
	const bool none = lua_isnil(L, -1);
	bool ok = none;
	if (!none && (!name || strpbrk(name, "/.")))
		err_set(&r->err, "base is the name of a preset: base = \"classic5\"");
	else if (!none && r->is_base)
		err_set(&r->err, "base: a file that serves as a base cannot have a base itself");
	else if (!none && config_preset_path(name, path, sizeof path, &r->err)) {
		config_default(&r->cfg);
		ok = config_lua_load_file(&r->cfg, path, true, r->files, &r->err);
	}
	lua_pop(L, 1);
	r->failed = !ok;
	r->line = UINT_MAX;
	return ok;
}

/* Writes the path of the file of this name beside the configuration. A configuration is data: it
 * names no file elsewhere, not by a link either. `what`, `option`: for messages. False with r->err.
 */
static bool config_lua_place_file(struct reader *r, const char *what, const char *option,
                                  const char *word, char *path, size_t n)
{
	struct stat st;
	const char *slash = strrchr(r->path, '/');
	const int length = snprintf(path, n, "%.*s/%s", slash ? (int)(slash - r->path) : 1,
	                            slash ? r->path : ".", word);
	if (strchr(word, '/'))
		return err_set(&r->err,
		               "%s: '%s': a configuration names files beside it, "
		               "without a path: NAME.lua; others: --%s=%s",
		               what, word, option, word);
	if (length >= (int)n || strpbrk(path, ", "))
		return err_set(&r->err,
		               "%s: %s: the folder's name is too long, or has a "
		               "blank or a comma in it",
		               what, path);
	if (lstat(path, &st) != 0 && errno == ENOENT)
		return err_set(&r->err, "%s: %s: no such file beside %s", what, word,
		               slash ? slash + 1 : r->path);
	if (lstat(path, &st) != 0 || !S_ISREG(st.st_mode))
		return err_set(&r->err, "%s: %s: expected a file, no link", what, path);
	return true;
}

/* Copies a module's name, or the path of the file of that name. False with r->err. */
static bool config_lua_place_module(struct reader *r, const char *word, char *path, size_t n)
{
	if (!strpbrk(word, "/."))
		return snprintf(path, n, "%s", word) < (int)n;
	return config_lua_place_file(r, "values.modules", "values", word, path, n);
}

/* Adds the file on top of the stack, for `name`. */
static bool config_lua_take_file(struct reader *r, lua_State *L, const char *name)
{
	char path[PATH_MAX], what[160];
	const char *option = !strcmp(name, "firmware") || !strcmp(name, "cop") ? name : "plugin";
	const char *word = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : NULL;
	snprintf(what, sizeof what, "files.%.100s", name);
	if (!word)
		return err_set(&r->err, "%s: expected a file's name, not %s", what,
		               host_a(lua_type(L, -1)));
	if (!config_lua_place_file(r, what, option, word, path, sizeof path))
		return false;
	if (!r->files)
		return true;
	if (r->files->count == CONFIG_FILES_MAX)
		return err_set(&r->err, "files: more than %d", CONFIG_FILES_MAX);
	char *entry = alloc_format("%s=%s", name, path);
	if (!entry)
		return err_set(&r->err, "out of memory");
	r->files->word[r->files->count++] = entry;
	return true;
}

/* Sets a list's parameter to `stages` plug-ins, unless it names plug-ins already. */
static bool config_lua_ask_stages(struct reader *r, const char *name, lua_Integer stages)
{
	char list[128] = "";
	size_t n = 0;
	if (config_asks_file(&r->cfg, name))
		return true;
	for (lua_Integer k = 0; k < stages && n < sizeof list; k++)
		n += (size_t)snprintf(list + n, sizeof list - n, "%sexternal", k ? ", " : "");
	return config_set(&r->cfg, "sampler.enable", "true", &r->err) &&
	       config_set(&r->cfg, name, list, &r->err);
}

/* True if `files` may have an entry of this name: firmware, cop or a place of plug-ins. Sets the
 * place's parameter to `external`, in a list `files` times. */
static bool config_lua_ask_file(struct reader *r, const char *name, lua_Integer files)
{
	if (!strcmp(name, "firmware") || !strcmp(name, "cop"))
		return config_set(&r->cfg, !strcmp(name, "cop") ? "cop.enable" : "firmware.enable",
		                  "true", &r->err);
	for (enum plugin_place place = 0; place < PLUGIN_COUNT; place++) {
		const struct param *p = plugin_place_param(place);
		if (!strcmp(p->name, name))
			return p->type == PARAM_TEXT
			               ? config_lua_ask_stages(r, name, files)
			               : config_set(&r->cfg, name, "external", &r->err);
	}
	if (!strcmp(name, "values.modules"))
		return err_set(&r->err, "files: modules of values are a parameter: values = { "
		                        "modules = \"NAME.lua\" }, beside this file");
	return err_set(&r->err,
	               "files: '%s' is no place of a file; expected firmware, cop, or a "
	               "parameter that may be `external`, such as [\"bpred.kind\"]",
	               name);
}

static int config_lua_compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Reads the table's `files`, in the order of their names. False with r->err. */
static bool config_lua_take_files(struct reader *r, lua_State *L)
{
	const char *names[CONFIG_FILES_MAX];
	unsigned count = 0;
	bool ok = true;
	const int type = lua_getfield(L, -1, "files");
	if (type != LUA_TNIL && type != LUA_TTABLE)
		ok = err_set(&r->err,
		             "files: expected a table, such as { [\"bpred.kind\"] = "
		             "\"FILE.lua\" }, not %s",
		             host_a(type));
	for (lua_pushnil(L); ok && type == LUA_TTABLE && lua_next(L, -2); lua_pop(L, 1)) {
		ok = lua_type(L, -2) == LUA_TSTRING && count < CONFIG_FILES_MAX;
		if (ok)
			names[count++] = lua_tostring(L, -2);
		else if (lua_isinteger(L, -2) && lua_type(L, -1) == LUA_TSTRING)
			err_set(&r->err,
			        "files: expected what each file is for: [\"bpred.kind\"] = "
			        "\"%s\"",
			        lua_tostring(L, -1));
		else
			err_set(&r->err, "files: expected at most %d names of places",
			        CONFIG_FILES_MAX);
	}
	if (type != LUA_TTABLE)
		lua_pop(L, 1); /* the first key */
	if (!ok)
		return false; /* the state ends with the file */
	sort_stable(names, count, sizeof *names, config_lua_compare_names);
	for (unsigned i = 0; ok && i < count; i++) {
		lua_getfield(L, -1, names[i]);
		ok = config_lua_ask_file(
			r, names[i], lua_istable(L, -1) ? (lua_Integer)lua_rawlen(L, -1) : 1);
		if (ok && lua_istable(L, -1)) {
			for (lua_Integer k = 1; ok && lua_rawgeti(L, -1, k) != LUA_TNIL; k++) {
				ok = config_lua_take_file(r, L, names[i]);
				lua_pop(L, 1);
			}
			lua_pop(L, ok);
		} else if (ok) {
			ok = config_lua_take_file(r, L, names[i]);
		}
		lua_pop(L, 1);
	}
	lua_pop(L, 1);
	return ok;
}

/* Resolves modules that this file names to files in its own folder. False with r->err. */
static bool config_lua_place_modules(struct reader *r, const struct config *before)
{
	char list[PARAM_TEXT_MAX] = "", word[PARAM_TEXT_MAX], path[PARAM_TEXT_MAX];
	size_t used = 0;
	if (!strcmp(r->cfg.values_modules, before->values_modules))
		return true;
	for (const char *at = r->cfg.values_modules; *at; at += *at == ',') {
		snprintf(word, sizeof word, "%.*s", (int)strcspn(at, ","), at);
		at += strcspn(at, ",");
		if (!config_lua_place_module(r, word, path, sizeof path))
			return false;
		used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used ? "," : "",
		                         path);
		if (used >= sizeof list)
			return err_set(&r->err, "values.modules: the paths are too long");
	}
	return config_set(&r->cfg, "values.modules", list, &r->err);
}

/* Runs the chunk. Called protected, with the reader and the chunk's text on the stack. */
static int config_lua_run_chunk(lua_State *L)
{
	struct reader *r = lua_touserdata(L, 1);
	char chunk[PATH_MAX + 2];
	host_push_environment(L);
	lua_pop(L, 1);
	snprintf(chunk, sizeof chunk, "@%s", r->path);
	if (host_load(L, r->text, strlen(r->text), chunk) != LUA_OK)
		return lua_error(L);
	lua_call(L, 0, 1);
	if (!lua_istable(L, -1)) {
		r->failed = true;
		r->line = UINT_MAX;
		err_set(&r->err,
		        "a configuration returns a table of parameters, this one returns %s",
		        host_a(lua_type(L, -1)));
		return 0;
	}
	if (!take_base(r, L))
		return 0;
	const struct config before = r->cfg;
	r->failed = !config_read_table(L, -1, r->text, &r->cfg, &r->line, &r->err);
	if (!r->failed && !(config_lua_place_modules(r, &before) && config_lua_take_files(r, L))) {
		r->failed = true;
		r->line = UINT_MAX;
	}
	return 0;
}

/* Reads the file with a NUL added, malloc'd; NULL on failure. */
static char *config_lua_read_text(const char *path, struct err *err)
{
	enum { TEXT_MAX = 1 << 20 };
	FILE *f = open_input(path);
	if (!f)
		return err_set(err, "%s: %s", path, open_input_error()), NULL;
	char *text = alloc_bytes(TEXT_MAX + 1);
	size_t n = text ? fread(text, 1, TEXT_MAX + 1, f) : 0;
	bool ok = text && !ferror(f) && n <= TEXT_MAX;
	fclose(f);
	if (!ok || memchr(text, '\0', n)) {
		free(text);
		return err_set(err, "%s: not a configuration: it can't be read as text", path),
		       NULL;
	}
	text[n] = '\0';
	return text;
}

/* Runs the file. Lua's own messages begin with file:line, except where they concern no line. */
static bool config_lua_evaluate(struct reader *r, struct err *err)
{
	struct err why = {""};
	struct lua_host *h = host_new(
		&(struct host_options){.bytes_max = BYTES_MAX, .steps_max = STEPS_MAX}, err);
	if (!h)
		return false;
	lua_State *L = host_state(h);
	lua_pushcfunction(L, config_lua_run_chunk);
	lua_pushlightuserdata(L, r);
	bool ok = host_call(h, 1, 0, &why), placed = !strncmp(why.msg, r->path, strlen(r->path));
	if (!ok)
		err_set(err, "%s%s%s", placed ? "" : r->path, placed ? "" : ": ", why.msg);
	host_free(h);
	return ok;
}

static bool config_lua_load_file(struct config *cfg, const char *path, bool is_base,
                                 struct config_files *files, struct err *err)
{
	struct reader r = {.cfg = *cfg,
	                   .files = files,
	                   .is_base = is_base,
	                   .path = path,
	                   .text = config_lua_read_text(path, err)};
	if (!r.text)
		return false;
	bool ok = config_lua_evaluate(&r, err);
	free(r.text);
	if (ok && r.failed && r.line == UINT_MAX)
		return err_set(err, "%s: %s", path, r.err.msg);
	if (ok && r.failed)
		return err_set(err, "%s:%u: %s", path, r.line, r.err.msg);
	if (ok)
		*cfg = r.cfg;
	return ok;
}

bool config_load_file(struct config *cfg, const char *path, struct err *err)
{
	return config_lua_load_file(cfg, path, false, NULL, err);
}

bool config_load_files(struct config *cfg, const char *name, struct config_files *files,
                       struct err *err)
{
	char path[PATH_MAX];
	size_t len = strlen(name);
	if (strchr(name, '/') || (len > 4 && !strcmp(name + len - 4, ".lua")))
		return config_lua_load_file(cfg, name, false, files, err);
	if (strchr(name, '='))
		return err_set(err, "'%s' is no configuration; -o %s sets a parameter", name, name);
	return config_preset_path(name, path, sizeof path, err) &&
	       config_lua_load_file(cfg, path, false, files, err);
}

bool config_load(struct config *cfg, const char *name, struct err *err)
{
	return config_load_files(cfg, name, NULL, err);
}
