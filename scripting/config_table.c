#include "scripting/config_table.h"

#include <lauxlib.h>
#include <stdio.h>
#include <string.h>

enum { DEPTH_MAX = 4, NAME_MAX_BYTES = 128 };

struct reader {
	struct config cfg;
	char wrong[NAME_MAX_BYTES]; /* the name complained about, "" = none */
	struct err err;
};

/* The least name in the order of texts wins: tables have none. */
static void complain(struct reader *r, const char *name, const struct err *err)
{
	if (*r->wrong && strcmp(name, r->wrong) >= 0)
		return;
	snprintf(r->wrong, sizeof r->wrong, "%s", *name ? name : "[1]");
	r->err = *err;
}

/* Sets parameter `name` from the value on top of the stack. */
static void set_value(struct reader *r, lua_State *L, const char *name)
{
	struct err err;
	int whole;
	const struct param *p = param_find(name, &err);
	bool ok = false;
	if (p && lua_type(L, -1) == LUA_TBOOLEAN) {
		ok = config_set(&r->cfg, name, lua_toboolean(L, -1) ? "true" : "false", &err);
	} else if (p && lua_type(L, -1) == LUA_TSTRING) {
		ok = config_set(&r->cfg, name, lua_tostring(L, -1), &err);
	} else if (p && lua_type(L, -1) == LUA_TNUMBER) {
		lua_Integer v = lua_tointegerx(L, -1, &whole);
		if (whole && p->type != PARAM_ENUM)
			ok = config_set_int(&r->cfg, p, v, &err);
		else
			err_set(&err, "%s = %g: %s", name, lua_tonumber(L, -1),
			        p->type == PARAM_ENUM ? p->unit : "a whole number is needed");
	} else if (p) {
		err_set(&err, "%s: a number, string or boolean is needed, not a %s", name, luaL_typename(L, -1));
	}
	if (!ok)
		complain(r, name, &err);
}

/* The table on top of the stack; `prefix` is what its keys are below ("" or "pipe."). */
static void read_level(struct reader *r, lua_State *L, const char *prefix, unsigned depth)
{
	struct err err;
	luaL_checkstack(L, 4, "nested configuration");
	for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1)) {
		char name[NAME_MAX_BYTES];
		if (lua_type(L, -2) != LUA_TSTRING) {
			err_set(&err, "parameters have names, not positions: { pipe = { rob_size = 32 } }");
			complain(r, prefix, &err);
			continue;
		}
		int n = snprintf(name, sizeof name, "%s%s", prefix, lua_tostring(L, -2));
		if (!depth && !strcmp(name, "description"))
			continue; /* for people who choose among configurations */
		if (n < 0 || (size_t)n >= sizeof name - 1 || (lua_istable(L, -1) && depth == DEPTH_MAX)) {
			err_set(&err, "no parameter has such a long name as '%.60s...'", name);
			complain(r, name, &err);
		} else if (!lua_istable(L, -1)) {
			set_value(r, L, name);
		} else {
			memcpy(name + n, ".", 2);
			read_level(r, L, name, depth + 1);
		}
	}
}

bool config_read_table(lua_State *L, int index, struct config *cfg, struct err *err)
{
	struct reader r = {.cfg = *cfg};
	lua_pushvalue(L, index);
	read_level(&r, L, "", 0);
	lua_pop(L, 1);
	if (*r.wrong)
		return err_set(err, "%s", r.err.msg);
	*cfg = r.cfg;
	return true;
}
