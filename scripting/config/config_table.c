#include "core/machine/params.h"
#include "scripting/config/config_table.h"

#include <ctype.h>
#include <lauxlib.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "scripting/host/host.h"

/* ENTRY_STEPS: the cost of an entry, enough for finding the nearest name to an invalid one. */
enum { ENTRY_STEPS = 500, DEPTH_MAX = 4, NAME_MAX_BYTES = 128 };

struct reader {
	struct config cfg;
	const char *text; /* the file's; NULL: none */
	bool failed;
	unsigned line;    /* of the reported error; UINT_MAX: not known */
	struct err err;
};

/* The first line with the last part of a dotted name as a word; UINT_MAX if none. Lua has no line
 * numbers for a table's entries, so the text is searched. */
static unsigned config_table_find_line(const char *text, const char *name)
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
		else if (!strncmp(s, leaf, len) && !isalnum((unsigned char)s[len]) &&
		         s[len] != '_' &&
		         (s == text || (!isalnum((unsigned char)s[-1]) && s[-1] != '_')))
			return line;
		if (!*s)
			break;
	}
	return UINT_MAX;
}

/* Tables have no order: reports the first error in the file, or else the first by name. */
static void config_table_report_error(struct reader *r, const char *name, const char *msg)
{
	unsigned line = r->text ? config_table_find_line(r->text, name) : UINT_MAX;
	if (r->failed && (line > r->line || (line == r->line && strcmp(msg, r->err.msg) >= 0)))
		return;
	r->failed = true;
	r->line = line;
	err_set(&r->err, "%s", msg);
}

/* Sets parameter `name` from the value on top of the stack. */
static void config_table_set_param(struct reader *r, lua_State *L, const char *name)
{
	struct err err;
	const struct param *p = param_find(name, &err);
	bool ok = false;
	if (!p) {
		config_table_report_error(r, name, err.msg);
		return;
	}
	int type = lua_type(L, -1);
	if (p->type == PARAM_TEXT && type != LUA_TSTRING) {
		err_set(&err, "%s: expected a string, not %s", name, host_a(type));
		config_table_report_error(r, name, err.msg);
		return;
	}
	switch (type) {
	case LUA_TBOOLEAN:
		ok = config_set(&r->cfg, name, lua_toboolean(L, -1) ? "true" : "false", &err);
		break;
	case LUA_TSTRING:
		if (strlen(lua_tostring(L, -1)) == lua_rawlen(L, -1))
			ok = config_set(&r->cfg, name, lua_tostring(L, -1), &err);
		else
			err_set(&err, "%s: there is a zero byte in the string", name);
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
		err_set(&err, "%s: a number, string or boolean is needed, not %s", name,
		        host_a(lua_type(L, -1)));
	}
	if (!ok)
		config_table_report_error(r, name, err.msg);
}

/* Reads the table on top of the stack; `prefix` comes before its keys ("" or "pipe."). */
static void read_level(struct reader *r, lua_State *L, const char *prefix, unsigned depth)
{
	luaL_checkstack(L, 4, "nested configuration");
	for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1)) {
		char name[NAME_MAX_BYTES];
		host_tick(L, ENTRY_STEPS);
		if (lua_type(L, -2) != LUA_TSTRING) {
			config_table_report_error(
				r, prefix,
				"a configuration has names, not positions: { pipe = { rob_size = "
				"32 } }");
			continue;
		}
		int n = snprintf(name, sizeof name, "%s%s", prefix, lua_tostring(L, -2));
		if (n < 0 || (size_t)n >= sizeof name - 1) {
			config_table_report_error(r, prefix, "a name is too long");
			continue;
		}
		if (!depth && (!strcmp(name, "description") ||
		               (r->text && (!strcmp(name, "base") || !strcmp(name, "files")))))
			continue; /* for users; the file's reader applies the others */
		if (!lua_istable(L, -1)) {
			config_table_set_param(r, L, name);
		} else if (depth == DEPTH_MAX) {
			config_table_report_error(r, name, "tables are nested too deeply");
		} else {
			memcpy(name + n, ".", 2);
			read_level(r, L, name, depth + 1);
		}
	}
}

/* True if the table on top of the stack is a plug-in's, which has functions. */
static bool config_table_is_plugin(lua_State *L)
{
	bool found = false;
	for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1))
		found |= lua_isfunction(L, -1);
	return found;
}

bool config_read_table(lua_State *L, int index, const char *text, struct config *cfg,
                       unsigned *line, struct err *err)
{
	struct reader r = {.cfg = *cfg, .text = text};
	lua_pushvalue(L, index);
	if (config_table_is_plugin(L))
		config_table_report_error(&r, "", "this is a plug-in, not a configuration; a "
		                                  "configuration names it: { files = { "
		                                  "[\"bpred.kind\"] = \"gshare.lua\" } }, or use "
		                                  "--plugin");
	else
		read_level(&r, L, "", 0);
	lua_pop(L, 1);
	if (r.failed) {
		if (line)
			*line = r.line;
		return err_set(err, "%s", r.err.msg);
	}
	*cfg = r.cfg;
	return true;
}
