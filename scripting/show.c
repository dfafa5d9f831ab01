#include "scripting/show.h"

#include "scripting/host/host.h"

/* Formats a table by its contents, with sorted keys: equal tables give equal texts. */
static const char show_source[] =
	"local lua = ...\n"
	"local tostring, type, pairs, ipairs = lua.tostring, lua.type, lua.pairs, lua.ipairs\n"
	"local getmetatable, sort, concat = lua.getmetatable, lua.table.sort, lua.table.concat\n"
	"local function show(v, depth)\n"
	"  local meta = type(v) == 'table' and getmetatable(v)\n"
	"  if type(v) == 'string' and depth > 0 then return '\"' .. v .. '\"' end\n"
	"  if type(v) ~= 'table' or meta and meta.__tostring then return tostring(v) end\n"
	"  if depth == 3 then return '{...}' end\n"
	"  local keys, out = {}, {}\n"
	"  for k in pairs(v) do if type(k) ~= 'number' then keys[#keys + 1] = tostring(k) end end\n"
	"  sort(keys)\n"
	"  for i = 1, #v < 100 and #v or 100 do out[#out + 1] = show(v[i], depth + 1) end\n"
	"  for _, k in ipairs(keys) do out[#out + 1] = k .. ' = ' .. show(v[k], depth + 1) end\n"
	"  return '{' .. concat(out, ', ') .. '}'\n"
	"end\n"
	"return function(v) return show(v, 0) end\n";

void show_push(lua_State *L)
{
	if (host_load(L, show_source, sizeof show_source - 1, "=show") != LUA_OK)
		lua_error(L);
	lua_insert(L, -2);
	lua_call(L, 1, 1);
}
