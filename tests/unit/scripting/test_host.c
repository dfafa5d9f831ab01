/* The Lua host: what it contains, and what stays as Lua has it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include <lauxlib.h>
#include <lualib.h>

#include "scripting/host/host.h"

enum { STEPS = 500000, BYTES = 32 << 20 };

static struct lua_host *open_host(const struct host_options *opt)
{
	struct err err;
	struct lua_host *h = host_new(opt, &err);
	if (!h)
		fail_msg("%s", err.msg);
	host_push_environment(host_state(h));
	lua_setfield(host_state(h), LUA_REGISTRYINDEX, "env");
	return h;
}

static struct lua_host *safe_host(const char *folder)
{
	return open_host(
		&(struct host_options){.bytes_max = BYTES, .steps_max = STEPS, .folder = folder});
}

struct chunk {
	const char *text;
	bool returned; /* true, "yes", ... */
	char result[128];
};

static int run_chunk(lua_State *L)
{
	struct chunk *c = lua_touserdata(L, 1);
	if (host_load(L, c->text, strlen(c->text), "@script") != LUA_OK)
		return lua_error(L);
	lua_call(L, 0, 1);
	c->returned = lua_toboolean(L, -1);
	if (c->returned)
		snprintf(c->result, sizeof c->result, "%s", luaL_tolstring(L, -1, NULL));
	return 0;
}

static bool run_within(struct lua_host *h, struct chunk *c, uint64_t steps, const char *who,
                       struct err *err)
{
	lua_State *L = host_state(h);
	int top = lua_gettop(L);
	lua_pushcfunction(L, run_chunk);
	lua_pushlightuserdata(L, c);
	bool ok = who ? host_call_within(h, 1, 0, steps, who, err) : host_call(h, 1, 0, err);
	assert_int_equal(lua_gettop(host_state(h)), top);
	return ok;
}

static bool run(struct lua_host *h, const char *text, struct err *err)
{
	return run_within(h, &(struct chunk){.text = text}, 0, NULL, err);
}

static void expect_true(struct lua_host *h, const char *text)
{
	struct err err;
	struct chunk c = {.text = text};
	if (!run_within(h, &c, 0, NULL, &err))
		fail_msg("%s: %s", text, err.msg);
	if (!c.returned)
		fail_msg("%s: returned %s", text, c.result);
}

/* What must still be so whatever ran before. */
static const char health[] =
	"assert(string.format('%d', 42) == '42' and ('x'):rep(3) == 'xxx' and math.abs(-1) == 1)\n"
	"assert(select('#', table.unpack{1, 2, 3}) == 3 and #table.concat({'a', 'b'}, '-') == 3)\n"
	"assert(type(pcall) == 'function' and pcall(error) == false and tostring(12) == '12')\n"
	"assert(coroutine.wrap(function() return 7 end)() == 7 and ('a.b'):find('.', 1, true) == "
        "2)\n"
	"return true\n";

