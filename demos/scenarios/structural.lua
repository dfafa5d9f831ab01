-- A structural hazard: instructions that are ready, but have no unit.
--
-- Expect: a unit that is pipelined takes one instruction a cycle, so twelve multiplications on N
-- units take 12 / N cycles, and no latency matters. A divider is held for occ.idiv cycles. Beyond
-- what the front end delivers, more units help nothing.
-- See it: cyclops -o fu.imuldiv=1 build/demos/scenarios/structural, then: tbreak divide, continue,
-- step 60, view fu, why
local lab = require "lab"
lab.title "Structural hazards"

local function lap(label, set)
	local m = lab.machine("structural", { set = set })
	return lab.lap(m, label), m
end

lab.say [[Each loop has instructions of one kind that all could start at once. Fetch brings four a cycle from one line of 32 bytes.]]
local rows, units = {}, { 1, 2, 3, 4 }
local cycles = { multiply = {}, divide = {}, load = {} }
-- cycles of fetch: lines of 8 instructions, 4 at a time
local front = { multiply = 4, divide = 1, load = 3 }
for i, n in ipairs(units) do
	for label, pool in pairs{ multiply = "fu.imuldiv", divide = "fu.imuldiv",
		load = "fu.mem" } do
		cycles[label][n] = lap(label, { [pool] = n })
	end
	rows[i] = { n, cycles.multiply[n], cycles.divide[n], cycles.load[n] }
end
lab.table({ "units", "12 multiplications", "2 divisions", "8 loads" }, rows)

local m = lab.machine("structural",
	{ set = { ["fu.imuldiv"] = 1, ["pipe.rob_size"] = 8, ["pipe.fetch_queue"] = 4 } })
lab.lap(m, "divide")
lab.say "One divider: all operands are there, and each division waits for the one before it to leave the unit."
lab.pipe(m, 8)
lab.quote(m:cmd "why")

for _, n in ipairs(units) do
	lab.expect("12 multiplications on " .. n, cycles.multiply[n],
		math.max(12 // n, front.multiply))
end
lab.expect("8 loads, one port", cycles.load[1], 8)
lab.expect("8 loads, two ports", cycles.load[2], 4)
lab.expect("8 loads, four ports: fetch is the limit", cycles.load[4], front.load)
lab.expect("2 divisions, one divider: 2 * occ.idiv", cycles.divide[1], 2 * m.occ.idiv)
lab.expect("2 divisions, two dividers", cycles.divide[2], m.occ.idiv)
lab.expect("multiplications of 9 cycles take no longer", lap("multiply", { ["lat.imul"] = 9 }),
	cycles.multiply[2])
lab.expect("divisions that hold the unit for 5",
	lap("divide", { ["occ.idiv"] = 5, ["fu.imuldiv"] = 1 }), 10)

lab.done()
