-- Plug-ins in Lua: equal to the built-in ones, right in the past, and reported when they keep state
-- or break something.
local check = require "check"
local PLUGINS = "demos/plugins/"
local SMALL = { ["l1d.size"] = 1024, ["l1d.ways"] = 4, ["l1i.size"] = 2048, ["l2.size"] = "16K" }
local scale = os.getenv "CYCLOPS_TEST_SCALE"
local small = scale == "small"
local PROGRAMS = small and { "longjmp" } or { "branchy", "longjmp", scale == "long" and "matmul"
	or nil }

local function open(program, t, set)
	local all = {}
	for name, value in pairs(SMALL) do
		all[name] = value
	end
	for name, value in pairs(set or {}) do
		all[name] = value
	end
	t.program, t.set = "build/demos/" .. program, all
	return cyclops.machine(t)
end

-- ---- equal to the built-in ones, statistic by statistic ----
local function same(a, b, what)
	repeat
		a:step(20000)
		b:step(20000)
		check.eq(a.cycle, b.cycle, what .. ": cycles")
	until a.status ~= "running" or b.status ~= "running"
	check.eq(b.status, "exited", what)
	for _, name in ipairs(cyclops.stats()) do
		local has, value = pcall(a.eval, a, name)
		if has then
			check.eq(b:eval(name), value, what .. ": " .. name)
		end
	end
end

local function text(path)
	local f = assert(io.open(path))
	local s = f:read "a"
	f:close()
	return s
end

for _, program in ipairs(PROGRAMS) do
	same(open(program, {}, { ["bpred.kind"] = "gshare", ["bpred.update"] = "commit" }),
		open(program, { predictor = PLUGINS .. "gshare.lua" },
		{ ["bpred.update"] = "commit" }), program .. ", gshare")
	same(open(program, {}),
		open(program,
		{ replacement = { l1i = PLUGINS .. "lru.lua", l1d = text(PLUGINS .. "lru.lua"),
		l2 = PLUGINS .. "lru.lua" } }), program .. ", LRU")
end
for _, cache in ipairs{ "l1i", "l1d", "l2" } do
	local program, args = "matmul", { "10" }
	if small then program, args = "longjmp", nil end
	same(open(program, { args = args }, { [cache .. ".prefetch"] = "next-line" }),
		open(program,
		{ args = args, prefetcher = { [cache] = PLUGINS .. "next_line.lua" } }),
		cache .. ", next line")
end

-- ---- the past ----
local function everything()
	return open("longjmp", { predictor = PLUGINS .. "perceptron.lua",
		replacement = { l1d = PLUGINS .. "srrip.lua", l2 = PLUGINS .. "srrip.lua" },
		prefetcher = PLUGINS .. "next_line.lua" },
		{ ["bpred.history"] = 24, ["lsq.speculate"] = true })
end
local walker, seen = everything(), {}
walker:run()
check.eq(walker.status, "exited")
local last = walker.cycle
check.ok(walker.bpred.mispredicts > 10 and walker.l1d.prefetches > 10 and last > 3000,
	"something happens")
math.randomseed(4711)
for _ = 1, small and 15 or 60 do
	if math.random(3) == 1 then
		walker:back(math.random(200))
	else
		walker:go(math.random(0, last))
	end
	seen[walker.cycle] = walker:hash()
end
local forward = everything()
for cycle = 0, last do
	if seen[cycle] then
		forward:go(cycle)
		check.eq(forward:hash(), seen[cycle], "cycle " .. cycle)
	end
end

-- Two machines by turns, with one host each; and a view's calls change nothing.
local a, b = everything(), everything()
while a.status == "running" do
	a:step(2777)
	check.says(a:cmd "view bpred main", "taken")
	b:step(2777)
	check.eq(a:hash(), b:hash(), "by turns")
end

-- ---- failures ----
local function broken(option, plugin, what)
	local m = open("matmul", { [option] = plugin }, { ["lua.hook_budget"] = 100000 })
	m:run()
	check.eq(m.status, "broken", what)
	check.says(m.failure, what)
	check.says(m.failure, " failed in cycle " .. m.cycle - 1 .. ": ")
	check.fails(function() m:run() end, m.failure)
	local cycle, failure = m.cycle, m.failure
	m:back(10)
	check.eq(m.status, "running")
	check.eq(m.failure, nil)
	m:run()
	check.eq(m.cycle, cycle)
	check.eq(m.failure, failure)
	return failure
