-- The return stack overflows: calls nested deeper than it has entries.
--
-- Expect: of twelve nested calls a stack of N entries predicts the N innermost returns; the other
-- 12 - N are mispredictions. A target buffer helps, as long as each function has one caller.
-- See it: cyclops build/demos/scenarios/ras_overflow, then: tbreak f12, continue, view ras, step
-- 60, view ras
local lab = require "lab"
local DEPTH, LAPS = 12, 20
lab.title "Return stack overflow"

lab.say [[A call pushes where it will return to, a return takes the topmost entry as its prediction. The default machine has 8
	entries. Here the innermost of 12 nested calls has just returned: the entries below its callers' are gone, because calls
	further in have written over them.]]
local m = lab.machine "ras_overflow"
lab.reach(m, "f12")
lab.quote(m:cmd "view ras")

-- Wrong returns and cycles of an iteration, in steady state.
local function measure(set)
	m = lab.machine("ras_overflow", { set = set })
	lab.lap(m, "chain", 20, 1)
	local before = m.bpred.mispredicts
	local cycles = lab.lap(m, "chain", 0, LAPS - 1)
	return (m.bpred.mispredicts - before) // LAPS, cycles
end

local sizes, rows = { 0, 2, 4, 8, 11, 12, 16 }, {}
for i, size in ipairs(sizes) do
	local wrong, cycles = measure{ ["ras.size"] = size, ["btb.sets"] = 0 }
	local helped = measure{ ["ras.size"] = size }
	rows[i] = { size, wrong, cycles, helped }
end
lab.table({ "ras.size", "wrong returns", "cycles", "wrong with a target buffer" }, rows)
for i, size in ipairs(sizes) do
	lab.expect("of 12 nested calls, with " .. size .. " entries, wrong returns", rows[i][2],
		math.max(0, DEPTH - size))
end
for i, size in ipairs(sizes) do
	lab.expect("with " .. size .. " entries and a target buffer", rows[i][4], 0)
end

lab.say [[The target buffer remembers where each return went last time. Every function here has one caller, so that is right; a
	function with many callers needs the stack. A wrong return costs as much as a wrong
	branch:]]
local _, short = measure{ ["btb.sets"] = 0 }
local _, long = measure{ ["btb.sets"] = 0, ["bpred.penalty"] = 8 }
lab.expect("5 cycles more of penalty, 4 wrong returns an iteration", long - short, 5 * 4)

lab.done()
