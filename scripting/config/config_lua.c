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
#include "core/machine/params.h"
#include "scripting/config/config_table.h"
#include "scripting/host/host.h"

enum { STEPS_MAX = 1000000 /* a few milliseconds */, BYTES_MAX = 64 << 20 };

struct reader {
	struct config cfg;
	bool is_base; /* read as another file's base */
	const char *path;
	char *text; /* the file's text, to find a name's line; owned */
	bool failed;
	unsigned line; /* of the reported error; UINT_MAX: not known */
	struct err err;
};

static bool config_lua_load_file(struct config *cfg, const char *path, bool is_base,
                                 struct err *err);

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
		err_set(&r->err, "base: a file that is another's base has none itself");
	else if (!none && config_preset_path(name, path, sizeof path, &r->err)) {
		config_default(&r->cfg);
		ok = config_lua_load_file(&r->cfg, path, true, &r->err);
	}
	lua_pop(L, 1);
	r->failed = !ok;
	r->line = UINT_MAX;
	return ok;
}

/* Copies a module's name, or the path of the file of that name beside the configuration. A
 * configuration is data: it names no file elsewhere, not by a link either. False with r->err. */
static bool config_lua_place_module(struct reader *r, const char *word, char *path, size_t n)
{
	struct stat st;
	const char *slash = strrchr(r->path, '/');
	if (!strpbrk(word, "/."))
		return snprintf(path, n, "%s", word) < (int)n;
	const int length = snprintf(path, n, "%.*s/%s", slash ? (int)(slash - r->path) : 1,
	                            slash ? r->path : ".", word);
	if (strchr(word, '/'))
		return err_set(&r->err,
		               "values.modules: '%s': a configuration names modules beside it, "
		               "without a path: NAME.lua; others: --values=%s",
		               word, word);
	if (length >= (int)n || strpbrk(path, ", "))
		return err_set(&r->err,
		               "values.modules: %s: the folder's name is too long, or has a "
		               "blank or a comma in it",
		               path);
	if (lstat(path, &st) != 0 || !S_ISREG(st.st_mode))
		return err_set(&r->err, "values.modules: %s: expected a file, no link", path);
	return true;
}

/* Makes the modules that this file has named those beside it. False with r->err. */
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
	if (!r->failed && !config_lua_place_modules(r, &before)) {
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
                                 struct err *err)
{
	struct reader r = {.cfg = *cfg,
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
	return config_lua_load_file(cfg, path, false, err);
}

bool config_load(struct config *cfg, const char *name, struct err *err)
{
	char path[PATH_MAX];
	size_t len = strlen(name);
	if (strchr(name, '/') || (len > 4 && !strcmp(name + len - 4, ".lua")))
		return config_load_file(cfg, name, err);
	if (strchr(name, '='))
		return err_set(err, "'%s' is no configuration; -o %s sets a parameter", name, name);
	return config_preset_path(name, path, sizeof path, err) && config_load_file(cfg, path, err);
}
