-- Grades lab 2: laps of the demo, the sum of halves that nobody knows, and cycles on the default
-- machine.
local lab = require "cyclops.lab"
local h = lab.hand_in(...)
local N, ROUNDS = 64, 16

local function demo(label, set)
	return lab.lap(cyclops.machine{ program = "demos/labs/02-forwarding/demo.s", set = set,
		history = false }, label,
		60, 40)
end
local half = demo "half"
h:answer(2, "whole", demo "whole", "Stop at `whole` twice, when it has settled.", 2)
h:answer(2, "half", half, "Stop at `half` twice, when it has settled.", 2)
h:answer(3, "slower", demo("half", { ["l1d.latency"] = 6 }) - half,
	"What does the load of `half` wait for, and how often does that use the cache?", 2)

local function judge(set)
	local low, high, sum = lab.numbers(3, N, 0xffffffff), lab.numbers(4, N, 0xffffffff), 0
	for i = 1, N do
		sum = sum + (low[i] + (high[i] << 32)) * ROUNDS
	end
	local m = lab.finish(lab.fill(lab.fill(h:machine{ set = set }, "low", low, 4), "high", high,
		4), 200000)
	return m.mem:i64 "sum" == sum and m.cycle, m
end
local cycles, slow
h:expect(4, "the sum is right", function()
	cycles = judge()
	return cycles and true, "with other halves than those in the file, `sum` is wrong"
end)
h:expect(6, "cycles", function()
	return cycles and lab.share(cycles / N / ROUNDS, 8, 4),
		cycles and ("it takes %.1f for each number"):format(cycles / N / ROUNDS) or
		"the sum is wrong"
end, "The halves are in registers before they are in memory.")
h:expect(3, "a slower cache hurts it less", function()
	slow = cycles and judge{ ["l1d.latency"] = 6 }
	return slow and slow - cycles < 2 * N * ROUNDS,
		slow and ("with l1d.latency=6 it takes %d cycles more"):format(slow - cycles) or
		"the sum is wrong"
end, "Which loads wait for a store?")
h:done()
