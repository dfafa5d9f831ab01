-- The module cyclops.triggers: profiles, patches, schedules, signals, and all of it under time
-- travel.
local check = require "check"
local triggers = require "cyclops.triggers"
local RESET <const>, SET <const> = 0x0042, 0x0062

local function open(t)
	t = t or {}
	t.program = "build/tests/lua/triggers"
	return cyclops.machine(t)
end

-- Instructions that function number f (of 12) retires in so many rounds of both phases. Its profile
-- control is not counted.
local function retires(f, rounds0, rounds1)
	return (rounds0 * f + rounds1 * (13 - f)) * (3 + 2 * f)
end

-- The functions by retired instructions, most first; of equal ones, the lower address first.
local function expected(rounds0, rounds1)
	local list = {}
	for f = 1, 12 do
		list[f] = { name = "g" .. f, insts = retires(f, rounds0, rounds1) }
	end
	table.sort(list, function(a, b)
		return a.insts > b.insts
			or (a.insts == b.insts and tonumber(a.name:sub(2)) < tonumber(
			b.name:sub(2)))
	end)
	return list
end

-- Those of the twelve among the hottest.
local function of_the_twelve(top)
	local list = {}
	for _, f in ipairs(top) do
		if f.name:find "^g%d+$" then
			list[#list + 1] = f
		end
	end
	return list
end

-- ---- exact profiles ----
for _, set in ipairs{ {}, { ["oracle.enable"] = true } } do
	local m = open{ set = set }
	local t = triggers.new(m)
	local p = t:profile{ exact = true }
	check.eq(#p:top(), 0)
	check.eq(p:total(), 0)
	p:start()
	m:run()
	check.eq(p:total(), m.insts, "all instructions")
	local want = expected(33, 30)
	local got = of_the_twelve(p:top())
	check.eq(#got, 12)
	for i, f in ipairs(want) do
		check.eq(got[i].name, f.name)
		check.eq(got[i].insts, f.insts, f.name)
		check.eq(got[i].share, f.insts / m.insts)
		check.eq(got[i].addr, m[f.name])
	end
	check.eq(#p:top(3), 3)
	check.eq(#p:top(0), 0)
	-- Half way back it has the counts of that place, and forwards the same again.
	local total, hash = p:total(), m:hash()
	m:go(m.cycle // 2)
	check.eq(p:total(), m.insts, "in the past")
	m:run()
	check.eq(p:total(), total)
	check.eq(m:hash(), hash)
	-- Counting takes no time.
	if not next(set) then
		local plain = open()
		plain:run()
		check.eq(plain.cycle, m.cycle)
		check.eq(plain.stats["l1d.misses"], m.stats["l1d.misses"])
	end
end

-- From one place to another, twice, with a reset between.
for _, set in ipairs{ {}, { ["oracle.enable"] = true } } do
	local m = open{ set = set }
	local t = triggers.new(m)
	local p = t:profile{ exact = true }
	m:run{ insts = 1000 }
	local from = m.insts
	p:start()
	p:start()
	m:run{ insts = 500 }
	check.eq(p:total(), m.insts - from, "while it is on")
	p:stop()
	p:stop()
	local counted = m.insts - from
	m:run{ insts = 300 }
	check.eq(p:total(), counted, "after it was stopped")
	from = m.insts
	p:start()
	m:run{ insts = 200 }
	check.eq(p:total(), counted + m.insts - from, "twice")
	p:reset()
	check.eq(p:total(), 0)
	from = m.insts
	m:run{ insts = 50 }
	check.eq(p:total(), m.insts - from, "after p:reset()")
end

-- ---- sampled profiles ----
do
	local m = open()
	local p = triggers.new(m):profile{ every = 8 }
	p:start()
	m:run()
	check.ok(math.abs(p:total() - m.insts) < 8 * 8, "the sum of samples")
	-- Instructions that wait to commit are sampled more often: short functions get too few
	-- samples.
	local twelve = of_the_twelve(p:top())
	check.eq(twelve[1].name .. twelve[2].name .. twelve[3].name, "g12g11g10")
	for _, f in ipairs(twelve) do
		local which = tonumber(f.name:sub(2))
		local right, tolerance = retires(which, 33, 30), which > 5 and 0.15 or 0.45
		check.ok(math.abs(f.insts - right) < tolerance * right, f.name .. ": " .. f.insts ..
			", exactly " .. right)
	end
	local plain = open()
	plain:run()
	check.eq(plain.cycle, m.cycle, "sampling changes nothing:")
	check.eq(plain.stats["l1d.misses"], m.stats["l1d.misses"])
end

-- ---- patches ----
do
	local m = open()
	local t = triggers.new(m)
	check.eq(t:replace("g3", RESET, SET), m.g3)
	check.eq(m.mem:u16(m.g3), SET)
	check.eq(t:replace("g3", RESET, SET), nil, "there is none any more:")
	check.eq(t:replace({ addr = m.g4, size = 16 }, RESET, SET), m.g4)
	check.eq(t:replace("g5", SET, RESET), nil)
	check.eq(t:replace("g3", 0x0001, 0x0042, 4), nil, "the nop is further behind:")
	check.eq(t:patched()[m.g3].from, RESET)
	check.eq(t:patched()[m.g3].to, SET)
	check.eq(t:restore("g3"), true)
	check.eq(t:restore("g3"), false)
	check.eq(m.mem:u16(m.g3), RESET)
	t:patch("g3", 0x0001)
	t:patch("g3", SET)
	check.eq(t:restore_all(), 2)
	check.eq(m.mem:u16(m.g3), RESET)
	check.eq(m.mem:u16(m.g4), RESET)
	check.eq(next(t:patched()), nil)
	check.eq(t:restore_all(), 0)
	check.eq(t:replace_all({ { addr = m.g1, size = 14 }, { addr = m.start, size = 100 },
		{ addr = m.g2, size = 14 } }, RESET, SET), 2)
	-- `li t0, 6` of g6 lies 72 bytes after the beginning of g1.
	check.eq(t:replace({ addr = m.g1, size = 200 }, 0x4299, 0x0001), nil)
	check.eq(t:replace({ addr = m.g1, size = 60 }, 0x4299, 0x0001, 100), nil)
	check.eq(t:replace({ addr = m.g1, size = 200 }, 0x4299, 0x0001, 100), m.g1 + 72)
	check.eq(t:restore(m.g1 + 72), true)
	check.eq(t:replace({ addr = m.g1, size = 200 }, 0x4295, 0x0001), m.g1 + 58,
		"by instructions of 2 bytes and of 4:")
	check.eq(t:restore(m.g1 + 58), true)
	-- In successive hooks, and in one hook.
	local done = 0
	m:every({ cycles = 10 }, function()
		check.eq(t:replace("g7", RESET, SET), m.g7)
		check.eq(t:replace("g7", RESET, SET), nil)
		check.eq(t:restore("g7"), true)
		check.eq(t:replace("g7", RESET, SET), m.g7)
		check.eq(t:replace("g7", SET, RESET), m.g7)
		check.eq(t:replace("g7", RESET, 0x0001), m.g7)
		check.eq(m.mem:u16(m.g7), RESET, "not before the end of the cycle:")
		check.eq(t:restore("g7"), true)
		done = done + 1
	end)
	m:step(35)
	check.eq(done, 3)
	check.eq(m.mem:u16(m.g7), RESET)
	check.fails(function() t:patch("g1", 0x00000013) end, "2 bytes")
	check.eq(t:patched()[m.g1].to, SET, "what failed left nothing behind:")
	check.fails(function() t:replace("g13", RESET, SET) end, "g1")
end

-- ---- the runtime of a machine that profiles itself ----
-- Windows of 4,000 instructions in every 10,000: the ten hottest of a window are patched when the
-- next one begins, and restored where it ends.
local function runtime(m, seen)
	local t = triggers.new(m)
	local p = t:profile{ every = 13 }
	local w
	w = t:window({ every = 10000, length = 4000 }, function(n)
		local top = p:top(10)
		seen(n, top, t:replace_all(top, RESET, SET))
		p:reset()
		p:start()
	end, function()
		p:stop()
		t:restore_all()
	end)
	return t, p, w
end

do
	local m = open()
	local windows, patched, first = 0, 0, nil
	local t, p, w = runtime(m, function(n, top, count)
		windows = windows + 1
		check.eq(n, windows)
		patched = patched + count
		first = first or #top > 0 and of_the_twelve(top)[1].name
	end)
	check.eq(w:open(), false)
	m:run{ insts = 2 }
	check.eq(w:open(), true)
	m:run{ until_insts = 3990 }
	check.eq(w:open(), true)
	m:run{ until_insts = 4010 }
	check.eq(w:open(), false)
	local set, reset = 0, 0
	m:on("control", { pc = { m.g12, m.g12 + 2 } }, function()
		local word = m.mem:u16(m.g12)
		set, reset = set + (word == SET and 1 or 0), reset + (word == RESET and 1 or 0)
	end)
	m:run()
	check.eq(windows, 12)
	check.eq(w:count(), 12)
	check.eq(first, "g12", "the hottest of the first window")
	check.ok(patched > 80, "patches: " .. patched)
	check.ok(set > 20 and reset > 20, "g12 ran with either: " .. set .. ", " .. reset)
	-- Equal at any place of the past, and again from there: patches are not applied twice.
	local last, marks = m.cycle, {}
	local function state()
		local words, at = {}, t:patched()
		for f = 1, 12 do
			words[f] = string.format("%x", m.mem:u16(m["g" .. f])) ..
				(at[m["g" .. f]] and "*" or "")
		end
		return table.concat(words, " ") .. " " .. w:count() .. " " .. tostring(w:open()) ..
			" " .. p:total() .. " " .. m:hash()
	end
	local final = state()
	for i = 1, 40 do
		local cycle = i * 7919 * 13 % last
		m:go(cycle)
		marks[i] = { cycle = cycle, state = state() }
	end
	m:go(last)
	check.eq(state(), final)
	check.eq(windows, 12, "windows, after time travel")
	-- A machine that goes forwards only is in the same state there.
	table.sort(marks, function(a, b) return a.cycle < b.cycle end)
	m:close()
	m = open{ history = false }
	t, p, w = runtime(m, function() end)
	for _, mark in ipairs(marks) do
		m:run{ until_cycle = mark.cycle }
		check.eq(state(), mark.state, "cycle " .. mark.cycle)
	end
end

-- ---- schedules ----
do
	local m = open()
	local t = triggers.new(m)
	local at, every, cycles = {}, {}, {}
	t:at({ insts = 5000 }, function() at[#at + 1] = m.insts end)
	t:at({ cycles = 1234 }, function() at[#at + 1] = m.cycle end)
	t:every({ insts = 30000 }, function() every[#every + 1] = m.insts end)
	t:every({ cycles = 20000, first = 100 }, function()
		cycles[#cycles + 1] = m.cycle
		return #cycles == 3 and "stop" or nil
	end)
	local stop = m:run()
	check.eq(#cycles, 3, "it was stopped")
	check.ok(stop.reason ~= "exit")
	m:run()
	check.eq(m.status, "exited")
	check.eq(table.concat(cycles, " "), "100 20100 40100 60100 80100")
	check.eq(#at, 2)
	check.eq(math.min(at[1], at[2]), 1234)
	check.ok(math.max(at[1], at[2]) >= 5000 and math.max(at[1], at[2]) < 5004)
	check.eq(#every, 3)
	for i, insts in ipairs(every) do
		check.ok(insts >= 30000 * i and insts < 30000 * i + 4, "every " .. insts)
	end
end

-- A window whose end and the next one's beginning fall into one cycle stays open.
do
	local m = open()
	local on, off = 0, 0
	local w = triggers.new(m):window({ every = 1000, length = 999, first = 1000 },
		function() on = on + 1 end,
		function() off = off + 1 end)
	local shut = 0
	m:every({ insts = 1000, first = 1500 }, function() shut = shut + (w:open() and 0 or 1) end)
	m:run{ until_insts = 20600 }
	check.eq(on, 20)
	check.eq(shut, 0, "windows that are shut in their middle:")
	check.ok(off < 19, "some were not closed: " .. off)
	local n, closed = 0, 0
	triggers.new(m):window({ every = 1000, length = 1 }, function() n = n + 1 end,
		function() closed = closed + 1 end)
	m:run{ insts = 10500 }
	check.eq(n, 11)
	check.eq(closed, 11)
end

-- ---- conditions ----
do
	local m = open()
	local t = triggers.new(m)
	local rates, low, mine = {}, 0, {}
	t:when({ stat = "l1d.misses", per = "l1d.accesses", above = 0.5, every = 500 }, function(v)
		rates[#rates + 1] = { at = m.insts, value = v }
	end)
	t:when({ stat = "sim.ipc", below = 1.6, every = 1000 }, function() low = low + 1 end)
	t:when({ stat = function() return m.insts end, above = 20000, every = 100 },
		function(v) mine[#mine + 1] = v end)
	m:run()
	check.ok(#rates >= 1, "the walk over the table misses")
	check.ok(rates[#rates].value > 0.5)
	check.ok(rates[#rates].at > 50000, "but not before: " .. rates[#rates].at)
	check.ok(low >= 1)
	check.eq(#mine, 1, "above once is above once")
	check.ok(mine[1] > 20000 and mine[1] <= 20104)
end

-- ---- signals ----
do
	local m = open()
	local t = triggers.new(m)
	local heard, signals = {}, {}
	t:signal("trigger_signal", function(value) heard[#heard + 1] = value end)
	t:signal(10, function(value) signals[#signals + 1] = value .. " " .. #heard end)
	t:signal(12, function() signals[#signals + 1] = "not sent" end)
	m:run()
	check.eq(table.concat(heard, " "), "100 101")
	check.eq(table.concat(signals, ", "), "10 2, 10 2")
end

-- ---- wrong use ----
do
	local m = open()
	local t = triggers.new(m)
	local f = function() end
	-- Errors name the line that called the module.
	local function fails(g, text)
		check.says(check.fails(g, text), "tests/lua/test_triggers.lua:")
	end
	fails(function() triggers.new(3) end, "a machine is needed")
	fails(function() t:profile{ evry = 3 } end, "no option 'evry'; expected every, exact")
	fails(function() t:profile{ every = 0 } end, "from 1 on")
	fails(function() t:profile{ every = 1.5 } end, "every = 1.5")
	fails(function() t:profile{ every = 3, exact = true } end, "not both")
	fails(function() t:profile(3) end, "a table of options")
	fails(function() t:profile{}:top(-1) end, "N = -1")
	fails(function() t:every({ insts = 3, cycles = 3 }, f) end, "insts = N or cycles = N")
	fails(function() t:every({}, f) end, "insts = N or cycles = N")
	fails(function() t:every({ insts = 3 }) end, "a function is needed, not nothing")
	fails(function() t:at({ insts = 3, first = 3 }, f) end, "happens once")
	fails(function() t:window({ every = 10, length = 10 }, f, f) end, "always open")
	fails(function() t:window({ every = 10 }, f, f) end, "length = nil")
	fails(function() t:window({ every = 10, length = 3 }, f) end, "OFF: a function is needed")
	fails(function() t:when({ stat = "sim.ipc" }, f) end, "above = NUMBER or below = NUMBER")
	fails(function() t:when({ stat = "sim.ipc", above = 1, below = 2 }, f) end,
		"above = NUMBER or below = NUMBER")
	check.fails(function() t:when({ stat = "sim.ipcc", above = 1 }, f) end,
		"did you mean 'sim.ipc'")
	fails(function() t:when({ above = 1 }, f) end, "stat")
	fails(function() t:signal(0, f) end, "SIGNAL = 0")
	fails(function() t:signal("trigger_signal") end, "a function is needed")
	check.fails(function() t:signal("nobody", f) end, "nobody")
end

check.done()