/* ---- what runs for ever, or would like to ---- */
#define LOOP "while true do end "
static const char *const endless[] = {
	LOOP,
	"while true do pcall(function() " LOOP " end) end",
	"repeat until pcall(error)",
	"local function f() pcall(f) pcall(f) end " LOOP,
	"local function f() return pcall(f) end while true do f() end",
	"while true do xpcall(function() " LOOP " end, function() end) end",
	"xpcall(function() " LOOP " end, function() " LOOP " end)",
	"xpcall(error, function() " LOOP " end)",
	"xpcall(function() local x = nil + 1 end, function(e) while true do pcall(error, e) end "
        "end)",
	"local function h() return xpcall(h, h) end while true do h() end",
	"while true do coroutine.resume(coroutine.create(function() " LOOP " end)) end",
	"while true do coroutine.wrap(function() for i = 1, 50 do end end)() end",
	"while true do pcall(coroutine.wrap(function() " LOOP " end)) end",
	"local function f() return coroutine.wrap(f)() end while true do pcall(f) end",
	"local c = coroutine.wrap(function() while true do coroutine.yield() end end) while true "
        "do c() end",
	"local co = coroutine.create(function() pcall(function() coroutine.yield() " LOOP
	" end) " LOOP " end) "
	"coroutine.resume(co) coroutine.resume(co) " LOOP,
	"local co = coroutine.create(function() local x <close> = setmetatable({}, {__close = "
        "function() " LOOP " end}) "
	"coroutine.yield() end) coroutine.resume(co) while true do coroutine.close(co) end",
	"pcall(coroutine.wrap(function() local x <close> = setmetatable({}, {__close = "
        "function() " LOOP " end}) error{} end)) " LOOP,
	"local x <close> = setmetatable({}, {__close = function() " LOOP " end})",
	"do local x <close> = setmetatable({}, {__close = function() " LOOP " end}) " LOOP " end",
	"local function f() local x <close> = setmetatable({}, {__close = f}) " LOOP " end f()",
	"return setmetatable({}, {__index = function(t, k) " LOOP " end}).x",
	"return setmetatable({}, {__add = function() " LOOP " end}) + 1",
	"return setmetatable({}, {__eq = function() " LOOP " end}) == setmetatable({}, {})",
	"return #setmetatable({}, {__len = function() " LOOP " end})",
	"return tostring(setmetatable({}, {__tostring = function() " LOOP " end}))",
	"error(setmetatable({}, {__tostring = function() " LOOP " end}))",
	"for _ in setmetatable({}, {__call = function() return 1 end}) do end",
	"for k in pairs(setmetatable({}, {__pairs = function() return function() return 1 end "
        "end})) do end",
	"table.concat(setmetatable({}, {__len = function() return 1 << 60 end, __index = "
        "function() return '' end}))",
	"table.concat(setmetatable({}, {__len = function() return math.maxinteger end, __index = "
        "setmetatable({}, {__index = function() return '' end})}))",
	"table.insert(setmetatable({}, {__len = function() return 1 << 60 end}), 1, 1)",
	"table.remove(setmetatable({}, {__len = function() return 1 << 60 end}), 1)",
	"table.move({}, 1, 1 << 60, 1)",
	"table.move({}, 1, math.maxinteger - 1, 2, setmetatable({}, {__newindex = function() "
        "end}))",
	"table.sort(setmetatable({}, {__len = function() return (1 << 31) - 2 end, __index = "
        "function() return 1 end, __newindex = function() end}))",
	"table.sort({3, 1, 2}, function() " LOOP " end)",
	"local t = {} for i = 1, 20000 do t[i] = i % 7 end while true do table.sort(t, function() "
        "return true end) end",
	"while true do pcall(table.unpack, {}, 1, 100000) end",
	"while true do string.rep('x', 1 << 20) end",
	"local s = ('x'):rep(1 << 20) while true do local t = s .. 'y' end",
	"local s = ('x'):rep(1 << 20) while true do s:upper() s:reverse() s:byte(1, 10) end",
	"local s = ('x'):rep(1 << 17) while true do string.format('%q', s) end",
	"local s = ('b'):rep(1 << 19) while true do pcall(string.packsize, s) end",
	"local s = ('b'):rep(1 << 19) while true do utf8.len(s) end",
	"string.find(('a'):rep(100), ('a*'):rep(40) .. 'b')",
	"string.match(('a'):rep(100), ('a-'):rep(40) .. 'b')",
	"string.gsub(('a'):rep(100), ('a?'):rep(40) .. ('a'):rep(40) .. 'b', '')",
	"for x in string.gmatch(('a'):rep(100), ('(a*)'):rep(30) .. 'b') do end",
	"while true do pcall(string.find, ('a'):rep(100), ('a*'):rep(40) .. 'b') end",
	"string.gsub('x', 'x', function() " LOOP " end)",
	"string.gsub(('x'):rep(100), 'x', setmetatable({}, {__index = function() " LOOP " end}))",
	"string.find(('('):rep(1 << 20), '%b()')",
	"load(function() return ' ' end)",
	"load(function() " LOOP " end)",
	"while true do load(('local x = 1 '):rep(20000)) end",
	"local t = {} for i = 1, 30000 do t[i] = '::a' .. i .. '::' end t = table.concat(t) while "
        "true do load(t) end",
	"goto a ::a:: goto a",
	"for i = 1, math.huge do end",
	"local t = {} for i = 1, 100 do t[i] = i end while true do "
        "string.format(('%99d'):rep(100), table.unpack(t)) end",
	"while true do math.random(1, 1 << 40) utf8.char(65, 66) select(-1, 1, 2) end",
	"while true do pcall(rawset, string, 'x', 1) end",
};

static void expect_error(struct lua_host *h, const char *text, const char *part)
{
	struct err err;
	if (run(h, text, &err))
		fail_msg("%s: it ended", text);
	if (!strstr(err.msg, part))
		fail_msg("%s: '%s' should speak of '%s'", text, err.msg, part);
}

static void endless_scripts_run_out_of_steps(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof endless / sizeof *endless; i++) {
		struct lua_host *h = safe_host(NULL);
		expect_error(h, endless[i], "it computes for too long (over 500000 steps)");
		expect_true(h, health);
		host_free(h);
	}
}

/* An error caught below many calls costs Lua a look at each of them, and so costs steps: 500,000
 * are gone long before the 40,000 calls that they would be without. */
