/* The Lua host: limits on scripts that run for ever, use much memory or try to reach the host. */
#include "tests/unit/scripting/host_fixture.h"

/* ---- endless scripts ---- */
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

TEST(endless_scripts_run_out_of_steps)
{
	for (size_t i = 0; i < sizeof endless / sizeof *endless; i++) {
		struct lua_host *h = safe_host(NULL);
		host_fixture_expect_error(h, endless[i],
		                          "it computes for too long (over 500000 steps)");
		expect_true(h, health);
		host_free(h);
	}
}

/* Lua visits each call above a caught error, which costs steps: 500,000 steps end long before the
 * 40,000 calls that they would otherwise allow. */
TEST(errors_deep_down_cost_steps)
{
	static const char *const catches[] = {"pcall(error)", "xpcall(error, type)"};
	for (size_t i = 0; i < 2; i++) {
		struct lua_host *h = safe_host(NULL);
		char text[160];
		snprintf(text, sizeof text,
		         "n = 0 local function f() n = n + 1 %s %s return 1 + f() end f()",
		         catches[i], catches[i]);
		host_fixture_expect_error(h, text, "it computes for too long (over 500000 steps)");
		expect_true(h, "return n > 1000 and n < 4000");
		host_free(h);
	}
}

/* `...` copies all its values in one VM instruction; it is charged for each value. */
TEST(many_arguments_cost_steps)
{
	struct lua_host *h = safe_host(NULL);
	host_fixture_expect_error(
		h,
		"n = 0 local function f(...) while true do n = n + 1 local a = ... end end "
		"f(table.unpack({}, 1, 5000))",
		"it computes for too long (over 500000 steps)");
	expect_true(h, "return n > 10 and n < 20000");
	host_free(h);
}

TEST(what_cannot_be_stopped_is_short)
{
	struct lua_host *h = safe_host(NULL);
	host_fixture_expect_error(h, "string.format('%q', ('x'):rep(1 << 19))",
	                          "'%q' quotes texts of 256 KiB at most");
	host_fixture_expect_error(h, "string.format('%5.1f %q', 1, ('x'):rep(1 << 19))",
	                          "'%q' quotes texts of 256 KiB at most");
	expect_true(h, "return #string.format('%q', ('x'):rep(1 << 17)) == (1 << 17) + 2");
	host_free(h);
}

/* For any script; the time to the end does not depend on the amount of work. */
TEST(interrupts_end_them)
{
	static const struct host_options kinds[] = {{.trusted = true}, {.bytes_max = BYTES}};
	for (size_t i = 0; i < 2 * sizeof endless / sizeof *endless; i++) {
		struct lua_host *h = host_fixture_open_host(&kinds[i % 2]);
		host_interrupt(h);
		host_fixture_expect_error(h, endless[i / 2], "interrupted");
		host_clear_interrupt(h);
		expect_true(h, health);
		host_free(h);
	}
}

