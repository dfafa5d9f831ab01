-- Aliasing in the branch target buffer: jumps that evict each other from one set.
--
-- Expect: a jump that the buffer does not hold is found by decode, a cycle late: a misfetch. Three
-- jumps in a set of two ways, one after the other, are never in it (LRU evicts exactly the one
-- that is needed next), though the buffer is nearly empty. Another way, or other addresses, cure
-- it.
-- See it: cyclops build/demos/scenarios/btb_alias, then: tbreak alias, continue, step 60, view btb,
-- view pipe
local lab = require "lab"
local LAPS = 50
lab.title "Aliasing in the branch target buffer"

lab.say [[Two loops, each with three jumps and a branch. In the first the jumps are 64 bytes apart, in the second 256: the
	buffer has 128 sets and takes the number of the set from an address in halfwords, so jumps 256 bytes apart share a set.]]

-- Misfetches and cycles of an iteration at `label`.
local function measure(label, set)
	local m = lab.machine("btb_alias", { set = set })
	lab.lap(m, label, 50, 1)
	local before = m.fetch.misfetches
	local cycles = lab.lap(m, label, 0, LAPS - 1)
	return (m.fetch.misfetches - before) // LAPS, cycles, m
end

local rows, cost = {}, {}
for _, v in ipairs{ { "apart", 128, 2 }, { "alias", 128, 2 }, { "alias", 128, 4 },
	{ "alias", 512, 2 }, { "alias", 0, 2 } } do
	local label, sets, ways = v[1], v[2], v[3]
	local wrong, cycles = measure(label, { ["btb.sets"] = sets, ["btb.ways"] = ways })
	rows[#rows + 1] = { label, sets, ways, wrong, cycles }
	cost[#rows] = cycles
end
lab.table({ "loop", "btb.sets", "btb.ways", "misfetches", "cycles an iteration" }, rows)

local _, _, m = measure("alias", {})
lab.say "The buffer after the two loops (`view btb`): the jumps compete for one set, and all others are free."
lab.quote(m:cmd "view btb")

lab.expect("apart: all are in the buffer, misfetches", rows[1][4], 0)
lab.expect("three in two ways: none of them is ever in the buffer", rows[2][4], 3)
lab.expect("cure: four ways", rows[3][4], 0)
lab.expect("cure: 512 sets", rows[4][4], 0)
lab.expect("each misfetch costs a cycle", cost[2] - cost[1], 3)
lab.expect("cured, both loops take the same time", cost[3], cost[1])
lab.holds("no buffer at all is worse: the branch at the end is not found either", rows[5][4] == 4
	and cost[5] > cost[2])

lab.done()