static void errors_deep_down_cost_steps(void **state)
{
	(void)state;
	static const char *const catches[] = {"pcall(error)", "xpcall(error, type)"};
	for (size_t i = 0; i < 2; i++) {
		struct lua_host *h = safe_host(NULL);
		char text[160];
		snprintf(text, sizeof text,
		         "n = 0 local function f() n = n + 1 %s %s return 1 + f() end f()",
		         catches[i], catches[i]);
		expect_error(h, text, "it computes for too long (over 500000 steps)");
		expect_true(h, "return n > 1000 and n < 4000");
		host_free(h);
	}
}

/* `...` copies all its values in one step of Lua's own, and costs as if each were looked at. */
static void many_arguments_cost_steps(void **state)
{
	(void)state;
	struct lua_host *h = safe_host(NULL);
	expect_error(h,
	             "n = 0 local function f(...) while true do n = n + 1 local a = ... end end "
	             "f(table.unpack({}, 1, 5000))",
	             "it computes for too long (over 500000 steps)");
	expect_true(h, "return n > 10 and n < 20000");
	host_free(h);
}

static void what_cannot_be_stopped_is_short(void **state)
{
	(void)state;
	struct lua_host *h = safe_host(NULL);
	expect_error(h, "string.format('%q', ('x'):rep(1 << 19))",
	             "'%q' quotes texts of 256 KiB at most");
	expect_error(h, "string.format('%5.1f %q', 1, ('x'):rep(1 << 19))",
	             "'%q' quotes texts of 256 KiB at most");
	expect_true(h, "return #string.format('%q', ('x'):rep(1 << 17)) == (1 << 17) + 2");
	host_free(h);
}

/* Whatever runs and whoever wrote it; how soon does not depend on how much there is to do. */
static void interrupts_end_them(void **state)
{
	(void)state;
	static const struct host_options kinds[] = {{.trusted = true}, {.bytes_max = BYTES}};
	for (size_t i = 0; i < 2 * sizeof endless / sizeof *endless; i++) {
		struct lua_host *h = open_host(&kinds[i % 2]);
		host_interrupt(h);
		expect_error(h, endless[i / 2], "interrupted");
		host_clear_interrupt(h);
		expect_true(h, health);
		host_free(h);
	}
}

static void the_same_call_ends_at_the_same_step(void **state)
{
	(void)state;
	static const char count[] = "n = 0 while true do n = n + 1 if n % 7 == 0 then pcall(error) "
	                            "end if n % 9 == 0 then "
				    "('a'):rep(n):find('a-b') coroutine.wrap(type)(1) end end";
	char results[3][64];
	for (int i = 0; i < 3; i++) {
		struct lua_host *h = safe_host(NULL);
		struct chunk c = {.text = "return n"};
		for (int k = 0; k <= i; k++) {
			expect_error(h, count, "too long");
			assert_true(run_within(h, &c, 0, NULL, NULL));
		}
		memcpy(results[i], c.result, sizeof results[i]);
		host_free(h);
	}
	assert_true(atol(results[0]) > 100);
	assert_string_equal(results[0], results[1]);
	assert_string_equal(results[0], results[2]);
}

/* ---- memory ---- */
static void memory_is_bounded(void **state)
{
	(void)state;
	static const char *const hogs[] = {
		"local t = {} for i = 1, 1 << 40 do t[i] = i end",
		"local t = {} for i = 1, 1 << 40 do t[i] = {i} end",
		"local s = 'x' while true do s = s .. s end",
		"local s = ('x'):rep(1 << 20) s = s .. s .. s",
		"local t, s = {}, ('x'):rep(1 << 16) for i = 1, 1 << 40 do t[i] = s .. i end",
		"local t = {} while true do t[#t + 1] = coroutine.create(type) end",
		"string.rep('x', 1 << 40)",
		"string.rep('x', math.maxinteger)",
		"string.rep('x', 1 << 20, ('y'):rep(1 << 20))",
		"local t, s = {}, ('x'):rep(1 << 20) for i = 1, 3000 do t[i] = s end return "
	        "table.concat(t)",
		"return table.concat(setmetatable({}, {__index = function() return ('x'):rep(1 << "
	        "20) end}), '', 1, 3000)",
		"local t, s = {}, ('x'):rep(1 << 20) for i = 1, 200 do t[i] = s end return "
	        "string.format(('%s'):rep(200), table.unpack(t))",
		"return ('x'):rep(1 << 20):gsub('x', ('y'):rep(1 << 10))",
		"return ('x'):rep(1 << 20):gsub('', function() return ('y'):rep(1 << 16) end)",
		"return string.pack('s', ('x'):rep(1 << 21))",
		"local function f(...) return f(1, ...) end f()",
		"local function f() return 1 + f() end f()",
		"local f = load(function() return 'x = x;' end)",
		"return select('#', table.unpack({}, 1, 1 << 30))",
		"return select('#', ('x'):rep(1 << 20):byte(1, -1))",
		"local t = {} t[1] = t for i = 1, 1 << 40 do t = setmetatable({t}, {__index = t}) "
	        "end",
		"pcall(function() local t = {} for i = 1, 1 << 40 do t[i] = i end end) return "
	        "'caught'",
		"xpcall(function() local t = {} for i = 1, 1 << 40 do t[i] = i end end, function() "
	        "end) return 'caught'",
		"coroutine.resume(coroutine.create(function() local t = {} for i = 1, 1 << 40 do "
	        "t[i] = i end end)) return 'caught'",
		"local x <close> = setmetatable({}, {__close = function() while true do end end}) "
	        "local s = 'x' while true do s = s .. s end",
	};
	for (size_t i = 0; i < sizeof hogs / sizeof *hogs; i++) {
		struct lua_host *h = open_host(
			&(struct host_options){.bytes_max = BYTES, .steps_max = 20000000});
		struct err err;
		if (run(h, hogs[i], &err))
			fail_msg("%s: it ended", hogs[i]);
		if (!strstr(err.msg, "not enough memory: Lua has 32 MiB here") &&
		    !strstr(err.msg, "too large") && !strstr(err.msg, "overflow") &&
		    !strstr(err.msg, "too many results") && !strstr(err.msg, "too long") &&
		    !strstr(err.msg, "MiB at most"))
			fail_msg("%s: '%s' should speak of memory", hogs[i], err.msg);
		expect_true(h, health);
		host_free(h);
	}
}

