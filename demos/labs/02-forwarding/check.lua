-- Grades lab 2: iterations of the demo, the checksum of random halves, and cycles on the default
-- machine.
local lab = require "cyclops.lab"
local h = lab.hand_in(...)
local N, ROUNDS, K = 64, 16, 0x9e3779b97f4a7c15

local function demo(label, set)
	return lab.lap(cyclops.machine{ program = lab.file "demo.s", set = set,
		history = false }, label,
		60, 40)
end
local half = demo "half"
h:answer(2, "whole", demo "whole", "Stop at `whole` twice, when it has settled.", 2)
h:answer(2, "half", half, "Stop at `half` twice, when it has settled.", 2)
h:answer(3, "slower", demo("half", { ["l1d.latency"] = 6 }) - half,
	"What does the load of `half` wait for, and how often does that use the cache?", 2)

local inputs = {}
for i = 1, 3 do
	inputs[i] = { low = h:numbers(N, 0xffffffff), high = h:numbers(N + ROUNDS - 1, 0xffffffff) }
end
local function judge(set)
	return h:worst(inputs, function(input)
		local m, sum = h:machine{ set = set }, 0
		for round = 0, ROUNDS - 1 do
			for i = 1, N do
				sum = (sum ~ (input.low[i] | input.high[i + round] << 32)) + K
			end
		end
		lab.fill(lab.fill(m, "low", input.low, 4), "high", input.high, 4)
		return h:finish(m, 200000), m.mem:i64 "sum" == sum
	end)
end
local run
h:expect(4, "the sum is right", function()
	run = judge()
	return run and true, "with other halves than those in the file, `sum` is wrong"
end)
h:expect(6, "cycles", function()
	local each = run and run.cycle / N / ROUNDS
	return run and lab.share(each, 8, 4),
		run and ("it takes %.1f for each number"):format(each) or "the sum is not right yet"
end, "The halves are in registers before they are in memory.")
h:expect(3, "a slower cache hurts it less", function()
	local slow = run and judge{ ["l1d.latency"] = 6 }
	local each = slow and slow.cycle / N / ROUNDS
	return slow and each <= 6,
		slow and ("with l1d.latency=6 it takes %.1f for each number"):format(each) or
		"the sum is not right yet"
end, "Which loads wait for a store?")
h:done()