TEST(the_same_call_ends_at_the_same_step)
{
	static const char count[] = "n = 0 while true do n = n + 1 if n % 7 == 0 then pcall(error) "
	                            "end if n % 9 == 0 then "
				    "('a'):rep(n):find('a-b') coroutine.wrap(type)(1) end end";
	char results[3][64];
	for (int i = 0; i < 3; i++) {
		struct lua_host *h = safe_host(NULL);
		struct chunk c = {.text = "return n"};
		for (int k = 0; k <= i; k++) {
			host_fixture_expect_error(h, count, "too long");
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
TEST(test_host_memory_is_bounded)
{
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
		struct lua_host *h = host_fixture_open_host(
			&(struct host_options){.bytes_max = BYTES, .steps_max = 20000000});
		struct err err;
		if (host_fixture_run_chunk(h, hogs[i], &err))
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
TEST(shared_tables_stay_as_they_are)
{
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
		if (host_fixture_run_chunk(h, refused[i], &err))
			fail_msg("%s: expected a refusal", refused[i]);
		expect_true(h, health);
	}
	/* The attempts left nothing in the hidden tables. */
	expect_true(h, "return string.new == nil and math[1] == nil and ('').x == nil and "
	               "next(string) == nil and #math == 0");
	expect_true(h, "local n = 0 for k, v in pairs(math) do assert(math[k] == v or v ~= v) n = "
	               "n + 1 end return n > 20");
	host_free(h);
}

TEST(names_of_its_own_are_free)
{
	struct lua_host *h = safe_host(NULL);
	expect_true(h, "x = 5 function f() return x end return f() == 5");
	expect_true(h, "x = x + 1 return x == 6 and _ENV.x == 6");
	expect_true(h, "return load('x = 7 return x')() == 7 and x == 7 and load('return y', 'c', "
	               "'t', {y = 3})() == 3");
	expect_true(h, "local t = setmetatable({}, {__index = string}) return t.format('%d', 3) == "
	               "'3' and getmetatable(t).__index == string");
	expect_true(h, "local t = rawset({}, 1, 2) return rawget(t, 1) == 2 and rawlen(t) == 1 and "
	               "rawequal(t, t)");
	host_fixture_expect_error(h, "math.abs = 1", "script:1: abs of math can't be set");
	host_fixture_expect_error(h, "string = 1", "'string' is Lua's own here and can't be set");
	host_fixture_expect_error(h, "setmetatable({}, {__gc = 1})", "no finalizers");
	host_free(h);
}

/* Two hosts with the same script draw the same random numbers. */
TEST(dice_are_loaded)
{
	char first[128] = "";
	for (int i = 0; i < 4; i++) {
		struct lua_host *h =
			host_fixture_open_host(&(struct host_options){.trusted = i % 2});
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
static void host_write_module_file(const char *folder, const char *name, const char *text)
{
	char path[256];
	snprintf(path, sizeof path, "%s/%s", folder, name);
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

TEST(require_stays_in_its_folder)
{
	char top[] = "/tmp/cyclops-test-XXXXXX", folder[64], path[128];
	assert_non_null(mkdtemp(top));
	snprintf(folder, sizeof folder, "%s/in", top);
	snprintf(path, sizeof path, "%s/in/sub", top);
	assert_int_equal(mkdir(folder, 0700) + mkdir(path, 0700), 0);
	host_write_module_file(top, "out.lua", "return 'outside'");
	host_write_module_file(folder, "util.lua",
	                       "count = (count or 0) + 1 return {name = ..., n = count}");
	host_write_module_file(folder, "sub/deep.lua", "return 'deep'");
	host_write_module_file(folder, "silent.lua", "local x = 1");
	host_write_module_file(folder, "loop.lua", "return require 'loop'");
	host_write_module_file(folder, "bad.lua", "\n\nerror('no luck')");
	host_write_module_file(folder, "endless.lua", "while true do end");
	host_write_module_file(folder, "wrong.lua", "return return");
	host_write_module_file(folder, "byte.lua", "\x1bLua");
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
	host_fixture_expect_error(h, "require 'missing'",
	                          "module 'missing' not found: missing.lua: No such file");
	host_fixture_expect_error(h, "require 'link'", "outside the script's folder");
	host_fixture_expect_error(h, "require 'far.out'", "outside the script's folder");
	host_fixture_expect_error(h, "require 'pipe'", "not a file of Lua");
	host_fixture_expect_error(h, "require 'folder'", "not a file of Lua");
	host_fixture_expect_error(h, "require 'loop'", "module 'loop' requires itself");
	host_fixture_expect_error(h, "require 'bad'", "bad.lua:3: no luck");
	host_fixture_expect_error(h, "require 'bad'", "bad.lua:3: no luck");
	host_fixture_expect_error(h, "pcall(require, 'endless') return 1", "too long");
	host_fixture_expect_error(h, "require 'wrong'", "wrong.lua:1:");
	host_fixture_expect_error(h, "require 'byte'", "binary");
	static const char *const names[] = {
		"../out", "..out",    "/etc/passwd", "",  ".",         "util.",      ".util",
		"a..b",   "util\\0x", "sub/deep",    "~", "string\\n", "util.lua/.."};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		char text[64];
		snprintf(text, sizeof text, "require '%s'", names[i]);
		host_fixture_expect_error(h, text, "a module is called as its file");
	}
	static const char *const own[] = {"string", "_G",      "io",       "os",
	                                  "debug",  "package", "coroutine"};
	for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
		char text[64];
		snprintf(text, sizeof text, "require '%s'", own[i]);
		host_fixture_expect_error(h, text, "not found");
	}
	lua_pushinteger(host_state(h), 42);
	host_set_module(host_state(h), "ours");
	expect_true(h, "return require 'ours' == 42");
	host_free(h);
	snprintf(path, sizeof path, "rm -rf %s", top);
	assert_int_equal(system(path), 0);
}
