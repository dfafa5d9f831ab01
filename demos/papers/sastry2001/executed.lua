-- Section 5.3.2 executed: the paper estimates 30 cycles a message, including an interrupt's 214 per
-- 100 messages. Here firmware (demos/firmware/sampler.c) handles the interrupt and folds the
-- messages into a profile, on the profiled machine.
--
-- Expect: cycles per message above the model's, of the same order. Most are firmware's
-- instructions, and reads of the sampler's registers, one after another. A second table has the
-- cycles that remain if misses take no time, and the number of messages without room in firmware's
-- table, for which it probes sixteen entries in vain.
--
--     cyclops lua demos/papers/sastry2001/executed.lua [--small] [--programs A,B] [--events N] [--out FOLDER]
local runs, compressors, guest, report = require "runs", require "compressors", require "guest",
	require "report"
local e = runs.open(arg)
local FIRMWARE <const> = "build/demos/firmware/sampler.elf"
local events = e.events or e.small and 100000 or 1000000

report.title(
	"Overhead, executed and by the model: messages of the first %s loads, 100 an interrupt",
	report.number(events))
-- Data come in a few cycles wherever they are.
local NO_MISSES <const> = { ["l1d.size"] = 8 << 20, ["l1d.ways"] = 8, ["dtlb.sets"] = 1024,
	["tlb.penalty"] = 0, ["l2.latency"] = 1, ["mem.latency"] = 1,
	["bus.bytes"] = 64, ["bus.cycles"] = 1 }

local function run(program, compressor, firmware, more)
	local set = { ["sampler.enable"] = true, ["sampler.compressor"] =
		compressors.text[compressor], ["sampler.reader"] = firmware and "interrupt"
		or "service" }
	for key, value in pairs(more or {}) do
		set[key] = value
	end
	local m <close> = guest.machine(e, program, { program = "build/demos/" .. program.name,
		config = "sastry2001", firmware = firmware, set = set,
		name = program.name .. " " .. compressor })
	local rows = m.sampler:series{ every = events, until_tuples = events }
	guest.reached(m, events, m.stats["sampler.selected"], "loads")
	local row = rows[#rows]
	if firmware then
		local _, counts = require "cyclops.firmware".profile(m)
		row.insts_each = m.stats["firmware.insts"] / row.read
		row.dropped = counts.dropped_messages
	end
	return row
end

-- Cycles that the run is longer by for each message; nil if no interrupt came.
local function each(quiet, handled)
	return handled.read > 0 and (handled.cycles - quiet.cycles) / handled.read or nil
end

local rows, why, most, least, slowest = {}, {}, 0, math.huge, 0
for _, name in ipairs(e.only or { "lisp", "chess" }) do
	local program = e:program(name)
	for _, compressor in ipairs(compressors.main) do
		local quiet, handled = run(program, compressor), run(program, compressor, FIRMWARE)
		local cost = each(quiet, handled)
		local quick = cost and each(run(program, compressor, nil, NO_MISSES),
			run(program, compressor, FIRMWARE, NO_MISSES))
		most, least, slowest = math.max(most, cost or 0),
			math.min(least, cost or math.huge), math.max(slowest, quick or 0)
		local what = name .. ", " .. compressor
		rows[#rows + 1] = { what, handled.messages, handled.interrupts,
			3000 * quiet.messages / quiet.cycles, 100 * handled.model_overhead,
			100 * handled.measured_overhead, 100 * (handled.cycles / quiet.cycles - 1),
			cost or "" }
		why[#why + 1] = { what, cost or "", cost and handled.insts_each or "", quick or "",
			cost and cost - quick or "",
			cost and 100 * handled.dropped / handled.read or "" }
	end
end
report.table({ { "program and compressor" }, { "messages", 0 }, { "interrupts", 0 },
	{ "30 a message, %", 2 }, { "30 and 214 an interrupt, %", 2 },
	{ "firmware's cycles, %", 2 }, { "longer run, %", 2 }, { "cycles a message", 1 } }, rows)
print()
report.shape(most <= 30, "handling a message takes 30 cycles in the worst case: %.1f to %.1f here",
	least, most)
print()
report.table({ { "what a message costs" }, { "cycles", 1 }, { "instructions", 1 },
	{ "if misses take no time", 1 }, { "of misses", 1 }, { "found no room, %", 1 } }, why)
print()
report.shape(slowest <= 30, "if misses take no time it takes 30 cycles at most: %.1f here", slowest)
