-- Grades lab 7: iterations and violations of the demo, a sum of random lists, and cycles.
local lab = require "cyclops.lab"
local h = lab.hand_in(...)
local NODES, NODE, PLACES = 256, 64, 2048

local function demo(set)
	return cyclops.machine{ program = lab.file "demo.s", set = set,
		history = false }
end
h:answer(2, "serial", lab.lap(demo(), "serial", 40, 40), "One miss after the other.", 4)
h:answer(2, "beside", lab.lap(demo{ ["l1d.mshrs"] = 4 }, "beside", 100, 200),
	"One miss, divided by registers.", 6)
h:answer(2, "violations", lab.finish(demo{ ["lsq.speculate"] = true }).lsq.order_violations,
	"`print lsq.order_violations` at the end.", 2)

-- Four lists of equal length, and nodes outside lists, at random PLACES. Most places stay empty, so
-- that a node can only be found from its predecessor.
local function draw_lists()
	local length, order, nodes, sum = h:number(48, 60), h:shuffled(PLACES), {}, 0
	for i = 1, NODES do
		local value = h:number(0, 1 << 40)
		local last = i % length == 0 or i > 4 * length
		nodes[order[i]] = { value = value, next = not last and order[i + 1] }
		sum = sum + (i <= 4 * length and value or 0)
	end
	local heads = {}
	for list = 0, 3 do
		heads[list + 1] = order[list * length + 1]
	end
	return { length = length, nodes = nodes, heads = heads, sum = sum }
end
local inputs = { draw_lists(), draw_lists() }
local cycles
h:expect(4, "the sum is right", function()
	local most = 0
	for _, input in ipairs(inputs) do
		local m = h:machine()
		local at = m:addr "nodes" - NODE
		for i, node in pairs(input.nodes) do
			m:write(at + i * NODE, node.next and at + node.next * NODE or 0, 8)
			m:write(at + i * NODE + 8, node.value, 8)
		end
		for i, head in ipairs(input.heads) do
			m:write(m:addr "heads" + 8 * (i - 1), at + head * NODE, 8)
		end
		h:finish(m, 20000)
		if m.mem:i64 "sum" ~= input.sum then
			return false, "with other lists than those in the file it is wrong"
		end
		most = math.max(most, m.cycle / input.length)
	end
	cycles = most
	return true
end)
for _, step in ipairs{ { 375, 250 }, { 250, 135 } } do
	h:expect(5, ("cycles: from %d to %d for four nodes"):format(step[1], step[2]), function()
		return cycles and lab.share(cycles, step[1], step[2]),
			cycles and ("it takes %.0f"):format(cycles) or "the sum is not right yet"
	end, "How many misses are on their way at once? `view mshr` counts them.")
end
h:done()
