-- The load-use stall: a load's value comes too late for the next instruction.
--
-- Expect: on classic5 (in order) each cycle of cache latency that nothing fills is a bubble, and a
-- compiler that moves two instructions between load and use hides two. Out of order the order in
-- the program does not matter; only what really depends on the load waits.
-- See it: cyclops --config classic5 build/demos/scenarios/load_use, then: tbreak near, continue,
-- step 40, view pipe
local lab = require "lab"
lab.title "Load-use stall"

lab.say [[In a pipeline of five stages the ALU works in X and the cache in M, one stage later. An
	instruction directly after a load needs the value in X while the load is still in M: it
	stays in D for a cycle.]]
local m = lab.machine("load_use", { config = "classic5" })
lab.lap(m, "near")
m:step(10)
lab.pipe(m, 10)

lab.say [[The same five instructions an iteration, with the user directly after the load and two
	instructions later:]]
local rows, near, far = {}, {}, {}
for latency = 1, 4 do
	-- A slower cache has more stages; all instructions go through them, so that none is written
	-- together with a load.
	m = lab.machine("load_use", { config = "classic5", set = { ["l1d.latency"] = latency,
		["pipe.memory_stage"] = latency } })
	near[latency], far[latency] = lab.lap(m, "near"), lab.lap(m, "far")
	rows[latency] = { "classic5, L1D of " .. latency, near[latency], far[latency] }
end
lab.table({ "cycles an iteration", "next to it", "two apart" }, rows)
for latency = 1, 4 do
	lab.expect("next to it, every cycle of latency " .. latency .. " is a bubble",
		near[latency] - far[1], latency)
	lab.expect("two apart, two of them are filled", far[latency] - far[1],
		math.max(0, latency - 2))
end

lab.say [[Out of order, the user waits alone, and later instructions continue. Only the true
	dependence is left: a load that needs the one before it takes address and cache, and no
	order of instructions helps.]]
rows = {}
for latency = 2, 4 do
	m = lab.machine("load_use", { set = { ["l1d.latency"] = latency } })
	local n, f, chase = lab.lap(m, "near"), lab.lap(m, "far"), lab.lap(m, "chase")
	rows[#rows + 1] = { "default, L1D of " .. latency, n, f, chase }
	lab.expect("order does not matter, L1D of " .. latency, n, f)
	lab.expect("a chain of loads: lsq.agen_latency + l1d.latency", chase,
		m.lsq.agen_latency + latency)
end
lab.table({ "cycles an iteration", "next to it", "two apart", "chain" }, rows)

lab.done()