/* ---- state ---- */
static void shared_tables_stay_as_they_are(void **state)
{
	(void)state;
	static const char *const refused[] = {
		"string.format = function() return 'x' end",
		"math.abs = nil",
		"table.concat = print",
		"string.new = 1",
		"math[1] = 2",
		"coroutine.wrap = nil",
		"utf8.char = nil",
		"string = {}",
		"math = nil",
		"pcall = error",
		"_ENV.tostring = nil",
		"local e = _ENV e.select = 3",
		"rawset(string, 'format', nil)",
		"rawset(math, 1, 1)",
		"table.insert(string, 1)",
		"table.move({1, 2, 3}, 1, 3, 1, math)",
		"table.remove(setmetatable({}, {__index = math}), 1)(1)()",
		"table.sort(string)()",
		"setmetatable(string, {})",
		"setmetatable(_ENV, {})",
		"setmetatable('', {})",
		"getmetatable('').__index = nil",
		"getmetatable('').x = 1",
		"getmetatable(string).__index = {}",
		"for k, v in pairs(string) do string[k] = nil end",
		"local _, t = pairs(string) t.format = nil",
		"local f, t = pairs(math) t[1] = 1",
		"local t = getmetatable('abc') t.__index.format = nil",
		"('').format = 1",
		"('').x.y = 1",
		"local s = '' s.upper = nil",
		"debug.getregistry()",
		"package.loaded.string = nil",
		"_G.string = nil",
		"load('string.format = nil')()",
		"load('string = nil', 'x', 't', _ENV)()",
		"setmetatable({}, {__newindex = string}).format = 1",
		"local t = setmetatable({}, {__newindex = math}) t.abs = 1",
		"setmetatable({}, {__gc = function() while true do end end})",
		"setmetatable({}, {__mode = 'k'})",
		"coroutine.wrap(function() math.abs = 1 end)()",
		"load(function() return string.dump(load) end)()",
		"assert(load('\\27Lua'))",
		"assert(load(string.dump(type), 'x', 'b'))",
		"collectgarbage('stop')",
		"dofile('/etc/passwd')",
		"loadfile('/etc/passwd')()",
		"io.open('/etc/passwd')",
		"os.exit(1)",
		"os.time()",
		"require 'os'",
		"print(1)",
		"warn('@on')",
	};
	struct lua_host *h = safe_host(NULL);
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
		struct err err;
		if (run(h, refused[i], &err))
			fail_msg("%s: nobody objected", refused[i]);
		expect_true(h, health);
	}
	/* The hidden tables keep nothing that the attempts left. */
	expect_true(h, "return string.new == nil and math[1] == nil and ('').x == nil and "
	               "next(string) == nil and #math == 0");
	expect_true(h, "local n = 0 for k, v in pairs(math) do assert(math[k] == v or v ~= v) n = "
	               "n + 1 end return n > 20");
	host_free(h);
}

