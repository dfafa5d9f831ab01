-- Value profiling on a machine: the handlers' profiles, their lack of side effects, and their
-- readers.
package.path = "tests/lua/?.lua;" .. package.path
local check = require "check"
local values = require "cyclops.values"

local VALUE <const>, SAMPLE <const> = "build/demos/firmware/cop_value.elf",
	"build/demos/firmware/cop_sample.elf"
local LISP <const>, LISP_ARGS <const> = "build/demos/lisp", { "demos/programs/input/queens.lisp" }

local function open(firmware, set)
	local all = { ["oracle.enable"] = true, ["oracle.values"] = "loads",
		["cop.enable"] = firmware and true or nil }
	for name, value in pairs(set or {}) do
		all[name] = value
	end
	return cyclops.machine{ program = LISP, args = LISP_ARGS, firmware = firmware, set = all,
		history = false }
end

-- ---- the oracle's counts ----
do
	local m = open(nil, {})
	m:run{ insts = 20000 }
	local report, truth, counted = m:report "oracle values all", values.truth(m), 0
	for _, row in ipairs(report.rows) do
		local load, distinct = truth[row.address], 0
		check.eq(load and load.count, row.count, row.place)
		for value, n in pairs(load.values) do
			distinct, counted = distinct + 1, counted + n
			check.ok(value >= 0 and value < 1 << 32)
		end
		check.ok(distinct <= row.distinct, "lowest 32 bits are no more values")
		check.ok(
			load.values[row.top & 0xffffffff] >= row.count * row.invariance / 100 - 0.5,
			row.place)
	end
	local loads = 0
	for pc, zero, n in m:exact "instructions" do
		check.eq(zero, 0)
		loads = loads + (truth[pc] and n or 0)
	end
	check.eq(loads, counted, "each load has a value")
	check.fails(function() m:exact "value" end, "expected instructions, edges, values, addresses")
	check.fails(function() m:exact "edges" end, "oracle.blocks=true")
	check.fails(function() values.profile(m) end, "keeps no profile of values")
	check.fails(function() cyclops.machine{ program = LISP }:exact "values" end,
		"oracle.enable=true")
end

