-- Section 5.3.2 executed: the paper reckons 30 cycles a message, of which an interrupt's 214 for each 100 messages are a part. Here firmware
-- (demos/firmware/sampler.c) takes the interrupt and folds the messages into a profile, on the machine that it profiles.
--
-- What to expect: cycles per message of the same size as the model's, more where tuples are many: the profile doesn't fit into the cache.
--
--     cyclops lua demos/papers/sastry2001/executed.lua [--small] [--programs A,B] [--events N] [--out FOLDER]
local runs, compressors, report = require "runs", require "compressors", require "report"
local e = runs.open(arg)
local FIRMWARE <const> = "build/demos/firmware/sampler.elf"
local events = e.events or e.small and 100000 or 1000000

report.title("Overhead, executed and by the model: messages of the first %s loads, 100 an interrupt", report.number(events))
local function run(program, compressor, firmware)
	local m <close> = cyclops.machine{ program = "build/demos/" .. program.name, args = program.args, input = program.input, config = "sastry2001", history = false,
		firmware = firmware, set = { ["sampler.enable"] = true, ["sampler.compressor"] = compressors.text[compressor],
			["sampler.reader"] = firmware and "interrupt" or "service" } }
	local rows = m.sampler:series{ every = events, until_tuples = events }
	return rows[#rows], m.insts
end

local rows, most, least = {}, 0, math.huge
for _, name in ipairs(e.only or { "lisp", "chess" }) do
	local program = e:program(name)
	for _, compressor in ipairs(compressors.main) do
		local quiet, handled = run(program, compressor), run(program, compressor, FIRMWARE)
		-- None if no interrupt came.
		local each = handled.read > 0 and (handled.cycles - quiet.cycles) / handled.read or nil
		most, least = math.max(most, each or 0), math.min(least, each or math.huge)
		rows[#rows + 1] = { name .. ", " .. compressor, handled.messages, handled.interrupts, 3000 * quiet.messages / quiet.cycles,
			100 * handled.model_overhead, 100 * handled.measured_overhead, 100 * (handled.cycles / quiet.cycles - 1), each or "" }
	end
end
report.table({ { "program and compressor" }, { "messages", 0 }, { "interrupts", 0 }, { "30 a message, %", 2 }, { "30 and 214 an interrupt, %", 2 },
	{ "firmware's cycles, %", 2 }, { "longer run, %", 2 }, { "cycles a message", 1 } }, rows)
print()
report.shape(most <= 30, "handling a message takes 30 cycles in the worst case: %.1f to %.1f here", least, most)