end
local function predict(body, before)
	return (before or "") .. "\nreturn { state = { t = { 4, bits = 2 }, u = { 2, bits = 3, signed = true } },\npredict = function(s, pc, history) "
		.. body .. " end }"
end
local DECLARE = "what a plug-in keeps is declared, state = {"

check.says(broken("predictor", predict "error 'no'", ":3: no"),
	"the branch predictor, a text, failed in cycle ")
broken("predictor", predict "error({})", "an error that is not a text")
broken("predictor", predict "return 1",
	"a text:3: predict returned a number; expected true, taken, or false")
broken("predictor", predict "", "predict returned nothing")
broken("predictor", predict "while true do end",
	"predict took more than lua.hook_budget = 100000 steps")
broken("predictor", predict "while true do pcall(error) end",
	"predict took more than lua.hook_budget = 100000 steps")
broken("predictor", predict "local t = {} while true do t[#t + 1] = ('x'):rep(1 << 20) end", "")
broken("predictor", predict "return s.t[4] == 0", "t[4]: its entries are 0 to 3")
broken("predictor", predict "return s.t[-1] == 0", "t[-1]: its entries are 0 to 3")
broken("predictor", predict "return s.t.x == 0", "t[x]: a whole number is needed")
broken("predictor", predict "return s.tt[0] == 0", "state has no table 'tt'")
broken("predictor", predict "s.t[0] = 1 return true", "predict can't change t")
broken("predictor", predict "s.t:add(0, 1) return true", "predict can't change t")
broken("predictor", predict "s.x = 1 return true", "s.x can't be set")
broken("predictor", predict "return nothing.x", "nothing")

-- Keeping something.
broken("predictor", predict("n = 1 return true"), "the global 'n' can't be set: " .. DECLARE)
broken("predictor", predict("math.n = 1 return true"), "'n' can't be set")
broken("predictor", predict("string.n = 1 return true"), "'n' can't be set")
broken("predictor", predict("n = n + 1 return true", "local n = 0"),
	"a text:3: predict changed 'n', which stands outside of it: " .. DECLARE)
broken("predictor", predict("n = n + 0.0 return true", "local n = 1"), "changed 'n'")
broken("predictor", predict("n = -n return true", "local n = 0.0"), "changed 'n'")
broken("predictor", predict("n = {} return true", "local n"), "changed 'n'")
broken("predictor", predict("n[1] = 2 return true", "local n = {1}"),
	"'1' can't be set in a table from outside the function: " .. DECLARE)
broken("predictor", predict("n.m.x = 2 return true", "local n = {m = {}}"), "'x' can't be set")
broken("predictor", predict("table.insert(n, 1) return true", "local n = {}"), "'1' can't be set")
broken("predictor",
	predict("return f()", "local n = 0 local function f() n = n + 1 return true end"),
	"changed 'n'")
broken("predictor",
	predict("return P.f()", "local n = 0 local P = {f = function() n = n + 1 return true end}"),
	"changed 'n'")
broken("predictor", predict("kept = s return true", "local kept"), "changed 'kept'")
broken("predictor", predict("kept = function() end return true", "local kept"), "changed 'kept'")
broken("predictor", predict("_ENV = {} return true"), "changed '_ENV'")

-- Sources of differences between runs.
broken("predictor", predict("for k in pairs({}) do end return true"),
	"pairs and next have another order in every run")
broken("predictor", predict("return next({}) == nil"), "another order in every run")
broken("predictor", predict("return math.random() < 0.5"), "math.random is not the same")
broken("predictor", predict("return tostring({}) < 'x'"),
	"a table has no text that is the same in every run")
broken("predictor", predict("return ('%s'):format(print or s) < 'x'"),
	"has no text that is the same in every run")
broken("predictor", predict("return ('%-20p'):format('x') < 'x'"),
	"%p is not the same in every run")
broken("predictor", predict("return io.open('x')"), "io")
broken("predictor", predict("return os.time() > 0"), "os")
broken("predictor", predict("return setmetatable({}, {})"), "setmetatable")
broken("predictor", predict("return load('return true')()"), "load")
broken("predictor", predict("return coroutine.wrap(function() end)"), "coroutine")
broken("predictor", predict("return ('x'):gmatch('x')"), "gmatch")

-- update, victim, used, access.
local function update(body)
	return "return { state = { t = { 4, bits = 2 }, u = { 2, bits = 3, signed = true }, w = " ..
		"{ 1 } },\n"
		.. "predict = function() return true end, update = function(s, pc, taken, " ..
			"history, predicted) " .. body .. " end }"
