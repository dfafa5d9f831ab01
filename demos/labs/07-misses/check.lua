-- Grades lab 7: laps and violations of the demo, a sum of values that nobody knows, and cycles.
local lab = require "cyclops.lab"
local h = lab.hand_in(...)
local NODES, NODE = 256, 64

local function demo(set)
	return cyclops.machine{ program = "demos/labs/07-misses/demo.s", set = set,
		history = false }
end
h:answer(2, "serial", lab.lap(demo(), "serial", 40, 40), "One miss after the other.", 4)
h:answer(2, "beside", lab.lap(demo{ ["l1d.mshrs"] = 4 }, "beside", 100, 200),
	"One miss, divided by registers.", 6)
h:answer(2, "violations", lab.finish(demo{ ["lsq.speculate"] = true }).lsq.order_violations,
	"`print lsq.order_violations` at the end.", 2)

local cycles
h:expect(4, "the sum is right", function()
	local values, sum = lab.numbers(13, NODES, 1 << 40), 0
	local m = h:machine()
	local at = m:addr "nodes"
	for i, value in ipairs(values) do
		m:write(at + (i - 1) * NODE + 8, value, 8)
		sum = sum + value
	end
	lab.finish(m, 20000)
	if m.mem:i64 "sum" ~= sum then
		return false, "with other values than those in the file it is wrong"
	end
	cycles = m.cycle
	return true
end)
for _, step in ipairs{ { 29000, 16000 }, { 16000, 8500 } } do
	h:expect(5, ("cycles: from %d to %d"):format(step[1], step[2]), function()
		return cycles and lab.share(cycles, step[1], step[2]), cycles and "it takes " ..
			cycles or "the sum is wrong"
	end, "How many misses are on their way at once? `view mshr` counts them.")
end
h:done()
