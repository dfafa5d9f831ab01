/* Functions that read or make strings are charged by length. */
#include <lauxlib.h>
#include <string.h>

#include "scripting/host/host.h"
#include "scripting/host/host_lib.h"

enum { SLOW_BYTES_MAX = 1 << 20, QUOTED_BYTES_MAX = 1 << 18 };

static size_t text_bytes(lua_State *L)
{
	size_t all = 0;
	for (int i = lua_gettop(L); i > 0; i--)
		if (lua_type(L, i) == LUA_TSTRING)
			all += lua_rawlen(L, i);
	return all;
}

/* Charges for the arguments, then calls upvalue 1. */
static int lib_string_call_charged(lua_State *L)
{
	host_tick(L, text_bytes(L) / BYTES_PER_STEP + (uint64_t)lua_gettop(L) / 4 + 1);
	return lua_tocfunction(L, lua_upvalueindex(1))(L);
}

/* As charged(), for functions that are slow per byte and not interruptible. */
static int charged_slow(lua_State *L)
{
	size_t bytes = text_bytes(L);
	if (bytes > SLOW_BYTES_MAX)
		return luaL_error(L, "texts of %d MiB at most", SLOW_BYTES_MAX >> 20);
	host_tick(L, bytes / CHARACTERS_PER_STEP + 1);
	return lua_tocfunction(L, lua_upvalueindex(1))(L);
}

/* Upvalue: Lua's own. In a safe host objects are numbered (host_text()), and %p is refused. */
static int lib_string_format(lua_State *L)
{
	static const char between[] = "-+#0 .123456789";
	const bool safe = !host_is_trusted(host_of(L));
	const int given = lua_gettop(L);
	size_t n;
	const char *fmt = luaL_checklstring(L, 1, &n);
	if (n > SLOW_BYTES_MAX)
		return luaL_error(L, "a format of %d MiB at most", SLOW_BYTES_MAX >> 20);
	int argument = 1;
	for (size_t i = 0; i + 1 < n; i++) {
		if (fmt[i] != '%' || fmt[++i] == '%')
			continue;
		while (i + 1 < n && fmt[i] && strchr(between, fmt[i]))
			i++;
		if (++argument > given)
			break;
		if (fmt[i] == 'q' && text_bytes(L) > QUOTED_BYTES_MAX)
			return luaL_error(L, "'%%q' quotes texts of %d KiB at most",
			                  QUOTED_BYTES_MAX >> 10);
		if (fmt[i] == 'p' && safe)
			return luaL_error(L, "a safe script sees no addresses ('%%p')");
		if (fmt[i] == 's' && safe && host_is_object(L, argument)) {
			host_text(L, argument, NULL);
			lua_replace(L, argument);
		}
	}
	return lib_string_call_charged(L);
}

static int lib_string_repeat(lua_State *L)
{
	size_t bytes, between_bytes;
	const char *s = luaL_checklstring(L, 1, &bytes);
	lua_Integer n = luaL_checkinteger(L, 2);
	const char *between = luaL_optlstring(L, 3, "", &between_bytes);
	size_t max = host_text_max(L), each = bytes + between_bytes;
	luaL_Buffer b;
	if (n <= 0 || !each) {
		lua_pushliteral(L, "");
		return 1;
	}
	if (each < bytes || (lua_Unsigned)n > (max < LUA_MAXINTEGER ? max : LUA_MAXINTEGER) / each)
		return luaL_error(L, "resulting string too large");
	/* Allocate everything first, so as to fail before any work. */
	luaL_buffinitsize(L, &b, (size_t)n * each);
	for (size_t begun = 0; n > 0; n--) {
		luaL_addlstring(&b, s, bytes);
		if (n > 1)
			luaL_addlstring(&b, between, between_bytes);
		if (luaL_bufflen(&b) - begun < BYTES_PER_STEP * 1024)
			continue;
		begun = luaL_bufflen(&b);
		host_tick(L, 1024);
	}
	luaL_pushresult(&b);
	return 1;
}

/* Replaces the library's function of this name by `with`, whose upvalue is the replaced function.
 */
static void lib_string_wrap_function(lua_State *L, const char *name, lua_CFunction with)
{
	if (lua_getfield(L, -1, name) == LUA_TFUNCTION) {
		lua_pushcclosure(L, with, 1);
		lua_setfield(L, -2, name);
	} else {
		lua_pop(L, 1);
	}
}

void lib_set_string(lua_State *L)
{
	static const char *const fast[] = {"byte", "char", "lower", "reverse", "sub", "upper"};
	static const char *const slow[] = {"pack", "packsize", "unpack"};
	for (size_t i = 0; i < sizeof fast / sizeof *fast; i++)
		lib_string_wrap_function(L, fast[i], lib_string_call_charged);
	for (size_t i = 0; i < sizeof slow / sizeof *slow; i++)
		lib_string_wrap_function(L, slow[i], charged_slow);
	lib_string_wrap_function(L, "format", lib_string_format);
	lua_pushcfunction(L, lib_string_repeat);
	lua_setfield(L, -2, "rep");
}

void lib_set_utf8(lua_State *L)
{
	static const char *const slow[] = {"char", "codes", "codepoint", "len", "offset"};
	for (size_t i = 0; i < sizeof slow / sizeof *slow; i++)
		lib_string_wrap_function(L, slow[i], charged_slow);
}