end
broken("predictor", update "s.t[0] = 4", "t[0] = 4: an entry holds 0 to 3; t:add(i, n) stops there")
broken("predictor", update "s.u[1] = -5", "u[1] = -5: an entry holds -4 to 3")
broken("predictor", update "s.t[0] = 1.5", "t: entries are whole numbers, not 1.5")
broken("predictor", update "s.t[0] = '1'", "t: entries are whole numbers, not 1")
broken("predictor", update "s.t:add(0, nil)", "t: entries are whole numbers, not nil")
broken("predictor",
	update "error(math.type(pc) .. type(taken) .. math.type(history) .. type(predicted))",
	"integerbooleanintegerboolean")
broken("predictor", update "error(s.t:add(1, 9) .. s.t:add(1, -2) .. s.t[1] .. s.t:add(1, -9) .. s.u:add(0, -9) .. s.w:add(0, math.mininteger) .. s.w:add(0, -1) .. #s.t)",
	"3110-4" .. math.mininteger .. math.mininteger .. "4")
local function policy(body, used)
	return "return {\nvictim = function(s, set, ways) " .. body ..
		" end, used = function(s, set, way, fill) " .. (used or "") .. " end }"
end
broken("replacement", policy "return 4",
	"a text:2: victim returned 4; expected a way from 0 to 3")
broken("replacement", policy "return -1", "victim returned -1; expected a way from 0 to 3")
broken("replacement", policy "return 0.5", "victim returned 0.5")
broken("replacement", policy "return 'x'",
	"victim returned a string; expected the number of a way, from 0")
broken("replacement", policy("return 0", "error(way .. tostring(fill))"), "0true")
broken("replacement", policy "error(ways.n .. type(ways[3].dirty) .. tostring(ways[3].used >= ways[3].inserted) .. ways[0].addr % 32)", "4booleantrue0")
check.says(broken("replacement", policy "return nil", "victim returned nothing"),
	"the replacement policy of L1D, a text, failed in cycle ")
local function access(body)
	return "return {\naccess = function(s, a) " .. body .. " end }"
end
broken("prefetcher", access "return 'x'",
	"a text:2: access returned string; expected numbers of lines")
broken("prefetcher", access "return -5", "access returned -5; expected numbers of lines")
broken("prefetcher", access "return a.line, nil, 7", "access returned nil; expected numbers")
broken("prefetcher", access "return a.line + 0.5", "expected numbers of lines")
broken("prefetcher", access "return 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17",
	"access returned 17 lines; expected at most 16")
broken("prefetcher", access "error(tostring(a.addr // 32 == a.line and a.line % 8 == a.set) .. type(a.hit) .. type(a.prefetched) .. type(a.store) .. math.type(a.pc))",
	"truebooleanbooleanbooleaninteger")
broken("prefetcher", "local n = 1\n" .. access "n = n + 1", "access changed 'n'")

-- Fields that arguments do not have.
local FIELDS = "it has pc, addr, line, set, cycle, hit, prefetched, store"
broken("prefetcher", access "return a.lines", "a text:2: a has no field 'lines'; " .. FIELDS)
broken("prefetcher", access "a.kept = 1", "a text:2: a has no field 'kept'; " .. FIELDS)
broken("prefetcher", access "a.hit = not a.hit error(tostring(a.hit))", "")
broken("replacement", policy "return ways[5]", "there is no ways[5]; expected ways[0] to ways[3]")
broken("replacement", policy "return ways.count",
	"a text:2: ways has no field 'count'; it has n")
broken("replacement", policy "return ways[0].lru",
	"ways[way] has no field 'lru'; it has addr, used, inserted, dirty")
broken("replacement", policy "local n = 0 for _ in ipairs(ways) do n = n + 1 end error(n .. '!')",
	"3!")
broken("predictor", predict "return true end, fetched = function(s, b, h) return b.target",
	"b has no field 'target'; it has pc, branch, indirect, call, returns, taken, next, predicted")
broken("predictor", "return {\npredict = function(s, pc, bits, h) return h.bit end }",
	"h has no field 'bit'; it has bits, fold, path_bits, path_fold")

