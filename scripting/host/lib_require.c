/* require of a safe host: our own modules and files in the script's folder, nothing else. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <lauxlib.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "scripting/host/host.h"
#include "scripting/host/host_lib.h"
#include "scripting/modules.h"

enum { MODULE_BYTES_MAX = 1 << 20 };

/* Whether it is "lib.util": words of letters, digits, - and _ between dots. */
static bool lib_require_is_module_name(const char *name)
{
	bool begun = false;
	for (const char *s = name; *s; s++) {
		if (*s == '.' && !begun)
			return false;
		begun = *s != '.';
		if (begun && !isalnum((unsigned char)*s) && *s != '-' && *s != '_')
			return false;
	}
	return begun;
}

/* Fills `path` with the module's file, which is in the folder even after resolving links. */
static bool find_file(lua_State *L, const char *name, char path[PATH_MAX])
{
	char wanted[PATH_MAX], folder[PATH_MAX];
	const char *base = host_folder(L);
	if (!base || !realpath(base, folder))
		return luaL_error(L, "module '%s' not found: there is no folder to look in", name);
	int n = snprintf(wanted, sizeof wanted, "%s/%s", folder, name);
	if (n < 0 || (size_t)n + 5 > sizeof wanted)
		return luaL_error(L, "module '%s': a path that is too long", name);
	for (char *s = wanted + strlen(folder) + 1; *s; s++)
		if (*s == '.')
			*s = '/';
	memcpy(wanted + n, ".lua", 5);
	if (!realpath(wanted, path))
		return luaL_error(L, "module '%s' not found: %s: %s", name,
		                  wanted + strlen(folder) + 1, strerror(errno));
	size_t length = strcmp(folder, "/") ? strlen(folder) : 0;
	if (strncmp(path, folder, length) != 0 || path[length] != '/')
		return luaL_error(L, "module '%s' lies outside the script's folder", name);
	return true;
}

/* Pushes the text of a file; a userdata owns the buffer until Lua has copied it. */
static void push_file(lua_State *L, const char *name, const char *path)
{
	struct stat st;
	char *text = lua_newuserdatauv(L, MODULE_BYTES_MAX + 1, 0);
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	ssize_t n = -1, got;
	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		for (n = 0; n <= MODULE_BYTES_MAX; n += got)
			if ((got = read(fd, text + n, (size_t)(MODULE_BYTES_MAX + 1 - n))) <= 0)
				break;
	if (fd >= 0)
		close(fd);
	if (n < 0 || n > MODULE_BYTES_MAX)
		luaL_error(L, "module '%s': not a file of Lua, or over %d MiB", name,
		           MODULE_BYTES_MAX >> 20);
	host_tick(L, (uint64_t)n / BYTES_PER_STEP + 1);
	lua_pushlstring(L, text, (size_t)n);
	lua_remove(L, -2);
}

/* Upvalue: loaded modules by name; false during loading. */
static int lib_require_load_module(lua_State *L)
{
	const char *name = luaL_checkstring(L, 1);
	char path[PATH_MAX];
	size_t n;
	lua_settop(L, 1);
	if (!lib_require_is_module_name(name) || strlen(name) != lua_rawlen(L, 1))
		return luaL_error(L, "a module is called as its file in the script's folder, "
		                     "without .lua, as in require \"util\"");
	if (lua_getfield(L, lua_upvalueindex(1), name) == LUA_TBOOLEAN && !lua_toboolean(L, -1))
		return luaL_error(L, "module '%s' requires itself", name);
	if (!lua_isnil(L, -1))
		return 1;
	const struct lua_module *own = lua_module_find(name);
	if (own) {
		lua_pushstring(L, own->text);
	} else {
		find_file(L, name, path);
		push_file(L, name, path);
	}
	const char *text = lua_tolstring(L, -1, &n);
	const char *chunk = lua_pushfstring(L, "@%s", own ? own->file : path);
	if (host_load(L, text, n, chunk) != LUA_OK)
		return lua_error(L);
	lua_pushboolean(L, 0);
	lua_setfield(L, lua_upvalueindex(1), name);
	lua_pushvalue(L, 1);
	/* A module that fails may be loaded again. */
	int status = lua_pcall(L, 1, 1, 0);
	if (status == LUA_ERRMEM)
		host_note_memory(L);
	if (status == LUA_OK && lua_isnil(L, -1)) {
		lua_pop(L, 1);
		lua_pushboolean(L, 1);
	}
	if (status == LUA_OK)
		lua_pushvalue(L, -1);
	else
		lua_pushnil(L);
	lua_setfield(L, lua_upvalueindex(1), name);
	host_go_on(L);
	return status == LUA_OK ? 1 : lua_error(L);
}

void lib_set_require(lua_State *L)
{
	luaL_getsubtable(L, LUA_REGISTRYINDEX, SAFE_MODULES);
	lua_pushcclosure(L, lib_require_load_module, 1);
	lua_setfield(L, -2, "require");
}