static void names_of_its_own_are_free(void **state)
{
	(void)state;
	struct lua_host *h = safe_host(NULL);
	expect_true(h, "x = 5 function f() return x end return f() == 5");
	expect_true(h, "x = x + 1 return x == 6 and _ENV.x == 6");
	expect_true(h, "return load('x = 7 return x')() == 7 and x == 7 and load('return y', 'c', "
	               "'t', {y = 3})() == 3");
	expect_true(h, "local t = setmetatable({}, {__index = string}) return t.format('%d', 3) == "
	               "'3' and getmetatable(t).__index == string");
	expect_true(h, "local t = rawset({}, 1, 2) return rawget(t, 1) == 2 and rawlen(t) == 1 and "
	               "rawequal(t, t)");
	expect_error(h, "math.abs = 1", "script:1: abs of math can't be set");
	expect_error(h, "string = 1", "'string' is Lua's own here and can't be set");
	expect_error(h, "setmetatable({}, {__gc = 1})", "no finalizers");
	host_free(h);
}

/* Two hosts with the same script throw the same dice. */
static void dice_are_loaded(void **state)
{
	(void)state;
	char first[128] = "";
	for (int i = 0; i < 4; i++) {
		struct lua_host *h = open_host(&(struct host_options){.trusted = i % 2});
		struct chunk c = {.text = i < 2 ? "return math.random(1 << 50)"
		                                : "math.randomseed() return math.random(1 << 50)"};
		assert_true(run_within(h, &c, 0, NULL, NULL));
		if (!i)
			memcpy(first, c.result, sizeof first);
		assert_string_equal(c.result, first);
		expect_true(h, "math.randomseed(1) local a = math.random(1 << 50) "
		               "math.randomseed(2) local b = math.random(1 << 50) "
		               "math.randomseed(1) return a ~= b and a == math.random(1 << 50)");
		host_free(h);
	}
}

/* ---- require ---- */
static void write_file(const char *folder, const char *name, const char *text)
{
	char path[256];
	snprintf(path, sizeof path, "%s/%s", folder, name);
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void require_stays_in_its_folder(void **state)
{
	(void)state;
	char top[] = "/tmp/cyclops-test-XXXXXX", folder[64], path[128];
	assert_non_null(mkdtemp(top));
	snprintf(folder, sizeof folder, "%s/in", top);
	snprintf(path, sizeof path, "%s/in/sub", top);
	assert_int_equal(mkdir(folder, 0700) + mkdir(path, 0700), 0);
	write_file(top, "out.lua", "return 'outside'");
	write_file(folder, "util.lua", "count = (count or 0) + 1 return {name = ..., n = count}");
	write_file(folder, "sub/deep.lua", "return 'deep'");
	write_file(folder, "silent.lua", "local x = 1");
	write_file(folder, "loop.lua", "return require 'loop'");
	write_file(folder, "bad.lua", "\n\nerror('no luck')");
	write_file(folder, "endless.lua", "while true do end");
	write_file(folder, "wrong.lua", "return return");
	write_file(folder, "byte.lua", "\x1bLua");
	snprintf(path, sizeof path, "%s/link.lua", folder);
	assert_int_equal(symlink("../out.lua", path), 0);
	snprintf(path, sizeof path, "%s/inner.lua", folder);
	assert_int_equal(symlink("util.lua", path), 0);
	snprintf(path, sizeof path, "%s/far", folder);
	assert_int_equal(symlink("..", path), 0);
	snprintf(path, sizeof path, "%s/pipe.lua", folder);
	assert_int_equal(mkfifo(path, 0600), 0);
	snprintf(path, sizeof path, "%s/folder.lua", folder);
	assert_int_equal(mkdir(path, 0700), 0);

	struct lua_host *h = safe_host(folder);
	expect_true(h, "local u = require 'util' return u.n == 1 and u.name == 'util' and require "
	               "'util' == u and count == 1");
	expect_true(h, "return require 'sub.deep' == 'deep' and require 'silent' == true and "
	               "require 'inner'.n == 2");
	expect_error(h, "require 'missing'",
	             "module 'missing' not found: missing.lua: No such file");
	expect_error(h, "require 'link'", "outside the script's folder");
	expect_error(h, "require 'far.out'", "outside the script's folder");
	expect_error(h, "require 'pipe'", "not a file of Lua");
	expect_error(h, "require 'folder'", "not a file of Lua");
	expect_error(h, "require 'loop'", "module 'loop' requires itself");
	expect_error(h, "require 'bad'", "bad.lua:3: no luck");
	expect_error(h, "require 'bad'", "bad.lua:3: no luck");
	expect_error(h, "pcall(require, 'endless') return 1", "too long");
	expect_error(h, "require 'wrong'", "wrong.lua:1:");
	expect_error(h, "require 'byte'", "binary");
	static const char *const names[] = {
		"../out", "..out",    "/etc/passwd", "",  ".",         "util.",      ".util",
		"a..b",   "util\\0x", "sub/deep",    "~", "string\\n", "util.lua/.."};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		char text[64];
		snprintf(text, sizeof text, "require '%s'", names[i]);
		expect_error(h, text, "a module is called as its file");
	}
	static const char *const own[] = {"string", "_G",      "io",       "os",
	                                  "debug",  "package", "coroutine"};
	for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
		char text[64];
		snprintf(text, sizeof text, "require '%s'", own[i]);
		expect_error(h, text, "not found");
	}
	lua_pushinteger(host_state(h), 42);
	host_set_module(host_state(h), "ours");
	expect_true(h, "return require 'ours' == 42");
	host_free(h);
	snprintf(path, sizeof path, "rm -rf %s", top);
	assert_int_equal(system(path), 0);
}