-- A plug-in may keep constants, helpers and libraries.
local fine = open("hello", { predictor = [[
local floor, ipairs, format = math.floor, ipairs, string.format
local weights <const> = { 1, 2, { 3, n = 4 } }
local function sum(t) local n = 0 for _, v in ipairs(t) do if type(v) == "number" then n = n + v end end return n end
local P = { description = "x" }
function P.predict(s, pc, history)
	assert(sum(weights) == 3 and #weights == 3 and #weights[3] == 1 and weights[3].n == 4 and floor(1.5) == 1)
	assert(format("%5.1f|%s", 1, "x") == "  1.0|x" and ("x"):upper() == "X" and table.concat({ 1, 2 }) == "12")
	assert(P.description == "x" and tostring(1) == "1")
	return true
end
return P
]] })
fine:run()
check.eq(fine.failure, nil)
check.eq(fine.status, "exited")

-- ---- files that are no plug-ins ----
local function refused(option, plugin, what)
	check.fails(function() open("hello", { [option] = plugin }) end, what)
end
refused("predictor", "nowhere.lua", "cannot open nowhere.lua")
refused("predictor", "return {\n", "a text:2: ")
refused("predictor", "\nreturn 1", "a plug-in returns a table with predict, target, victim, access, flag or take, this one returns a number")
refused("predictor", "\nreturn {}", "here is none of them")
refused("predictor", "\nreturn { predict = 1 }", "predict is a function, not a number")
refused("predictor", "\nreturn { predict = function() end, victim = function() end }",
	"it has both predict and victim")
refused("predictor", "\nreturn { predict = function() end, upate = function() end }",
	"a plug-in has no 'upate': did you mean 'update'?")
refused("predictor", "\nreturn { predict = function() end, used = function() end }",
	"a plug-in has no 'used'")
refused("predictor", "\nreturn { predict = function() end, 1 }", "a plug-in has no '1'")
refused("predictor", "\nwhile true do end", "computes for too long")
refused("predictor", "\nx = 1", "the global 'x' can't be set")
refused("predictor", policy "return 0", "a text is a plug-in with victim, which is for l1i.replacement, l1d.replacement or l2.replacement, not for 'bpred.kind'")
refused("prefetcher", { l1d = predict "return true" },
	"which is for bpred.kind, not for 'l1d.prefetch'")
refused("prefetcher", { l3 = predict "return true" }, "prefetcher has no 'l3'")
refused("predictor", { predict = function() end },
	"a FILE.lua, or its text, is needed, not a table: a plug-in has its own Lua state")
refused("predictor", 5.5, "a FILE.lua, or its text, is needed, not a number")
local function state(t)
	return "\nreturn { predict = function() return true end, state = " .. t .. " }"
end
refused("predictor", state "1", "state is a table of tables")
refused("predictor", state "{ 1 }", "a table of state needs a name")
refused("predictor", state "{ t = 1 }", "state.t: expected { ENTRIES, bits = 2 }, not a number")
refused("predictor", state "{ t = {} }", "state.t has nil entries; expected 1 to 4194304")
refused("predictor", state "{ t = { 0 } }", "state.t has 0 entries")
refused("predictor", state "{ t = { 1 << 23 } }", "state.t has 8388608 entries")
refused("predictor", state "{ t = { 4, bits = 65 } }", "state.t: bits = 65; expected 1 to 64")
refused("predictor", state "{ t = { 4, bits = 'x' } }", "state.t: bits = x; expected 1 to 64")
refused("predictor", state "{ t = { 4, 5 } }", "state.t: expected { ENTRIES, bits = 1..64")
refused("predictor", state "{ t = { 4, bit = 2 } }", "state.t: expected { ENTRIES, bits = 1..64")
refused("predictor", state "{ t = { 4, bits = 2, init = 4 } }",
	"table 't' begins with 4: its entries hold 0 to 3")
refused("predictor", state "{ t = { 4, bits = 2, init = {} } }",
	"init is a whole number, or a list of at most 4")
refused("predictor", state "{ t = { 4, bits = 2, init = {0, 1, 2, 3, 0} } }", "a list of at most 4")
refused("predictor", state "{ t = { 4, init = 1.5 } }", "t: entries are whole numbers, not 1.5")
refused("predictor", state ("{ " .. ("x"):rep(48) .. " = { 4 } }"),
	"a name has at most 47 characters")
local many = {}
for i = 1, 17 do
	many[i] = ("t%d = { 1 }"):format(i)
end
refused("predictor", state("{ " .. table.concat(many, ", ") .. " }"),
	"state has too many tables; expected at most 16")
refused("predictor", "\nlocal it = ('x').rep local s, f = ipairs({}) return { predict = function() return s, f, it end, state = { t = { 4, init = { 'x' } } } }",
	"entries are whole numbers")
check.fails(function() open("hello", {}, { ["bpred.kind"] = "external" }) end,
	"no plug-in was given for the branch predictor")

check.done()
