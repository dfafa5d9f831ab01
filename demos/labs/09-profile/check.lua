-- Grades lab 9: figures of the demo, and a program that counts its arms while flag 0 is on,
-- with numbers that are drawn.
local lab = require "cyclops.lab"
local h = lab.hand_in(...)
local TASK, N = lab.file "task.s", 40

local demo = lab.finish(cyclops.machine{ program = lab.file "demo.s",
	history = false })
h:answer(2, "dropped", demo.xprof.dropped, "`stats xprof` at the end.", 1)
h:answer(2, "executed", demo.xprof.dispatched, "`stats xprof` at the end.", 1)

local function draw_begins()
	local input = { begins = h:numbers(N, 500), steps = 0, evens = 0, odds = 0 }
	for i, n in ipairs(input.begins) do
		n = n + 1
		input.begins[i] = n
		while n ~= 1 do
			local even = n % 2 == 0
			n = even and n // 2 or 3 * n + 1
			input.steps = input.steps + 1
			input.evens = input.evens + (even and 1 or 0)
			input.odds = input.odds + (even and 0 or 1)
		end
	end
	return input
end
local function begin(file, input, flag)
	local m = lab.fill(cyclops.machine{ program = file, history = false }, "begins",
		input.begins)
	m:cmd("set pflags = " .. flag)
	return m
end
local inputs = { draw_begins(), draw_begins() }
-- The counts if the flag is off in the middle of the run.
local function count_ends(input)
	local m, insts = begin(h.file, input, 1), input.on.sim.insts
	m:run{ insts = insts // 3 }
	m:cmd "set pflags = 0"
	m:run{ insts = insts // 3 }
	m:cmd "set pflags = 1"
	h:finish(m, 100000)
	return m.mem:i64 "evens" + m.mem:i64 "odds"
end
-- Whether evens and odds are right with the flag on; why they do not count if they are not the work
-- of profile instructions.
local function counted(input)
	local on, off = input.on, input.off
	local plain = h:finish(begin(TASK, input, 0), 100000)
	local evens = on.mem:i64 "evens" == input.evens
	local odds = on.mem:i64 "odds" == input.odds
	local counts = (evens and input.evens or 0) + (odds and input.odds or 0)
	local profile = math.min(on.cpi.profile, on.xprof.dispatched_0, off.xprof.dropped_0)
	local others = math.max(off.sim.insts, on.sim.insts - on.cpi.profile) - plain.sim.insts
	input.more = 100 * off.cycle / plain.cycle - 100
	if counts == 0 then
		return evens, odds, "with the flag on both are wrong"
	elseif profile < counts then
		return evens, odds, ("there are %d profile instructions for counts of %d"):format(
			profile, counts)
	elseif count_ends(input) > counts * 7 // 8 then
		return evens, odds, "something counts while the flag is off"
	elseif others > 2 * N then
		return evens, odds, "it executes " .. others ..
			" instructions more that are no profile instructions"
	end
	return evens, odds
end
local evens, odds, wrong = true, true, "steps is wrong"
h:expect(4, "steps is right, off and on", function()
	for _, input in ipairs(inputs) do
		input.off = h:finish(begin(h.file, input, 0), 100000)
		input.on = h:finish(begin(h.file, input, 1), 100000)
		for flag, m in pairs{ off = input.off, on = input.on } do
			if m.mem:i64 "steps" ~= input.steps then
				return false, "with the flag " .. flag .. " it is wrong"
			end
		end
	end
	wrong = nil
	for _, input in ipairs(inputs) do
		local even, odd, why = counted(input)
		evens, odds, wrong = evens and even, odds and odd, wrong or why
	end
	return true
end, "Which registers does the program use itself?")
h:expect(5, "with the flag on, evens and odds are right", function()
	return not wrong and (evens and 0.5 or 0) + (odds and 0.5 or 0), wrong or
		(evens and "odds" or "evens") .. " is wrong"
end, "Does each arm count, each time, and once?")
h:expect(3, "with the flag off they stay 0", function()
	for _, input in ipairs(wrong and {} or inputs) do
		if input.off.mem:i64 "evens" ~= 0 or input.off.mem:i64 "odds" ~= 0 then
			return false, "something counts although the flag is off"
		end
	end
	return not wrong, wrong
end, "Which instruction lacks pi.0?")
h:expect(4, "with the flag off it costs little", function()
	local more = -math.huge
	for _, input in ipairs(wrong and {} or inputs) do
		more = math.max(more, input.more)
	end
	return not wrong and lab.share(more, 40, 12), wrong or
		("it takes %.1f %% more cycles"):format(more)
end, "How many instructions does an arm need to count?")
h:done()
