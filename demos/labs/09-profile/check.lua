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
local function run(file, input, flag)
	local m = lab.fill(cyclops.machine{ program = file, history = false }, "begins",
		input.begins)
	m:cmd("set pflags = " .. flag)
	return h:finish(m, 100000)
end
local inputs = { draw_begins(), draw_begins() }
local right
h:expect(4, "steps is right, off and on", function()
	for _, input in ipairs(inputs) do
		input.off, input.on = run(h.file, input, 0), run(h.file, input, 1)
		for flag, m in pairs{ off = input.off, on = input.on } do
			if m.mem:i64 "steps" ~= input.steps then
				return false, "with the flag " .. flag .. " it is wrong"
			end
		end
	end
	right = true
	return true
end, "Which registers does the program use itself?")
h:expect(5, "with the flag on, evens and odds are right", function()
	local evens, odds = right, right
	for _, input in ipairs(right and inputs or {}) do
		evens = evens and input.on.mem:i64 "evens" == input.evens
		odds = odds and input.on.mem:i64 "odds" == input.odds
	end
	return (evens and 0.5 or 0) + (odds and 0.5 or 0), not right and "steps is wrong" or
		not evens and not odds and "both are wrong" or not evens and "evens is wrong" or
		"odds is wrong"
end, "Does each arm count, each time, and once?")
h:expect(3, "with the flag off they stay 0", function()
	if not right then
		return false, "steps is wrong"
	end
	for _, input in ipairs(inputs) do
		if input.off.xprof.dropped == 0 then
			return false, "no profile instruction was dropped"
		elseif input.off.mem:i64 "evens" ~= 0 or input.off.mem:i64 "odds" ~= 0 then
			return false, "something counts although nobody wants to know"
		end
	end
	return true
end, "What is not behind pi.0?")
h:expect(4, "with the flag off it costs little", function()
	local more = -math.huge
	for _, input in ipairs(right and inputs or {}) do
		if input.off.xprof.dropped == 0 then
			return false, "no profile instruction was dropped"
		end
		more = math.max(more, 100 * input.off.cycle / run(TASK, input, 0).cycle - 100)
	end
	return right and lab.share(more, 40, 12), right and
		("it takes %.1f %% more cycles"):format(more) or "steps is wrong"
end, "How many instructions does an arm need to count?")
h:done()
