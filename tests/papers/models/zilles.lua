-- Data for zilles.py: records of loads that reach the co-processor's sample buffer, and where turns
-- end, for arrays of three sizes; then what Cyclops captures.
--
--     cyclops lua zilles.lua PROGRAM FOLDER INSTS [ARGS...]
local program, folder, insts = arg[1], arg[2], tonumber(arg[3])
local args = table.move(arg, 4, #arg, 1, {})
local values = require "cyclops.values"
local out <close> = assert(io.open(folder .. "/captured", "w"))
for _, slots in ipairs{ 256, 512, 1024 } do
	local f <close> = assert(io.open(("%s/records-%d"):format(folder, slots), "w"))
	local m <close> = cyclops.machine{ program = program, args = args, history = false,
		config = "zilles2001", firmware = "build/demos/firmware/cop_value.elf",
		set = { ["cop.enable"] = true, ["cop.cam"] = slots, ["cop.data"] = 4 * slots } }
	m:on("record", function(ev)
		if not ev.dropped then
			f:write(("%d\n"):format(ev.pc))
		end
	end)
	m:on("interrupt", function() f:write "turn\n" end)
	m:run{ insts = insts }
	local c = values.profile(m).counts
	out:write(("%d %d %d %d\n"):format(slots, c.samples, c.slots, c.seen))
end
