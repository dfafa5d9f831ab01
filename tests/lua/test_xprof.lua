-- The module cyclops.xprof: methods and their flags, patches, hot methods, windows, thresholds, and
-- how profiles are compared.
local check = require "check"
local triggers = require "cyclops.triggers"
local xprof = require "cyclops.xprof"

local function open(t)
	t = t or {}
	t.program = "build/tests/lua/xprof"
	return cyclops.machine(t)
end

-- Number i of an array of the program. h8 counts in counts[8], of type 0, and in counts[9], of type
-- 2.
local function calls(m, i)
	return m.mem:u64(m.calls + 8 * i)
end
local function counts(m, i)
	return m.mem:u64(m.counts + 8 * i)
end

local function arrays(m)
	local list = {}
	for i = 1, 9 do
		list[#list + 1] = calls(m, i) .. "/" .. counts(m, i)
	end
	return table.concat(list, " ")
end

-- ---- methods ----
do
	local m <close> = open()
	local x = xprof.new(m)
	local methods = x:methods()
	check.eq(#methods, 8, "h9 and start have no flag; methods")
	for i, f in ipairs(methods) do
		check.eq(f.name, "h" .. i)
		check.eq(f.addr, m["h" .. i])
		check.eq(#f.flags, i == 8 and 2 or 1)
		check.eq(f.flags[1].type, i == 7 and 2 or 0)
		check.eq(f.flags[1].addr, f.addr + (i == 7 and 4 or 2))
	end
	check.eq(methods[8].flags[2].type, 2)
	check.eq(methods[8].flags[2].addr, m.h8 + 4)
	methods[1].flags[1].addr = 0
	check.eq(x:methods()[1].flags[1].addr, m.h1 + 2, "what was given is a copy:")
end

-- ---- on and off ---- The running counters if these are switched on from the beginning.
local function counted(switch)
	local m <close> = open()
	local x = xprof.new(m)
	local n = switch(x)
	m:run()
	check.eq(m.status, "exited")
	local list = {}
	for i = 1, 9 do
		local all = calls(m, math.min(i, 8))
		check.ok(counts(m, i) == 0 or counts(m, i) == all, "all or nothing: " .. i)
		list[#list + 1] = counts(m, i) > 0 and i or nil
	end
	return n .. ": " .. table.concat(list, " ")
end

check.eq(counted(function() return 0 end), "0: ")
check.eq(counted(function(x) return x:on() end), "9: 1 2 3 4 5 6 7 8 9")
check.eq(counted(function(x) return x:on("all", 0) end), "7: 1 2 3 4 5 6 8")
check.eq(counted(function(x) return x:on(nil, 2) end), "2: 7 9")
check.eq(counted(function(x) return x:on({ "h2", "h8" }) end), "3: 2 8 9")
check.eq(counted(function(x) return x:on({ "h2", "h7" }, 2) end), "1: 7")
check.eq(counted(function(x) return x:on({ "h2" }, 5) end), "0: ")
check.eq(counted(function(x) return x:on{} end), "0: ")
check.eq(counted(function(x) x:on() return x:off{ "h7", "h1" } end), "2: 2 3 4 5 6 8 9")
check.eq(counted(function(x) x:on() return x:off("all", 0) end), "7: 7 9")
check.eq(counted(function(x) x:on() return x:restore() end), "9: ")
check.eq(counted(function(x) x:off() x:on{ "h3" } return x:restore() end), "9: ")
check.eq(counted(function(x) return x:on(x:methods()) end), "9: 1 2 3 4 5 6 7 8 9")

-- Under a running machine, whose fetch queue holds the old code and whose table has its blocks:
-- from here on each call counts, and where it is switched off again, none does.
for _, sets in ipairs{ 64, 0 } do
	local m <close> = open{ set = { ["bdt.sets"] = sets } }
	local x = xprof.new(m)
	local before, want = {}, {}
	for i = 1, 9 do
		want[i] = 0
	end
	local function meter()
		for i = 1, 9 do
			before[i] = calls(m, math.min(i, 8))
		end
	end
	local on = false
	for round = 1, 60 do
		m:run{ insts = 4490 + 131 * round % 400 }
		-- The function it stands in had its entry before.
		for i = 1, 9 do
			want[i] = want[i] + (on and calls(m, math.min(i, 8)) - before[i] or 0)
		end
		on = not on
		check.eq(on and x:on() or x:restore(), 9)
		meter()
	end
	m:run()
	for i = 1, 9 do
		local off =
			math.abs(
			counts(m, i) - want[i] - (on and calls(m, math.min(i, 8)) - before[i] or 0))
		check.ok(off <= 6, ("counter %d differs by %d of %d calls"):format(i, off, want[i]))
		check.ok(want[i] > 20)
	end
	check.ok(sets == 0 or m.stats["xprof.flag_mispredicts"] > 60,
		"the table was wrong after a patch")
	check.ok(sets == 0 or m.stats["xprof.skipped_insts"] > 1000)
	check.eq(m.stats["xprof.skips"] > 0, sets > 0)
end

-- ---- hot methods ----
for _, options in ipairs{ {}, { every = 31 }, { exact = true } } do
	local m <close> = open()
	local x = xprof.new(m)
	local p = x:profile(options)
	check.eq(x:profile(), p)
	m:run()
	check.eq(p:top(1)[1].name, "h9", "the hottest function, but no method,")
	local hot = x:hot(3)
	check.eq(#hot, 3)
	check.eq(hot[1].name .. hot[2].name .. hot[3].name, "h8h7h6")
	check.ok(hot[1].insts > hot[2].insts and hot[2].insts > hot[3].insts, "the order")
	check.eq(#x:hot(100), 8)
	check.eq(#x:hot(0), 0)
	local t = triggers.new(m)
	check.eq(#x:hot(3, t:profile{}), 0, "another profile, which is empty:")
end

-- ---- windows ----
-- 2,000 instructions in every 10,000 from the 10,000th on, in the three hottest.
local function windows(m, seen)
	local x = xprof.new(m)
	x:profile{ every = 13 }
	local w = x:window{ every = 10000, length = 2000, hottest = 3 }
	m:every({ insts = 10000, first = 10500 }, function()
		if seen then
			seen(w, x)
		end
	end)
	return x, w
end

do
	local m = open()
	local n, patched = 0, {}
	local x, w
	x, w = windows(m, function(window, runtime)
		n = n + 1
		check.eq(window:open(), true)
		check.eq(window:count(), n)
		for addr, p in pairs(runtime.t:patched()) do
			check.ok(p.to == p.from + 0x20 or p.to == p.from + 0x00800000,
				"setpf for resetpf")
			check.ok(m:sym(addr).name:find "^h[1-8]$")
			patched[m:sym(addr).name] = true
		end
	end)
	check.eq(w:open(), false)
	m:run{ until_insts = 9990 }
	check.eq(w:open(), false, "the first window is not at the beginning:")
	check.eq(arrays(m):find "/[1-9]", nil)
	m:run{ until_insts = 12500 }
	check.eq(w:open(), false)
	check.eq(next(x.t:patched()), nil, "nothing is left of a window:")
	m:run()
	check.eq(n, 31, "windows")
	local names = {}
	for name in pairs(patched) do
		names[#names + 1] = name
	end
	table.sort(names)
	check.eq(table.concat(names, " "), "h6 h7 h8")
	local share = (counts(m, 8) + counts(m, 7)) / (calls(m, 8) + calls(m, 7))
	check.ok(share > 0.1 and share < 0.3, "a fifth is profiled: " .. share)
	check.eq(counts(m, 1), 0)

	-- Any place of the past equals that of a machine that goes forwards only, and patches are
	-- not applied twice.
	local last, marks = m.cycle, {}
	local function state()
		local at = {}
		for addr, p in pairs(x.t:patched()) do
			at[#at + 1] = ("%x:%x"):format(addr, p.to)
		end
		table.sort(at)
		return table.concat(at, " ") .. " " .. arrays(m) .. " " .. w:count() ..
			tostring(w:open()) .. " " ..
			x:profile():total() .. " " .. m.stats["xprof.dispatched"] .. " " .. m:hash()
	end
	local final = state()
	for i = 1, 40 do
		m:go(i * 48271 % (last - 1000))
		marks[i] = { cycle = m.cycle, state = state() }
		if i % 4 == 0 then
			m:back(300)
			m:step(500)
			m:back(200)
			check.eq(state(), marks[i].state, "back and forth, cycle " .. m.cycle)
		end
	end
	m:go(last)
	check.eq(state(), final)
	check.eq(n, 31, "windows, after time travel")
	table.sort(marks, function(a, b) return a.cycle < b.cycle end)
	m:close()
	m = open{ history = false }
	x, w = windows(m)
	for _, mark in ipairs(marks) do
		m:run{ until_cycle = mark.cycle }
		check.eq(state(), mark.state, "cycle " .. mark.cycle)
	end
end

-- Chosen by hand, and of one type only.
do
	local m <close> = open()
	local x = xprof.new(m)
	x:window{ every = 5000, length = 4999, first = 1, methods = { "h8" }, type = 2 }
	m:run()
	check.eq(counts(m, 8), 0)
	check.ok(counts(m, 9) > 300, "type 2 in h8: " .. counts(m, 9))
	check.eq(counts(m, 7), 0)
end

-- ---- thresholds ----
-- The second phase misses: it alone is profiled.
do
	local m <close> = open()
	local x = xprof.new(m)
	local rate = { stat = "l1d.misses", per = "l1d.accesses", above = 0.02, every = 6000 }
	x:during{ stat = rate.stat, per = rate.per, above = rate.above, every = rate.every,
		methods = { "h1", "h2" } }
	local changes = {}
	triggers.new(m):when(rate, function(v)
		changes[#changes + 1] = "on"
		check.ok(v > 0.02)
	end, function(v)
		changes[#changes + 1] = "off"
		check.ok(v <= 0.02)
	end)
	m:run()
	-- h1 is called 160 times of 200 in the second phase, 8 times a round; a look is a little
	-- more than a round.
	check.ok(counts(m, 1) >= 140 and counts(m, 1) <= 176, "h1: " .. counts(m, 1))
	check.eq(counts(m, 3), 0)
	check.eq(changes[#changes], "off")
	check.ok(#changes % 2 == 0)
	local hash, seen = m:hash(), counts(m, 1)
	m:go(m.cycle // 2)
	m:go(m.cycle // 3)
	m:run()
	check.eq(m:hash(), hash)
	check.eq(counts(m, 1), seen)
end

-- Windows of cycles.
do
	local m <close> = open()
	local x = xprof.new(m)
	local w, n = x:window{ every = 10000, length = 2500, methods = { "h3" }, cycles = true }, 0
	for _, at in ipairs{ { 9990, false }, { 10010, true }, { 12490, true },
		{ 12510, false } } do
		m:every({ cycles = 10000, first = at[1] }, function()
			n = n + 1
			check.eq(w:open(), at[2] and (m.cycle > 10000), "at " .. m.cycle)
			check.eq(next(x.t:patched()) ~= nil, w:open())
		end)
	end
	m:run()
	check.ok(n > 12, "looked " .. n .. " times")
	check.ok(counts(m, 3) > calls(m, 3) / 8 and counts(m, 3) < calls(m, 3) / 2,
		"a quarter is profiled: " .. counts(m, 3))
end

-- ---- a handler switches flags, and the program waits for it ----
do
	local FLAGS <const> = "build/demos/firmware/flags.elf"
	local m <close> = open{ firmware = FLAGS }
	local x = xprof.new(m)
	check.eq(x:handler{ every = 10000, length = 2500, methods = { "h3", "h8" } }, 3,
		"flags of two methods:")
	m:run()
	check.eq(m.status, "exited")
	local idle <close> = open{ firmware = FLAGS }
	idle:run()
	local share = counts(m, 3) / calls(m, 3)
	check.ok(share > 0.15 and share < 0.35, "a quarter is profiled: " .. share)
	check.ok(counts(m, 8) > 0 and counts(m, 9) > 0 and counts(m, 1) == 0, arrays(m))
	check.eq((m.stats["firmware.interrupts"] + 1) // 2, m.cycle // 10000,
		"two interrupts a window, so windows,")
	local cost = m.stats["firmware.cycles"] - idle.stats["firmware.cycles"]
	check.ok(cost > 100 * m.stats["firmware.interrupts"], "it is charged")
	check.says(check.fails(function() x:handler{ every = 10, length = 2 } end,
		"call it before the machine moves"), "tests/lua/test_xprof.lua:")
	check.fails(function() xprof.new(open{ firmware = FLAGS }):handler{ every = 10,
		length = 10 } end, "always open: x:on() is for that")
	check.fails(function() xprof.new(open()):handler{ every = 10, length = 2 } end,
		"use firmware = \"build/demos/firmware/flags.elf\"")
end

-- ---- profiles of instrumented programs ----
local function regex(kind, set)
	return cyclops.machine{ program = "build/demos/xprof/regex-" .. kind .. ".elf",
		history = false, set = set,
		args = { "demos/programs/input/patterns.txt", "demos/programs/input/planets.txt" } }
end
local function total(profile)
	local sum, n = 0, 0
	for _, count in pairs(profile) do
		sum, n = sum + count, n + 1
	end
	return sum, n
end

do
	local wanted = { ["oracle.enable"] = true }
	local off <close> = regex("blocks", wanted)
	local on <close> = regex("blocks", wanted)
	local part <close> = regex("blocks", wanted)
	local map <close> = regex("map", wanted)
	local x, y, z = xprof.new(off), xprof.new(on), xprof.new(part)
	y:on()
	z:window{ every = 20000, length = 5000 }
	off:run()
	on:run()
	part:run()
	map:run()
	check.eq(total(x:blocks()), 0)
	local exact, sampled = y:exact(), z:blocks()
	local sum, n = total(exact)
	check.ok(sum > 1000 and n > 100, "blocks entered " .. sum)
	local perfect, unprofiled = xprof.new(map):exact(), x:exact()
	for name, count in pairs(y:blocks()) do
		check.eq(count, exact[name], name)
		check.eq(unprofiled[name], count, "not profiled, " .. name)
		check.eq(perfect[name], count, "not instrumented, " .. name)
		check.ok(sampled[name] <= count)
	end
	check.eq(xprof.accuracy(y:blocks(), exact), 100.0)
	local accuracy = xprof.accuracy(sampled, exact)
	check.ok(accuracy > 20 and accuracy < 100, "sampled: " .. accuracy)
	local one = y:blocks{ "intern.constprop.0" }
	local blocks = 0
	for name, count in pairs(one) do
		check.ok(name:find "^intern%.constprop%.0:%d+$")
		check.eq(count, exact[name])
		blocks = blocks + 1
	end
	check.ok(blocks > 3)
	check.eq(total(y:exact{ "intern.constprop.0" }), total(one))
	check.fails(function() x:blocks{ "printf" } end, "'printf' is not a method")
	check.fails(function() xprof.new(regex "blocks"):exact() end, "the oracle is needed")
	check.eq(total(y:arcs()), 0, "no calls are counted in -blocks:")
end

do
	local m <close> = regex("calls", { ["oracle.enable"] = true, ["oracle.blocks"] = true })
	local off <close> = regex "calls"
	local x = xprof.new(m)
	x:on()
	m:run()
	off:run()
	check.eq(total(xprof.new(off):arcs()), 0)
	-- The oracle's calls, under the same names.
	local names, calls = {}, {}
	for _, f in ipairs(x:methods()) do
		names[f.addr] = f.name
	end
	local t = triggers.new(m)
	for _, row in ipairs(m:report("oracle calls all").rows) do
		local from = row.address + (m.mem:u16(row.address) & 3 == 3 and 4 or 2)
		local caller = t:function_at(from)
		if names[row.to] and caller then
			local name = ("%s+0x%x %s"):format(caller.name, from - caller.addr,
				names[row.to])
			calls[name] = (calls[name] or 0) + row.count
		end
	end
	local same, arcs = 0, x:arcs()
	for name, count in pairs(arcs) do
		-- A function called by a jump is counted for the one before.
		if calls[name] then
			check.eq(count, calls[name], name)
			same = same + 1
		end
	end
	check.ok(same > 15, "arcs: " .. same)
	check.eq(arcs["main+0x0 main"], nil)
	local into = x:arcs{ "main" }
	check.eq(total(into), 1)
	check.ok(next(into):find "^__libc_start_call_main%+0x%x+ main$")
	check.fails(function() xprof.new(open()):arcs() end, "does not count calls")
	check.fails(function() xprof.new(open()):blocks() end,
		"nothing in this program is instrumented")
end

-- ---- profiles compared (by hand) ----
local function near(got, want, what)
	check.ok(math.abs(got - want) < 1e-12, ("%s: %s, not %s"):format(what, got, want))
end
-- (1/4, 3/4) and (3/4, 1/4): 1/2 + 1/2. Proportions count, not numbers.
near(xprof.distance({ 1, 3 }, { 3, 1 }), 1, "distance")
near(xprof.distance({ 100, 300 }, { 3, 1 }), 1, "distance")
near(xprof.accuracy({ 1, 3 }, { 3, 1 }), 50, "accuracy")
near(xprof.distance({ 1, 2, 3 }, { 10, 20, 30 }), 0, "distance")
near(xprof.accuracy({ 1, 2, 3 }, { 10, 20, 30 }), 100, "accuracy")
-- (1/2, 1/2, 0) and (1/2, 0, 1/2): 0 + 1/2 + 1/2. Missing counts are 0.
near(xprof.distance({ a = 1, b = 1 }, { a = 1, c = 1 }), 1, "distance")
near(xprof.distance({ a = 1, b = 1, c = 0 }, { a = 1, b = 0, c = 1 }), 1, "distance")
near(xprof.distance({ a = 1 }, { b = 1 }), 2, "nothing in common")
near(xprof.accuracy({ a = 1 }, { b = 1 }), 0, "nothing in common")
-- (1/5, 4/5) and (1/4, 3/4): 1/20 + 1/20.
near(xprof.distance({ 1, 4 }, { 1, 3 }), 0.1, "distance")
near(xprof.accuracy({ 1, 4 }, { 1, 3 }), 95, "accuracy")
near(xprof.distance({}, {}), 0, "both empty")
near(xprof.distance({}, { a = 1 }), 2, "one empty")
near(xprof.accuracy({ a = 0 }, { a = 1 }), 0, "one without counts")
near(xprof.distance({ [1] = 1, ["1"] = 1 }, { [1] = 1 }), 1,
	"numbers and texts are different names")
check.fails(function() xprof.distance({ a = -1 }, {}) end, "a profile has counts, not a = -1")
check.fails(function() xprof.accuracy({ a = "x" }, {}) end, "a profile has counts, not a = x")
check.fails(function() xprof.distance({}, 3) end, "a table of counts, not a number")
check.fails(function() xprof.distance({ a = 0 / 0 }, {}) end, "a profile has counts")

-- ---- wrong use ----
do
	local m <close> = open()
	local x = xprof.new(m)
	local function fails(f, text)
		check.says(check.fails(f, text), "tests/lua/test_xprof.lua:")
	end
	fails(function() xprof.new {} end, "xprof.new: a machine is needed, not a table")
	fails(function() x:on("h1") end, "a list of methods or \"all\" is needed, not a string")
	fails(function() x:on{ "h9" } end, "'h9' is not a method with a profile flag")
	fails(function() x:on({ "h1" }, 8) end, "type = 8: a whole number from 0 to 7 is needed")
	fails(function() x:off({ "h1" }, "x") end, "type = x")
	fails(function() x:hot(3) end, "call x:profile() before the machine moves")
	fails(function() x:hot() end, "N = nil")
	fails(function() x:window{ every = 10 } end, "length = nil")
	fails(function() x:window{ every = 10, length = 10 } end, "always open: x:on() is for that")
	fails(function() x:window{ every = 10, length = 2, hot = 3 } end,
		"no option 'hot'; expected cycles, every, first, hottest, length")
	fails(function() x:window{ every = 10, length = 2, hottest = 3, methods = {} } end,
		"not both")
	fails(function() x:window{ every = 10, length = 2, hottest = 0 } end, "hottest = 0")
	fails(function() x:window{ every = 10, length = 2, methods = { "main" } } end,
		"'main' is not a method")
	fails(function() x:window{ every = 10, length = 2, type = 9 } end, "type = 9")
	fails(function() x:during{ stat = "sim.ipc" } end, "above = NUMBER or below = NUMBER")
	fails(function() x:during{ stat = "sim.ipc", above = 1, methods = "h1" } end,
		"not a string")
	check.ok(x:profile())
	fails(function() x:profile{ every = 3 } end, "there is one already")
	fails(function() triggers.new(m):when({ stat = "sim.ipc", above = 1 }, print, 3) end,
		"BEHIND: a function is needed")
end


-- Fetch goes on after a skipped block in the same cycle, if it is in the line and skips take no
-- time.
do
	local function same_cycle(past, line, penalty)
		local m = cyclops.machine{ program = "build/demos/xprof/blocks", set = {
			["pipe.fetch_past_taken"] = past, ["l1i.line"] = line, ["l2.line"] = line,
			["bdt.skip_penalty"] = penalty } }
		local at, to, n = -1, 0, 0
		m:on("skip", function(e)
			at, to, n = e.cycle, e.follow, n + 1
		end)
		local found = 0
		m:on("fetch", function(e)
			if e.cycle == at and e.pc == to then
				found = found + 1
			end
		end)
		m:run()
		return found, n, m:output(), m.cycle
	end
	local none, skips, output, cycles = same_cycle(false, 256, 0)
	local some, skips_past, output_past, cycles_past = same_cycle(true, 256, 0)
	check.eq(none, 0, "a skip ends the cycle's fetch")
	check.ok(skips > 1000 and some > skips_past // 2, some .. " of " .. skips_past .. " go on")
	check.eq(output_past, output)
	check.ok(cycles_past < cycles, "and take fewer cycles")
	check.eq((same_cycle(true, 256, 1)), 0, "not if a skip takes a cycle more")
end
check.done()
