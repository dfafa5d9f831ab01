-- Writes the loads that a program commits as records of the co-processor: 16 bytes each, pc and
-- result.
--
--   cyclops lua tests/cop/record_loads.lua FILE COUNT PROGRAM ARGUMENTS...
local path, most = arg[1], tonumber(arg[2])
local m = cyclops.machine{ program = arg[3], args = table.move(arg, 4, #arg, 1, {}),
	history = false }
local records = {}
m:on("commit", { class = "load" }, function(e)
	records[#records + 1] = string.pack("<i8i8", e.pc, e.result)
	return #records >= most and "stop" or nil
end)
m:run{ insts = 20000 } -- start-up code, whose loads are seldom executed twice
local f <close> = assert(io.open(path, "wb"))
m:run{ insts = 100 * most }
f:write(table.concat(records))
