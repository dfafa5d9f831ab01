#include "scripting/config_lua.h"

#include <lauxlib.h>
#include <lua.h>
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scripting/host.h"

/* STEPS_MAX is a few milliseconds; an entry counts as many as finding its nearest right name may take. */
enum { STEPS_MAX = 1000000, ENTRY_STEPS = 500, BYTES_MAX = 64 << 20, DEPTH_MAX = 4, NAME_MAX_BYTES = 128 };

/* What reading one table needs; errors are ranked so that the same file always gives the same one. */
struct reader {
	struct config cfg;
	const char *path;
	char *text;        /* the file's text, to find a name's line in; owned */
	bool failed;
	unsigned line;     /* of the error reported, UINT_MAX if unknown */
	struct err err;
};

/* First line that has the last part of a dotted name as a word, or UINT_MAX. Lua keeps no lines for
 * a table's entries, so that the text is asked. */
static unsigned line_of(const char *text, const char *name)
{
	const char *dot = strrchr(name, '.');
	const char *leaf = dot ? dot + 1 : name;
	size_t len = strlen(leaf);
	unsigned line = 1;
	for (const char *s = text; *s; s++) {
		if (s[0] == '-' && s[1] == '-')
			s += strcspn(s, "\n");
		if (*s == '\n')
			line++;
		else if (!strncmp(s, leaf, len) && !isalnum((unsigned char)s[len]) && s[len] != '_' &&
		         (s == text || (!isalnum((unsigned char)s[-1]) && s[-1] != '_')))
			return line;
		if (!*s)
			break;
	}
	return UINT_MAX;
}

static void complain(struct reader *r, const char *name, const char *msg)
{
	unsigned line = line_of(r->text, name);
	if (r->failed && (line > r->line || (line == r->line && strcmp(msg, r->err.msg) >= 0)))
		return;
	r->failed = true;
	r->line = line;
	err_set(&r->err, "%s", msg);
}

/* Sets parameter `name` from the value on top of the stack. */
static void set_value(struct reader *r, lua_State *L, const char *name)
{
	struct err err;
	const struct param *p = param_find(name, &err);
	bool ok = false;
	if (!p) {
		complain(r, name, err.msg);
		return;
	}
	switch (lua_type(L, -1)) {
	case LUA_TBOOLEAN:
		ok = config_set(&r->cfg, name, lua_toboolean(L, -1) ? "true" : "false", &err);
		break;
	case LUA_TSTRING:
		ok = config_set(&r->cfg, name, lua_tostring(L, -1), &err);
		break;
	case LUA_TNUMBER: {
		int whole;
		lua_Integer v = lua_tointegerx(L, -1, &whole);
		if (whole && p->type != PARAM_ENUM)
			ok = config_set_int(&r->cfg, p, v, &err);
		else
			err_set(&err, "%s = %g: %s", name, lua_tonumber(L, -1),
			        p->type == PARAM_ENUM ? p->unit : "a whole number is needed");
		break;
	}
	default:
		err_set(&err, "%s: a number, string or boolean is needed, not a %s", name, luaL_typename(L, -1));
	}
	if (!ok)
		complain(r, name, err.msg);
}

/* Reads the table on top of the stack; `prefix` is what its keys are below ("" or "pipe."). */
static void read_table(struct reader *r, lua_State *L, const char *prefix, unsigned depth)
{
	luaL_checkstack(L, 4, "nested configuration");
	for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1)) {
		char name[NAME_MAX_BYTES];
		host_tick(L, ENTRY_STEPS);
		if (lua_type(L, -2) != LUA_TSTRING) {
			complain(r, prefix, "a configuration has names, not positions: { pipe = { rob_size = 32 } }");
			continue;
		}
		int n = snprintf(name, sizeof name, "%s%s", prefix, lua_tostring(L, -2));
		if (n < 0 || (size_t)n >= sizeof name - 1) {
			complain(r, prefix, "a name is too long");
			continue;
		}
		if (!depth && !strcmp(name, "description"))
			continue; /* for people who choose among files */
		if (!lua_istable(L, -1)) {
			set_value(r, L, name);
		} else if (depth == DEPTH_MAX) {
			complain(r, name, "tables are nested too deeply");
		} else {
			memcpy(name + n, ".", 2);
			read_table(r, L, name, depth + 1);
		}
	}
}

/* Called protected, with the reader and the chunk's text on the stack. */
static int run(lua_State *L)
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
		err_set(&r->err, "a configuration returns a table of parameters, this one returns a %s",
		        luaL_typename(L, -1));
		return 0;
	}
	read_table(r, L, "", 0);
	return 0;
}

/* The file's text with a NUL, malloc'd, or NULL. */
static char *read_text(const char *path, struct err *err)
{
	enum { TEXT_MAX = 1 << 20 };
	FILE *f = fopen(path, "rb");
	if (!f)
		return err_set(err, "%s: %s", path, strerror(errno)), NULL;
	char *text = malloc(TEXT_MAX + 1);
	size_t n = text ? fread(text, 1, TEXT_MAX + 1, f) : 0;
	bool ok = text && !ferror(f) && n <= TEXT_MAX;
	fclose(f);
	if (!ok || memchr(text, '\0', n)) {
		free(text);
		return err_set(err, "%s: not a configuration: it can't be read as text", path), NULL;
	}
	text[n] = '\0';
	return text;
}

/* Lua's own messages begin with file:line, except where no line is to blame. */
static bool evaluate(struct reader *r, struct err *err)
{
	struct err why = {""};
	struct lua_host *h = host_new(&(struct host_options){.bytes_max = BYTES_MAX, .steps_max = STEPS_MAX}, err);
	if (!h)
		return false;
	lua_State *L = host_state(h);
	lua_pushcfunction(L, run);
	lua_pushlightuserdata(L, r);
	bool ok = host_call(h, 1, 0, &why), placed = !strncmp(why.msg, r->path, strlen(r->path));
	if (!ok)
		err_set(err, "%s%s%s", placed ? "" : r->path, placed ? "" : ": ", why.msg);
	host_free(h);
	return ok;
}

bool config_load_file(struct config *cfg, const char *path, struct err *err)
{
	struct reader r = {.cfg = *cfg, .path = path, .text = read_text(path, err)};
	if (!r.text)
		return false;
	bool ok = evaluate(&r, err);
	free(r.text);
	if (ok && r.failed && r.line == UINT_MAX)
		return err_set(err, "%s: %s", path, r.err.msg);
	if (ok && r.failed)
		return err_set(err, "%s:%u: %s", path, r.line, r.err.msg);
	if (ok)
		*cfg = r.cfg;
	return ok;
}

bool config_load(struct config *cfg, const char *name, struct err *err)
{
	char path[PATH_MAX];
	size_t len = strlen(name);
	if (strchr(name, '/') || (len > 4 && !strcmp(name + len - 4, ".lua")))
		return config_load_file(cfg, name, err);
	return config_preset_path(name, path, sizeof path, err) && config_load_file(cfg, path, err);
}
