/* Reads tables of options and other arguments; messages name the expected value. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/nearest_word.h"
#include "hwviews/session/address.h"
#include "scripting/api/api.h"

/* Reports the least unknown key in text order, so that a table always gives the same message. */
void api_check_keys(lua_State *L, int index, const char *what, const char *const *names)
{
	struct nearest n;
	const char *wrong = NULL;
	index = lua_absindex(L, index);
	for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) {
		size_t i = 0;
		if (lua_type(L, -2) != LUA_TSTRING) {
			binding_fail(L, "%s takes names, not positions: { %s = ... }", what,
			             names[0]);
			return;
		}
		const char *key = lua_tostring(L, -2);
		while (names[i] && strcmp(names[i], key) != 0)
			i++;
		if (!names[i] && (!wrong || strcmp(key, wrong) < 0))
			wrong = key;
	}
	if (!wrong)
		return;
	nearest_init(&n, wrong);
	for (size_t i = 0; names[i]; i++)
		nearest_offer(&n, names[i]);
	if (n.best)
		binding_fail(L, "%s has no '%s'; did you mean '%s'?", what, wrong, n.best);
	luaL_Buffer b;
	luaL_buffinit(L, &b);
	for (size_t i = 0; names[i]; i++) {
		luaL_addstring(&b, i ? ", " : "");
		luaL_addstring(&b, names[i]);
	}
	luaL_pushresult(&b);
	binding_fail(L, "%s has no '%s'; it takes %s", what, wrong, lua_tostring(L, -1));
}

bool api_option(lua_State *L, int index, const char *name, int type)
{
	int got = lua_getfield(L, index, name);
	if (got == LUA_TNIL)
		return false;
	if (type != LUA_TNONE && got != type && !(type == LUA_TSTRING && got == LUA_TNUMBER))
		binding_fail(L, "%s: a %s is needed, not %s", name, lua_typename(L, type),
		             host_a(got));
	return true;
}

uint64_t api_option_count(lua_State *L, int index, const char *name, uint64_t dflt)
{
	uint64_t v = dflt;
	int whole = 0;
	if (lua_getfield(L, index, name) != LUA_TNIL) {
		lua_Integer i = lua_tointegerx(L, -1, &whole);
		if (!whole || i < 0 || lua_type(L, -1) == LUA_TSTRING)
			binding_fail(L, "%s = %s: a whole number from 0 is needed", name,
			             host_text(L, -1, NULL));
		v = (uint64_t)i;
	}
	lua_pop(L, 1);
	return v;
}

bool api_option_flag(lua_State *L, int index, const char *name, bool dflt)
{
	bool v = api_option(L, index, name, LUA_TBOOLEAN) ? lua_toboolean(L, -1) : dflt;
	lua_pop(L, 1);
	return v;
}

uint64_t api_address(lua_State *L, int index, const struct session *s)
{
	struct err err;
	uint64_t addr;
	int whole = 0;
	if (lua_type(L, index) == LUA_TSTRING) {
		if (!address_parse(s, lua_tostring(L, index), NULL, &addr, &err))
			binding_fail(L, "%s", err.msg);
		return addr;
	}
	lua_Integer i = lua_tointegerx(L, index, &whole);
	if (!whole)
		binding_fail(L, "an address is needed (0x10400, 'main', 'words.c:41'), not %s",
		             host_text(L, index, NULL));
	return (uint64_t)i;
}

uint64_t api_count(lua_State *L, int index, uint64_t dflt)
{
	if (lua_isnoneornil(L, index))
		return dflt;
	lua_Integer n = luaL_checkinteger(L, index);
	luaL_argcheck(L, n >= 0, index, "a count is not negative");
	return (uint64_t)n;
}

/* Whether a path that realpath() made is a folder's or lies below it. */
static bool api_path_is_below(const char *path, const char *folder)
{
	char real[PATH_MAX];
	if (!realpath(folder, real))
		return false;
	size_t n = strlen(real);
	return !strncmp(path, real, n) && (path[n] == '/' || !path[n] || (n == 1 && *real == '/'));
}

/* Resolves a path; of a missing file, the part that exists: the result reveals nothing about files
 * outside. False: the path can't be resolved. */
static bool path_leads_to(const char *path, char *real)
{
	char part[PATH_MAX];
	if (realpath(path, real))
		return true;
	if (snprintf(part, sizeof part, "%s%s", *path == '/' ? "" : "./", path) >= (int)sizeof part)
		return false;
	for (char *slash; (slash = strrchr(part, '/')); *slash = '\0') {
		if (!strcmp(slash, "/.."))
			return false;
		const char last = slash[1];
		slash[1] = '\0';
		if (realpath(part, real))
			return true;
		slash[1] = last;
	}
	return false;
}

/* True if path is an argument of the script: its user chose that path. */
static bool is_argument(const struct script *s, const char *path)
{
	char real[PATH_MAX];
	for (int i = 0; i < s->argc; i++)
		if (realpath(s->argv[i], real) && !strcmp(real, path))
			return true;
	return false;
}

void api_check_path(lua_State *L, const char *path, const char *what)
{
	const struct script *s = script_of(L);
	char real[PATH_MAX];
	if (!s->opt.safe)
		return;
	if (path_leads_to(path, real) &&
	    (api_path_is_below(real, ".") || (s->folder && api_path_is_below(real, s->folder)) ||
	     is_argument(s, real)))
		return;
	binding_fail(L,
	             "%s = '%s': with --lua-safe only what is below the current directory or the "
	             "script's folder, and its arguments",
	             what, path);
}
