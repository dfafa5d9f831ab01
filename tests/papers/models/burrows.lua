-- Data for burrows.py: instructions that the value sampler interprets, one a line, with the number
-- of their sequence; and the pairs that the module vreplay makes of them, with their counts.
--
--     cyclops lua burrows.lua PROGRAM FOLDER INSTS [ARGS...]
local program, folder, insts = arg[1], arg[2], tonumber(arg[3])
local m <close> = cyclops.machine{ program = program, args = table.move(arg, 4, #arg, 1, {}),
	history = false, config = "burrows2000", values = "vreplay",
	set = { ["vsample.length"] = 128, ["vsample.every"] = 1, ["vsample.interval_min"] = 300,
		["vsample.interval_max"] = 500, ["vsample.queue"] = 4096, ["vsample.service"] = 1,
		["values.method"] = "exact", ["vsample.interrupt_cycles"] = 1,
		["vsample.start_cycles"] = 0, ["vsample.inst_cycles"] = 1,
		["vsample.tuple_cycles"] = 0 } }
local f <close> = assert(io.open(folder .. "/sequences", "w"))
local number = 0
m:on("interpret", function(ev)
	if ev.recorded then
		f:write(("%d %d %d %s\n"):format(number, ev.pc, ev.addr or 0, ev.text))
	end
end)
m:on("interpreted", function() number = number + 1 end)
m:run{ until_insts = insts }
-- The daemon is done with what was recorded.
m:run{ until_insts = insts + 1500 }
local out <close> = assert(io.open(folder .. "/pairs", "w"))
for list in m.values:each("vreplay", "exact") do
	for _, v in ipairs(list) do
		out:write(("%d %d %d %d\n"):format(list.pc, v.value >> 2, v.value & 3, v.count))
	end
end
