/* The program: symbols, functions, source lines. */
#include <fnmatch.h>
#include <string.h>

#include "hwviews/program/origin.h"
#include "scripting/api/api.h"

static void api_symbols_push_symbol(lua_State *L, const struct symbol *s)
{
	lua_createtable(L, 0, 4);
	lua_pushstring(L, s->name);
	lua_setfield(L, -2, "name");
	lua_pushinteger(L, (lua_Integer)s->addr);
	lua_setfield(L, -2, "addr");
	lua_pushinteger(L, (lua_Integer)s->size);
	lua_setfield(L, -2, "size");
	lua_pushstring(L, s->code ? "code" : "data");
	lua_setfield(L, -2, "type");
}

static int api_symbols_lookup(lua_State *L)
{
	const struct session *s = api_session(L);
	const struct symbol *found;
	if (lua_type(L, 2) == LUA_TNUMBER)
		found = program_symbol_at(s->program, api_address(L, 2, s));
	else
		found = program_symbol_by_name(s->program, luaL_checkstring(L, 2));
	if (found)
		api_symbols_push_symbol(L, found);
	else
		lua_pushnil(L);
	return 1;
}

/* Upvalues: the machine, the pattern (nil: all), whether code only, the next index. */
static int next_symbol(lua_State *L)
{
	const struct session *s = api_machine(L, lua_upvalueindex(1))->s;
	const char *pattern = lua_tostring(L, lua_upvalueindex(2));
	bool code = lua_toboolean(L, lua_upvalueindex(3));
	lua_Integer i = lua_tointeger(L, lua_upvalueindex(4));
	size_t count;
	const struct symbol *all = program_symbols(s->program, &count);
	while ((size_t)i < count &&
	       ((code && !all[i].code) || (pattern && fnmatch(pattern, all[i].name, 0) != 0)))
		i++;
	if ((size_t)i >= count) /* fewer libraries may be mapped where the machine is now */
		return 0;
	lua_pushinteger(L, i + 1);
	lua_replace(L, lua_upvalueindex(4));
	api_symbols_push_symbol(L, &all[i]);
	return 1;
}

static int api_symbols_push_iterator(lua_State *L, bool code)
{
	api_machine(L, 1);
	luaL_optstring(L, 2, NULL);
	lua_settop(L, 2);
	lua_pushboolean(L, code);
	lua_pushinteger(L, 0);
	lua_pushcclosure(L, next_symbol, 4);
	return 1;
}

static int api_symbols_iterate_all(lua_State *L)
{
	return api_symbols_push_iterator(L, false);
}

static int api_symbols_iterate_functions(lua_State *L)
{
	return api_symbols_push_iterator(L, true);
}

static int api_symbols_source_line_at(lua_State *L)
{
	const struct session *s = api_session(L);
	uint64_t addr = lua_isnoneornil(L, 2) ? machine_seen_pc(s->machine) : api_address(L, 2, s);
	struct source_line at;
	if (!program_line_at(s->program, addr, &at) || !at.line)
		return 0;
	lua_pushstring(L, at.file);
	lua_pushinteger(L, at.line);
	return 2;
}

static int api_symbols_source_text(lua_State *L)
{
	const struct session *s = api_session(L);
	const char *file = luaL_checkstring(L, 2);
	api_check_path(L, file, "source");
	const char *text =
		program_source_text(s->program, file, (unsigned)luaL_checkinteger(L, 3), NULL);
	if (text)
		lua_pushlstring(L, text, strcspn(text, "\r\n"));
	else
		lua_pushnil(L);
	return 1;
}

static int api_symbols_resolve_address(lua_State *L)
{
	const struct session *s = api_session(L);
	lua_pushinteger(L, (lua_Integer)api_address(L, 2, s));
	return 1;
}

static int api_symbols_moved_address(lua_State *L)
{
	const struct session *s = api_session(L);
	const uint64_t was = api_address(L, 2, s);
	struct moved_code m;
	const uint64_t now = program_moved_code(s->program, &m) ? moved_code_to(&m, was) : was;
	if (now)
		lua_pushinteger(L, (lua_Integer)now);
	else
		lua_pushnil(L);
	return 1;
}

static const struct binding methods[] = {
	{"sym", api_symbols_lookup, "m:sym(NAME | ADDRESS) -> { name =, addr =, size =, type = }",
         "A symbol of the program by its name, or the symbol that covers an address; type is "
         "'code' or 'data'. nil if there is none."},
	{"symbols", api_symbols_iterate_all, "for s in m:symbols([PATTERN]) do",
         "All symbols by address, or those whose name matches a pattern such as 'str*'."},
	{"functions", api_symbols_iterate_functions, "for f in m:functions([PATTERN]) do",
         "The same for functions: f.addr to f.addr + f.size."},
	{"line", api_symbols_source_line_at, "m:line([ADDRESS]) -> FILE, LINE",
         "The source line of an address or of m.pc; nil if none is known."},
	{"source", api_symbols_source_text, "m:source(FILE, LINE) -> TEXT",
         "The text of a line, if the file can be found."},
	{"moved", api_symbols_moved_address, "m:moved(ADDRESS) -> ADDRESS",
         "The address in the instrumented program of an instruction of the original one; the same "
         "address if the program is not instrumented. nil if there was no instruction."},
	{"addr", api_symbols_resolve_address, "m:addr(TEXT) -> ADDRESS",
         "The address of a text as in commands: m:addr \"words.c:41\", m:addr \"find+8\"."},
};

const struct binding_area area_symbols = {
	.name = "symbols",
	.object = "machine",
	.summary = "symbols and source lines",
	.text = "",
	.bindings = methods,
	.count = sizeof methods / sizeof *methods,
};
