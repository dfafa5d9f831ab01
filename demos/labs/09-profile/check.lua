-- Grades lab 9: figures of the demo, and a program that counts its arms while flag 0 is on.
local lab = require "cyclops.lab"
local h = lab.hand_in(...)
local TASK, N = "demos/labs/09-profile/task.s", 40

local demo = lab.finish(cyclops.machine{ program = "demos/labs/09-profile/demo.s",
	history = false })
h:answer(2, "dropped", demo.xprof.dropped, "`stats xprof` at the end.", 1)
h:answer(2, "executed", demo.xprof.dispatched, "`stats xprof` at the end.", 1)

local begins, steps, evens, odds = lab.numbers(21, N, 500), 0, 0, 0
for i, n in ipairs(begins) do
	n = n + 1
	begins[i] = n
	while n ~= 1 do
		steps = steps + 1
		if n % 2 == 0 then
			n, evens = n // 2, evens + 1
		else
			n, odds = 3 * n + 1, odds + 1
		end
	end
end
local function run(file, flag)
	local m = lab.fill(cyclops.machine{ program = file, history = false }, "begins", begins)
	m:cmd("set pflags = " .. flag)
	return lab.finish(m, 100000)
end
local off, on
h:expect(4, "steps is right, off and on", function()
	local a, b = run(h.file, 0), run(h.file, 1)
	if a.mem:i64 "steps" ~= steps or b.mem:i64 "steps" ~= steps then
		return false, "with the flag " .. (a.mem:i64 "steps" ~= steps and "off" or "on") ..
			" it is wrong"
	end
	off, on = a, b
	return true
end, "Which registers does the program use itself?")
h:expect(5, "with the flag on, evens and odds are right", function()
	if not on then
		return false, "steps is wrong"
	end
	local e, o = on.mem:i64 "evens" == evens, on.mem:i64 "odds" == odds
	return (e and 0.5 or 0) + (o and 0.5 or 0), not e and not o and "both are wrong" or
		not e and "evens is wrong" or "odds is wrong"
end, "Does each arm count, each time, and once?")
h:expect(3, "with the flag off they stay 0", function()
	if not off then
		return false, "steps is wrong"
	elseif off.xprof.dropped == 0 then
		return false, "no profile instruction was dropped"
	end
	return off.mem:i64 "evens" == 0 and off.mem:i64 "odds" == 0,
		"something counts although nobody wants to know"
end, "What is not behind pi.0?")
h:expect(4, "with the flag off it costs little", function()
	if not off or off.xprof.dropped == 0 then
		return false, off and "no profile instruction was dropped" or "steps is wrong"
	end
	local more = 100 * off.cycle / run(TASK, 0).cycle - 100
	return lab.share(more, 40, 12), ("it takes %.1f %% more cycles"):format(more)
end, "How many instructions does an arm need to count?")
h:done()
