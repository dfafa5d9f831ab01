-- Prefetching: lines requested before the program needs them.
--
-- Expect: a program that goes through memory line by line, and can't look ahead by itself, takes
-- the whole latency of memory for each line. A prefetcher that requests the next D lines makes it D
-- + 1 times as fast. Without a pattern it gains nothing, and its useless lines occupy the bus.
-- See it: cyclops -o l1d.prefetch=stride build/demos/scenarios/prefetch, then: tbreak stream,
-- continue, step 600, view mshr
local lab = require "lab"
local LAPS = 100
lab.title "Prefetching"

-- Cycles of an iteration, cycles of the bus for it, and the machine.
local function measure(label, kind, degree)
	local m = lab.machine("prefetch",
		{ set = { ["l1d.prefetch"] = kind, ["l1d.prefetch_degree"] = degree,
		["l1d.mshrs"] = 32,
		["l1d.line"] = 64, ["tlb.penalty"] = 0 } })
	lab.lap(m, label, 100, 1)
	local bus = m.bus.busy
	local cycles = lab.lap(m, label, 0, LAPS)
	return cycles, (m.bus.busy - bus) / (LAPS + 1), m
end

lab.say [[The address of each load needs the value of the one before it, so the window can't overlap them. A prefetcher needs no values:
	it guesses from the addresses.]]
local rows, bars, lap = {}, {}, {}
local alone, bus = measure("stream", "none", 1)
local walk, walk_bus = measure("scattered", "none", 1)
rows[1] = { "none", 0, alone, bus, walk, walk_bus }
bars[1] = { "none", alone }
for _, kind in ipairs{ "next-line", "stride" } do
	for _, degree in ipairs{ 1, 2, 4 } do
		local a, b = measure("stream", kind, degree)
		local c, d = measure("scattered", kind, degree)
		rows[#rows + 1] = { kind, degree, a, b, c, d }
		bars[#bars + 1] = { kind .. " " .. degree, a }
		lap[kind .. degree] = { a, b, c, d }
	end
end
lab.table({ "l1d.prefetch", "lines", "stream, cycles", "bus", "scattered, cycles", "bus" }, rows)
lab.bars(bars, "cycles a line")

for _, kind in ipairs{ "next-line", "stride" } do
	for _, degree in ipairs{ 1, 2, 4 } do
		lab.near(("%s, %d ahead: %d lines in the time of one"):format(kind, degree,
			degree + 1), lap[kind .. degree][1],
			alone / (degree + 1), 2)
		lab.near("and the bus carries no more lines", lap[kind .. degree][2], bus, 2)
	end
end
lab.near("scattered, next-line: not faster", lap["next-line1"][3], walk, 10)
lab.holds("but the bus carries more than half as much again", lap["next-line1"][4] > 1.5 * walk_bus)
lab.near("scattered, stride: finds no stride, and requests hardly a line", lap.stride4[4],
	walk_bus, 10)

lab.done()
