/* The Lua host: parts unchanged from Lua, errors as texts, budgets of calls within calls. */
#include "tests/unit/scripting/host_fixture.h"

/* ---- errors ---- */
TEST(errors_are_texts)
{
	static const char *const cases[][2] = {
		{"error('plain', 0)", "plain"},
		{"error('placed')", "script:1: placed"},
		{"\n\nerror 'x'", "script:3: x"},
		{"error()", "an error that is not a text (nothing)"},
		{"error({})", "an error that is not a text (a table)"},
		{"error(12)", "12"},
		{"error(1.5)", "1.5"},
		{"error(print)", "(nothing)"},
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
		host_fixture_expect_error(h, cases[i][0], cases[i][1]);
	host_fixture_expect_error(
		h,
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

TEST(hooks_have_budgets_of_their_own)
{
	static const char late[] =
		"hook 3 on commit (lab.lua:12) took more than lua.hook_budget = 1000 steps";
	static const struct host_options kinds[] = {{.trusted = true},
	                                            {.bytes_max = BYTES, .steps_max = STEPS}};
	for (int i = 0; i < 2; i++) {
		struct lua_host *h = host_fixture_open_host(&kinds[i]);
		lua_getfield(host_state(h), LUA_REGISTRYINDEX, "env");
		lua_pushcfunction(host_state(h), call_hook);
		lua_setfield(host_state(h), -2, "hook");
		lua_pop(host_state(h), 1);
		expect_true(h, "return hook 'return 1 + 1' == '2'");
		host_fixture_expect_error(h, "hook 'while true do end'", late);
		host_fixture_expect_error(h, "hook 'while true do pcall(error) end'", late);
		host_fixture_expect_error(
			h,
			"coroutine.wrap(function() hook 'pcall(string.find, (\"a\"):rep(99), "
			"(\"a*\"):rep(99) .. \"b\")' end)()",
			late);
		/* A hook's caller can continue, and a coroutine that calls a hook keeps its own
		 * stack. */
		expect_true(h, "local ok, why = pcall(hook, 'while true do end') for i = 1, 10000 "
		               "do end return not ok and why:find('hook 3')");
		expect_true(h, "local co = coroutine.wrap(function() local a = hook 'return 1' "
		               "coroutine.yield(a) return hook 'return 2' end) "
		               "return co() == '1' and co() == '2'");
		expect_true(h, "return hook 'return hook(\"return 5\")' == '5'");
		if (i) { /* steps of hooks also count for their caller */
			host_fixture_expect_error(h, "while true do hook 'return 1' end",
			                          "it computes for too long (over 500000 steps)");
			host_fixture_expect_error(
				h, "for i = 1, 3000 do hook 'for k = 1, 400 do end' end",
				"it computes for too long (over 500000 steps)");
		}
		expect_true(h, health);
		host_free(h);
	}
}

/* ---- the trusted kind ---- */
TEST(trusted_hosts_have_it_all)
{
	struct lua_host *h = host_fixture_open_host(&(struct host_options){.trusted = true});
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

/* ---- unchanged from Lua ---- */
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

TEST(lists_are_as_luas)
{
	struct lua_host *h = host_fixture_open_host(&(struct host_options){.trusted = true});
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

TEST(calls_and_coroutines_are_as_luas)
{
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
		struct lua_host *h = host_fixture_open_host(&kinds[i]);
		for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
			expect_true(h, cases[k]);
		host_free(h);
	}
}