/* ---- errors ---- */
static void errors_are_texts(void **state)
{
	(void)state;
	static const char *const cases[][2] = {
		{"error('plain', 0)", "plain"},
		{"error('placed')", "script:1: placed"},
		{"\n\nerror 'x'", "script:3: x"},
		{"error()", "an error that is not a text (a nil)"},
		{"error({})", "an error that is not a text (a table)"},
		{"error(12)", "12"},
		{"error(1.5)", "1.5"},
		{"error(print)", "(a nil)"},
		{"error(type)", "(a function)"},
		{"error(true)", "(a boolean)"},
		{"error(coroutine.create(type))", "(a thread)"},
		{"error(setmetatable({}, {__tostring = function() return 'my own' end}))",
	         "my own"},
		{"error(setmetatable({}, {__tostring = function() error('worse') end}))", "worse"},
		{"error(setmetatable({}, {__tostring = function() error({}) end}))",
	         "whose __tostring fails"},
		{"error(setmetatable({}, {__tostring = function() return {} end}))",
	         "'__tostring' must return a string"},
		{"error(setmetatable({}, {__name = 'x'}))",
	         "an error that is not a text (a table)"},
		{"x.y = 1", "script:1: attempt to index a nil value (global 'x')"},
		{"return return", "script:1: "},
		{"('x'):rep('y')", "bad argument #1 to 'rep'"},
		{"string.find()", "bad argument #1 to 'find'"},
	};
	struct lua_host *h = safe_host(NULL);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		expect_error(h, cases[i][0], cases[i][1]);
	expect_error(h,
	             "local function inner() error('deep') end\nlocal function outer() inner() "
	             "end\nouter()",
	             "script:1: deep");
	assert_non_null(strstr(host_traceback(h), "script:1: in upvalue 'inner'"));
	assert_non_null(strstr(host_traceback(h), "script:2: in local 'outer'"));
	expect_true(h, "return 1");
	assert_string_equal(host_traceback(h), "");
	host_free(h);
}

/* ---- budgets of calls within calls ---- */
static int call_hook(lua_State *L)
{
	struct chunk c = {.text = luaL_checkstring(L, 1)};
	struct err err;
	if (!run_within(host_of(L), &c, 1000, "hook 3 on commit (lab.lua:12)", &err))
		return luaL_error(L, "%s", err.msg);
	lua_pushstring(L, c.result);
	return 1;
}

static void hooks_have_budgets_of_their_own(void **state)
{
	(void)state;
	static const char late[] =
		"hook 3 on commit (lab.lua:12) took more than lua.hook_budget = 1000 steps";
	static const struct host_options kinds[] = {{.trusted = true},
	                                            {.bytes_max = BYTES, .steps_max = STEPS}};
	for (int i = 0; i < 2; i++) {
		struct lua_host *h = open_host(&kinds[i]);
		lua_getfield(host_state(h), LUA_REGISTRYINDEX, "env");
		lua_pushcfunction(host_state(h), call_hook);
		lua_setfield(host_state(h), -2, "hook");
		lua_pop(host_state(h), 1);
		expect_true(h, "return hook 'return 1 + 1' == '2'");
		expect_error(h, "hook 'while true do end'", late);
		expect_error(h, "hook 'while true do pcall(error) end'", late);
		expect_error(h,
		             "coroutine.wrap(function() hook 'pcall(string.find, (\"a\"):rep(99), "
		             "(\"a*\"):rep(99) .. \"b\")' end)()",
		             late);
		/* Its caller can go on, and a coroutine that calls one keeps its own stack. */
		expect_true(h, "local ok, why = pcall(hook, 'while true do end') for i = 1, 10000 "
		               "do end return not ok and why:find('hook 3')");
		expect_true(h, "local co = coroutine.wrap(function() local a = hook 'return 1' "
		               "coroutine.yield(a) return hook 'return 2' end) "
		               "return co() == '1' and co() == '2'");
		expect_true(h, "return hook 'return hook(\"return 5\")' == '5'");
		if (i) { /* what hooks compute counts for their caller, too */
			expect_error(h, "while true do hook 'return 1' end",
			             "it computes for too long (over 500000 steps)");
			expect_error(h, "for i = 1, 3000 do hook 'for k = 1, 400 do end' end",
			             "it computes for too long (over 500000 steps)");
		}
		expect_true(h, health);
		host_free(h);
	}
}

