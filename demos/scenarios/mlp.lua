-- Memory-level parallelism: misses that don't depend on each other overlap.
--
-- Expect: a chain of misses takes the whole latency of memory each time. Two, four, eight chains
-- side by side take no longer than one, as long as there is a miss register (l1d.mshrs) for each.
-- With fewer, they take turns.
-- See it: cyclops build/demos/scenarios/mlp, then: tbreak chains8, continue, step 400, view mshr,
-- view pipe
local lab = require "lab"
lab.title "Overlapping misses"

local function machine(set)
	set["tlb.penalty"] = 0 -- page walks are another story
	return lab.machine("mlp", { set = set })
end

local m = machine{}
local memory = m.config["mem.latency"] -- m.mem is its contents
local way = m.lsq.agen_latency + m.l1d.latency + m.l2.latency + memory
	+ m.l2.line // m.bus.bytes * m.bus.cycles
lab.say(([[From the issue of a load that misses everywhere to its value: address %d, L1D %d, L2 %d, memory %d, and %d transfers over
	the bus, %d cycles in all. Then two additions make the next address of the chain.]]):format(m.lsq.agen_latency, m.l1d.latency,
	m.l2.latency, memory, m.l2.line // m.bus.bytes, way))

local counts, bars, lap = { 1, 2, 4, 8 }, {}, {}
for i, n in ipairs(counts) do
	lap[n] = lab.lap(m, "chains" .. n, 40, 60)
	bars[i] = { n .. (n == 1 and " chain" or " chains"), lap[n] / n }
	if n == 8 then
		lab.say "The miss registers, while eight chains wait:"
		lab.quote(m:cmd "view mshr")
	end
end
lab.say "Cycles for each miss:"
lab.bars(bars, "cycles")
lab.expect("one chain: the way to memory and two additions", lap[1], way + 2 * m.lat.int)
for _, n in ipairs{ 2, 4, 8 } do
	lab.expect(n .. " chains take as long as one", lap[n], lap[1])
end

lab.say "Eight chains, with fewer miss registers. Each register is taken while its line is on the way:"
local rows, few = {}, {}
for i, registers in ipairs{ 8, 4, 2, 1 } do
	m = machine{ ["l1d.mshrs"] = registers }
	few[registers] = lab.lap(m, "chains8", 40, 60)
	rows[i] = { registers, few[registers], m.l1d.mshr_full }
end
lab.table({ "l1d.mshrs", "cycles an iteration", "loads turned away" }, rows)
for _, registers in ipairs{ 4, 2, 1 } do
	lab.near("with " .. registers .. ", eight misses in turns", few[registers],
		8 / registers * (way - m.lsq.agen_latency), 2)
end

lab.done()
