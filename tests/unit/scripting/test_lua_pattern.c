/* Our matcher against Lua's on random patterns and subjects: equal results and errors. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lauxlib.h>
#include <lualib.h>

#include "scripting/host/host.h"
#include "scripting/host/host_lib.h"
#include "scripting/host/lua_pattern.h"
#include "tests/cases.h"

static const char comparison[] =
	"local theirs, ours, seed, rounds = ...\n"
	"math.randomseed(seed)\n"
	"local random = math.random\n"
	"local function pick(t) return t[random(#t)] end\n"
	"local letters = {'a', 'b', 'c', 'A', '1', ' ', '.', '(', ')', '[', ']', '-', '^', '%', "
        "'\\0', 'é', '_', '\\n'}\n"
	"local classes = {'%a', '%d', '%s', '%w', '%p', '%x', '%l', '%u', '%c', '%g', '%A', '%S', "
        "'%W', '%z', '%%', '%.',\n"
	"  '%]', '%-', '%Q', '.', 'a', 'b', 'a', 'b', '[ab]', '[^a]', '[a-c]', '[%a1]', '[]]', "
        "'[^]]', '[%]a]', '[a-]', '[-a]',\n"
	"  '[^-]', '[a-%%]', '[+--]', '[%a-z]', '[\\0-\\xff]', '[', '[^', '[]', '[%', '%', ']', "
        "'\\0'}\n"
	"local others = {'(', ')', '()', '(', ')', '%1', '%2', '%b()', '%bab', '%b', '%ba', "
        "'%f[a]', '%f[^a]', '%f[%w]', '%f', '%fa',\n"
	"  '%f[', '%0', '%9', '^', '$', '$'}\n"
	"local suffixes = {'', '', '', '*', '+', '-', '?', '**', '+-'}\n"
	"local function subject()\n"
	"  local t = {}\n"
	"  local few = random(3) > 1\n"
	"  for i = 1, random(0, 12) do t[i] = few and pick{'a', 'b', 'a', '(', ')'} or "
        "pick(letters) end\n"
	"  return table.concat(t)\n"
	"end\n"
	"local function pattern()\n"
	"  local t = {random(8) == 1 and '^' or ''}\n"
	"  for i = 1, random(0, 6) do t[#t + 1] = (random(4) == 1 and pick(others) or "
        "pick(classes)) .. pick(suffixes) end\n"
	"  if random(8) == 1 then t[#t + 1] = '$' end\n"
	"  return table.concat(t)\n"
	"end\n"
	"local replacements = {'', 'x', '%0', '%1', '%2%1', '%%', '%', '%a', '<%0>', 7, {a = 'z', "
        "b = false, ab = 3, [1] = 'one'},\n"
	"  {a = {}}, function(...) return select('#', ...) .. '|' .. tostring((...)) end, "
        "function(x) return x == 'a' and 'q' end,\n"
	"  function() return {} end}\n"
	"local inits = {1, 2, 3, -1, -3, 0, 5, 13, 14, 100, -100, math.maxinteger, "
        "math.mininteger}\n"
	"local function all(lib, s, p, init)\n"
	"  local out = {}\n"
	"  for a, b, c in lib.gmatch(s, p, init) do out[#out + 1] = tostring(a) .. ':' .. "
        "tostring(b) .. ':' .. tostring(c) end\n"
	"  return table.concat(out, ';')\n"
	"end\n"
	"local function same(what, s, p, a, b, extra)\n"
	"  local function show() return string.format('%s %q %q %s', what, s, p, tostring(extra)) "
        "end\n"
	"  if a[1] ~= b[1] then error(show() .. ': theirs ' .. tostring(a[2]) .. ', ours ' .. "
        "tostring(b[2]), 0) end\n"
	"  if not a[1] then return 1 end\n"
	"  if a.n ~= b.n then error(show() .. ': ' .. a.n .. ' results, ours ' .. b.n, 0) end\n"
	"  for i = 2, a.n do if a[i] ~= b[i] then\n"
	"    error(show() .. ': theirs ' .. tostring(a[i]) .. ', ours ' .. tostring(b[i]), 0) end "
        "end\n"
	"  return 0\n"
	"end\n"
	"local errors, hits, pack, pcall = 0, 0, table.pack, pcall\n"
	"for i = 1, rounds do\n"
	"  local s, p, init, plain = subject(), pattern(), pick(inits), random(10) == 1\n"
	"  local found = pack(pcall(theirs.find, s, p, init, plain))\n"
	"  if found[1] and found[2] then hits = hits + 1 end\n"
	"  errors = errors + same('find', s, p, found, pack(pcall(ours.find, s, p, init, plain)), "
        "init)\n"
	"  same('match', s, p, pack(pcall(theirs.match, s, p, init)), pack(pcall(ours.match, s, p, "
        "init)), init)\n"
	"  same('gmatch', s, p, pack(pcall(all, theirs, s, p, init)), pack(pcall(all, ours, s, p, "
        "init)), init)\n"
	"  local r, most = pick(replacements), pick{false, false, 0, 1, 2, -1} or nil\n"
	"  same('gsub', s, p, pack(pcall(theirs.gsub, s, p, r, most)), pack(pcall(ours.gsub, s, p, "
        "r, most)), r)\n"
	"end\n"
	"return errors, hits\n";

/* Pushes Lua's string library and a copy of it with our functions. */
static void push_libraries(lua_State *L)
{
	luaL_requiref(L, LUA_STRLIBNAME, luaopen_string, 0);
	lua_newtable(L);
	lib_set_patterns(L);
}