/* ---- the trusted kind ---- */
static void trusted_hosts_have_it_all(void **state)
{
	(void)state;
	struct lua_host *h = open_host(&(struct host_options){.trusted = true});
	expect_true(h, "return io.open and os.time and debug.traceback and require 'string' == "
	               "string and string.dump(function() end)");
	expect_true(h, "string.mine = 1 x = 5 return ('').mine == 1 and _G.x == 5 and "
	               "setmetatable({}, {__gc = type, __mode = 'k'})");
	expect_true(h, "return debug.sethook == nil and #string.rep('x', 1 << 26) == 1 << 26");
	lua_pushinteger(host_state(h), 42);
	host_set_module(host_state(h), "ours");
	expect_true(h, "return require 'ours' == 42");
	host_free(h);
}

/* ---- as Lua has it ---- */
static const char comparison[] =
	"local theirs, ours = ...\n"
	"local random, pack = math.random, table.pack\n"
	"local function copy(t) local c = {} for i = 1, #t do c[i] = t[i] end return c end\n"
	"local function same(name, t, ...)\n"
	"  local a, b = copy(t), copy(t)\n"
	"  local x, y = pack(pcall(theirs[name], a, ...)), pack(pcall(ours[name], b, ...))\n"
	"  local function differ(what) error(name .. ': ' .. what .. ' ' .. tostring(x[2]) .. ', ' "
        ".. tostring(y[2])) end\n"
	"  if x[1] ~= y[1] or x[1] and x.n ~= y.n then differ('results') end\n"
	"  for i = 2, x.n do\n"
	"    if x[1] and x[i] ~= y[i] and not (x[i] == a and y[i] == b) then differ('result ' .. "
        "i) end end\n"
	"  if x[1] then for i = -5, 60 do if a[i] ~= b[i] then differ('list at ' .. i) end end "
        "end\n"
	"end\n"
	"local values = {nil, 0, 1, 2, 3, -1, 10, 20, 21, 40, 1.5, '2', 'x', math.maxinteger, "
        "math.mininteger}\n"
	"local function any() return values[random(15)] end\n"
	"local function few() return random(-3, 25) end\n"
	"for i = 1, 3000 do\n"
	"  local t = {}\n"
	"  for k = 1, random(0, 20) do t[k] = random(10) end\n"
	"  same('insert', t, any(), 7) same('insert', t, few(), 7) same('insert', t, 7) "
        "same('insert', t) same('insert', t, 1, 2, 3)\n"
	"  same('remove', t, any()) same('remove', t, few()) same('remove', t)\n"
	"  same('concat', t, ',') same('concat', t, any(), few(), few()) same('concat', t)\n"
	"  same('unpack', t, few(), few()) same('unpack', t, any(), few()) same('unpack', t)\n"
	"  same('move', t, few(), few(), few()) same('move', t, few(), few(), any()) same('move', "
        "t, few(), few(), few(), t)\n"
	"  same('move', t, few(), few(), few(), any()) same('sort', t) same('sort', t, any())\n"
	"  same('sort', t, function(a, b) return a > b end) \n"
	"end\n"
	"for _, t in ipairs{{1, 'a'}, {{}, {}}, {3, 1, 2}, {'b', 'a'}} do same('sort', t) "
        "same('concat', t) end\n"
	"for _, n in ipairs{'insert', 'remove', 'concat', 'unpack', 'move', 'sort'} do\n"
	"  for _, v in ipairs{0, 'x', 2, false, {}, type} do assert(pcall(ours[n], v) == "
        "pcall(theirs[n], v), n) end\n"
	"end\n"
	"local t = {} for i = 1, 3000 do t[i] = random(1000) end\n"
	"local p = ours.pack(nil, 2, nil) assert(p.n == 3 and p[1] == nil and p[2] == 2 and "
        "ours.pack().n == 0)\n"
	"ours.sort(t) for i = 2, #t do assert(t[i - 1] <= t[i]) end\n"
	"return true\n";

static void lists_are_as_luas(void **state)
{
	(void)state;
	struct lua_host *h = open_host(&(struct host_options){.trusted = true});
	lua_State *L = host_state(h);
	struct err err;
	assert_int_equal(luaL_loadstring(L, comparison), LUA_OK);
	lua_pushcfunction(L, luaopen_table);
	lua_call(L, 0, 1);
	lua_getglobal(L, "table");
	if (!host_call(h, 2, 0, &err))
		fail_msg("%s", err.msg);
	host_free(h);
}