-- ---- zero bad counts: long-lived values ----
do
	local m = cyclops.machine{ program = "build/tests/cop/phases", firmware = VALUE,
		set = { ["cop.enable"] = true }, history = false }
	m:run()
	local p = values.profile(m, { rest = true })
	local found = {}
	for _, load in ipairs(p:constant_for_long()) do
		local f = m:sym(load.pc)
		if f and f.name:match "^load_" then
			found[#found + 1] = f.name
			table.sort(load.values)
			for i, v in ipairs(load.values) do
				check.ok(v >= 100 and v <= 103, "a value of the load's phases")
				check.ok(i == 1 or v ~= load.values[i - 1], "each once")
			end
			check.eq(load.samples, p.loads[load.pc].samples)
		end
	end
	check.eq(table.concat(found, " "), "load_phase", "no load but the one with phases")
	check.eq(#p:constant_for_long(1 << 40), 0)
end

-- ---- estimates and their error, with numbers computed by hand ----
local function shares(samples, ...)
	local load = { samples = samples, values = {} }
	for _, v in ipairs{ ... } do
		table.insert(load.values, { hits = v[1], misses = v[2] })
	end
	local text = {}
	for i, v in ipairs(values.estimate(load).values) do
		text[i] = ("%.4f"):format(v.estimate)
	end
	return table.concat(text, " ")
end
check.eq(shares(80, { 60, 20 }), "0.7500", "all samples are the value's")
-- At most 59 of 79 + 8 of the other's misses, and 9 of 19 + 8.
check.eq(shares(100, { 60, 20 }, { 10, 10 }), ("%.4f %.4f"):format((60 + 10 * 59 / 87) / 100,
	(10 + 20 * 9 / 27) / 100), "misses")
-- In proportion to hits: a fourth of 12 misses to the first, the rest to the second, which are
-- their true counts.
check.eq(shares(512, { 50, 0 }, { 150, 0 }, { 300, 12 }), ("%.4f %.4f %.4f"):format((50 + 3) / 512,
	(150 + 9) / 512, 300 / 512), "misses, in proportion")
check.eq(shares(300, { 50, 10 }), ("%.4f"):format((50 + 240 / 6) / 300),
	"of the rest a sixth at most")
check.eq(shares(320, { 20, 0 }, { 20, 0 }, { 20, 0 }, { 20, 0 }, { 20, 0 }, { 20, 0 }, { 20, 0 },
	{ 20, 0 }),
	(("%.4f "):format((20 + 160 / 8) / 320):rep(8)):sub(1, -2), "of the rest equal parts")
check.eq(shares(1000, { 1, 0 }), "0.0010", "a value that came once")
check.eq(shares(1000, { 2, 9 }), ("%.4f"):format((2 + 989 * 1 / 18) / 1000),
	"of the rest as often as it was seen")
do
	local p = { loads = { [16] = { values = { { value = 1, estimate = 0.5 } } } } }
	local truth = { [16] = { count = 100, values = { [1] = 75, [2] = 25 } },
		[32] = { count = 100, values = { [7] = 100 } } }
	check.ok(
		math.abs(values.error(p, truth) - math.sqrt(
		(75 * 0.25 ^ 2 + 25 * 0.25 ^ 2 + 100) / 200)) < 1e-12, "an error")
end

-- ---- the profiles ----
for _, firmware in ipairs{ VALUE, SAMPLE } do
	local m = open(firmware)
	m:run{ insts = 1500000 }
	local p, truth = values.profile(m), values.truth(m)
	local loads, samples, pairs_seen, last = 0, 0, 0, 0
	for pc, load in pairs(p.loads) do
		local hits = 0
		loads, samples = loads + 1, samples + load.samples
		for i, v in ipairs(load.values) do
			hits, pairs_seen = hits + v.hits, pairs_seen + 1
			check.ok(v.estimate > 0 and v.estimate <= 1, "a share")
			check.ok(i == 1 or v.estimate <= load.values[i - 1].estimate,
				"the most frequent first")
			check.ok(truth[pc].values[v.value], ("0x%x did load 0x%x"):format(pc,
				v.value))
			check.ok(v.hits <= truth[pc].values[v.value], "no more often than it did")
		end
		check.ok(hits <= load.samples and load.samples <= truth[pc].count,
			"samples of what was executed")
	end
	check.eq(samples + p.counts.dropped, p.counts.samples)
	check.ok(p.counts.interrupts > 0 and p.counts.fault == 0)
	check.eq(p.cost.cycles, m.firmware.cycles)
	check.ok(math.abs(p.cost.per_sample * p.counts.samples - p.cost.cycles) < 1)
	check.ok(math.abs(p.cost.per_interrupt * m.firmware.interrupts - p.cost.cycles) < 1)
	check.eq(p.cost.per_slot == nil, firmware == SAMPLE)
	check.eq(p.kind, firmware == VALUE and "values" or "samples")
	check.eq(p.counts.entries, firmware == VALUE and loads or pairs_seen)
	for pc, value, estimate, n in p:each() do
		check.ok(pc >= last, "by pc")
		last, pairs_seen = pc, pairs_seen - 1
		check.eq(p:estimate(pc, value), estimate)
		check.eq(n, p.loads[pc].samples)
	end
	check.eq(pairs_seen, 0, "each value once")
	check.eq(p:estimate(1, 2), 0)
	local all, more = values.profile(m, { rest = true }), 0
	for pc, load in pairs(all.loads) do
		local had = p.loads[pc] and p.loads[pc].samples or 0
		check.ok(load.samples >= had and load.samples <= truth[pc].count, "more samples")
		more = more + load.samples - had
		for _, v in ipairs(load.values) do
			check.ok(truth[pc].values[v.value] and v.hits <= truth[pc].values[v.value],
				"of what was loaded")
		end
	end
	check.ok(firmware == VALUE and more > 0 or more == m.cop.x0,
		more .. " samples that the handler has not read")
	local wrong = values.error(p, truth)
	check.ok(wrong > 0 and wrong < 0.4, "an error of " .. wrong)
	check.eq(values.error({ loads = {} }, truth) > wrong, true, "knowing nothing is worse")
end
check.done()