static struct lua_host *new_host(uint64_t steps)
{
	struct err err;
	struct lua_host *h =
		host_new(&(struct host_options){.trusted = true, .steps_max = steps}, &err);
	if (!h)
		fail_msg("%s", err.msg);
	luaL_openlibs(host_state(h));
	return h;
}

TEST(same_as_luas_own)
{
	const char *scale = getenv("CYCLOPS_TEST_SCALE");
	lua_Integer rounds = !scale || strcmp(scale, "long") ? 20000 : 200000;
	struct lua_host *h = new_host(0);
	lua_State *L = host_state(h);
	struct err err;
	if (luaL_loadstring(L, comparison) != LUA_OK)
		fail_msg("%s", lua_tostring(L, -1));
	push_libraries(L);
	lua_pushinteger(L, 20261122);
	lua_pushinteger(L, rounds);
	if (!host_call(h, 4, 2, &err))
		fail_msg("%s", err.msg);
	/* Both kinds of outcome must have been compared. */
	assert_true(lua_tointeger(L, -2) > rounds / 20);
	assert_true(lua_tointeger(L, -1) > rounds / 10);
	host_free(h);
}

/* Lengths at the limits, which random cases do not reach. */
static const char limits[] =
	"local theirs, ours = ...\n"
	"local function same(name, ...)\n"
	"  local a, b = table.pack(pcall(theirs[name], ...)), table.pack(pcall(ours[name], ...))\n"
	"  local s, p = ...\n"
	"  local function differ(i)\n"
	"    error(string.format('%s %q %q: %.200s and %.200s', name, tostring(s):sub(1, 20), "
        "tostring(p):sub(1, 40), tostring(a[i]), tostring(b[i])))\n"
	"  end\n"
	"  if a[1] ~= b[1] or a[1] and a.n ~= b.n then differ(2) end\n"
	"  for i = 2, a.n do if a[1] and a[i] ~= b[i] then differ(i) end end\n"
	"end\n"
	"for _, item in ipairs{'a?', 'a*', 'a-', '()', '(a?)', '(a)', 'a'} do\n"
	"  for n = 1, 210 do same('find', ('a'):rep(300), item:rep(n)) end\n"
	"end\n"
	"local long = ('ab'):rep(100000)\n"
	"same('find', long, 'ba', 199990, true)\n"
	"same('find', long, long .. 'x', 1, true)\n"
	"same('find', long .. 'x', 'bx')\n"
	"same('find', long, '') same('find', '', '') same('find', long, '', #long + 1) "
        "same('find', long, '', #long + 2)\n"
	"same('find', ('a'):rep(3 << 20) .. 'b' .. ('a'):rep(99), 'ab' .. ('a'):rep(99), 1, true)\n"
	"same('find', ('a'):rep((1 << 20) - 1) .. 'bc', 'bc', 1, true)\n"
	"same('gsub', long, 'b', '%0%0') same('gsub', long, '', '-') same('match', long, '^(.-)$') "
        "same('match', long, '((a)b)*$')\n"
	"same('match', long, '(.*)x?%1') same('match', ('('):rep(1000) .. (')'):rep(1000), "
        "'%b()')\n"
	"for c = 0, 255 do for l = 0, 255 do\n"
	"  same('find', string.char(c), '%' .. string.char(l)) same('find', string.char(c), '[%' "
        ".. string.char(l) .. ']')\n"
	"end end\n"
	"same('gsub', 'a', 'a', nil) same('gsub', 'a', 'a', true) same('find', {}, 'a') "
        "same('find', 'a') same('gmatch', 'a')\n"
	"same('find', 12, 1) same('gsub', 121, 1, 2) same('gsub', 'a', 'a', 'b', 'x') same('find', "
        "'a', 'a', 1.5)\n";

TEST(same_at_the_limits)
{
	struct lua_host *h = new_host(0);
	struct err err;
	assert_int_equal(luaL_loadstring(host_state(h), limits), LUA_OK);
	push_libraries(host_state(h));
	if (!host_call(h, 2, 0, &err))
		fail_msg("%s", err.msg);
	host_free(h);
}

/* Each of these takes Lua's own matcher too long for a test. */
TEST(explosions_are_stopped)
{
	static const char *const calls[] = {
		"local s = ... s.find(('a'):rep(200), ('a*'):rep(50) .. 'b')",
		"local s = ... s.match(('a'):rep(200), ('a-'):rep(50) .. 'b')",
		"local s = ... s.find(('a'):rep(30), ('a?'):rep(30) .. ('a'):rep(30) .. 'b')",
		"local s = ... for _ in s.gmatch(('a'):rep(200), ('(a*)'):rep(30) .. 'b') do end",
		"local s = ... s.gsub(('a'):rep(200), ('.-'):rep(50) .. 'b', '')",
		"local s = ... s.find(('('):rep(1 << 20), '%b()')",
		"local s = ... s.find(('a'):rep(1 << 20), '.-b')",
		"local s = ... s.find(('a'):rep(1 << 20), '[' .. ('b'):rep(1 << 20) .. ']')",
		"local s = ... s.find(('a'):rep(1 << 20), '(.*)b%1')",
		"local s = ... while true do s.find(('a'):rep(1 << 20), 'b', 1, true) end",
	};
	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
		struct lua_host *h = new_host(1000000);
		struct err err;
		assert_int_equal(luaL_loadstring(host_state(h), calls[i]), LUA_OK);
		push_libraries(host_state(h));
		lua_remove(host_state(h), -2);
		assert_false(host_call(h, 1, 0, &err));
		if (!strstr(err.msg, "computes for too long"))
			fail_msg("%s: %s", calls[i], err.msg);
		host_free(h);
	}
}
