-- Data for ammons.py: the paths of a program with two metrics, instructions and mispredictions.
--
--     cyclops lua ammons.lua PROGRAM FOLDER [ARGS...]
local program, folder = arg[1], arg[2]
local args = table.move(arg, 3, #arg, 1, {})
local m <close> = cyclops.machine{ program = program, args = args, history = false,
	config = "ammons1997", instrument = "path+hw", metrics = "sim.insts,bpred.mispredicts" }
m:run()
local f <close> = assert(io.open(folder .. "/paths", "w"))
for _, row in ipairs(m:report "hot-paths all".rows) do
	f:write(("%s %d %d %d %s\n"):format(row["function"], row.count, row.metric0, row.metric1,
		row.offsets))
end