static void calls_and_coroutines_are_as_luas(void **state)
{
	(void)state;
	static const char *const cases[] = {
		"local t = table.pack(pcall(function(...) return ... end, 1, nil, 3)) return t.n "
	        "== 4 and t[1] == true and t[4] == 3",
		"local ok, e = pcall(error, 'x') return ok == false and e == 'x'",
		"local ok, e = pcall(error) return ok == false and e == nil",
		"return not pcall(pcall) and not pcall(xpcall, type) and not pcall(xpcall)",
		"local t = table.pack(xpcall(function(...) return ... end, type, 1, nil)) return "
	        "t.n == 3 and t[2] == 1",
		"local ok, e = xpcall(error, function(e) return e .. '!' end, 'x') return not ok "
	        "and e == 'x!'",
		"local ok, e = xpcall(function() local x = nil + 1 end, function(e) return #e > 5 "
	        "end) return not ok and e == true",
		"return select('#', xpcall(type, type, 1)) == 2",
		"local co = coroutine.wrap(function() local ok, a = pcall(function() return "
	        "coroutine.yield(1) + coroutine.yield(2) end) "
		"coroutine.yield(a) return 'end' end) return co() == 1 and co(10) == 2 and co(20) "
	        "== 30 and co() == 'end'",
		"local co = coroutine.create(function() xpcall(function() coroutine.yield(1) "
	        "error('x') end, function(e) h = e return e end) "
		"return h end) coroutine.resume(co) local ok, e = coroutine.resume(co) return ok "
	        "and e:find('x')",
		"local co = coroutine.create(function(...) local a = coroutine.yield(...) "
	        "error({a}) end) "
		"local t = table.pack(coroutine.resume(co, 1, nil, 3)) local ok, e = "
	        "coroutine.resume(co, 'z') "
		"return t.n == 4 and t[4] == 3 and not ok and e[1] == 'z' and coroutine.status(co) "
	        "== 'dead' and not coroutine.resume(co)",
		"return not coroutine.resume(coroutine.running())",
		"local ok, e = pcall(coroutine.wrap(function() error('inside') end)) return not ok "
	        "and e:find('inside')",
		"local log = '' local co = coroutine.wrap(function() local x <close> = "
	        "setmetatable({}, {__close = function(_, e) log = log .. 'c' end}) "
		"error('e') end) local ok = pcall(co) return not ok and log == 'c'",
		"local log = '' local co = coroutine.create(function() local x <close> = "
	        "setmetatable({}, {__close = function() log = log .. 'c' end}) "
		"coroutine.yield() end) coroutine.resume(co) return coroutine.close(co) and log == "
	        "'c' and coroutine.status(co) == 'dead'",
		"return coroutine.isyieldable() == false and "
	        "coroutine.wrap(coroutine.isyieldable)()",
		"return ('ab'):rep(3, '-') == 'ab-ab-ab' and ('x'):rep(0) == '' and ('x'):rep(-1) "
	        "== '' and (''):rep(1 << 60) == '' and ('a'):rep(1, 'b') == 'a'",
		"return utf8.char(228, 8364) == 'ä€' and utf8.len('ä€') == 2 and "
	        "string.unpack('<i4', string.pack('<i4', -5)) == -5",
		"local n = 0 for _, c in utf8.codes('ä€') do n = n + c end return n == 228 + 8364",
		"return string.format('%5.2f|%-4d|%s|%q', 1.239, 7, 'x', 'a\"b') == ' 1.24|7   "
	        "|x|\"a\\\\\"b\"'",
		"return load('return 1 + 1')() == 2 and select(2, load('return +')) ~= nil and "
	        "load(coroutine.wrap(function() "
		"coroutine.yield 'return ' coroutine.yield '7' end))() == 7",
	};
	static const struct host_options kinds[] = {{.trusted = true},
	                                            {.bytes_max = BYTES, .steps_max = STEPS}};
	for (int i = 0; i < 2; i++) {
		struct lua_host *h = open_host(&kinds[i]);
		for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
			expect_true(h, cases[k]);
		host_free(h);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(endless_scripts_run_out_of_steps),
		cmocka_unit_test(errors_deep_down_cost_steps),
		cmocka_unit_test(many_arguments_cost_steps),
		cmocka_unit_test(what_cannot_be_stopped_is_short),
		cmocka_unit_test(interrupts_end_them),
		cmocka_unit_test(the_same_call_ends_at_the_same_step),
		cmocka_unit_test(memory_is_bounded),
		cmocka_unit_test(shared_tables_stay_as_they_are),
		cmocka_unit_test(names_of_its_own_are_free),
		cmocka_unit_test(dice_are_loaded),
		cmocka_unit_test(require_stays_in_its_folder),
		cmocka_unit_test(errors_are_texts),
		cmocka_unit_test(hooks_have_budgets_of_their_own),
		cmocka_unit_test(trusted_hosts_have_it_all),
		cmocka_unit_test(lists_are_as_luas),
		cmocka_unit_test(calls_and_coroutines_are_as_luas),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
