-- What the estimation at the end costs, executed by the machine (estimate.c).
local values = require "cyclops.values"

local estimation = { program = "build/demos/papers/zilles2001/estimate" }

local BLOCK <const> = 1 << 16

local function run(path, passes)
	local m <close> = cyclops.machine{ program = estimation.program, args = { path, passes }, config = "zilles2001", history = false }
	m:finish()
	local said = m:output()
	return m.cycle, tonumber(said) or error(("%s said: %s"):format(estimation.program, said))
end

--- estimation.cycles(MACHINE, PATH) -> CYCLES
-- Of the value profile that this machine's firmware keeps; its table is written to PATH, below the current directory. What the program
-- estimates is what cyclops.values does.
function estimation.cycles(m, path)
	local p = values.profile(m)
	local h, f = p.counts, assert(io.open(path, "wb"))
	for first = 0, h.capacity * h.entry_bytes - 1, BLOCK do
		f:write(m.mem:bytes(h.table + first, math.min(BLOCK, h.capacity * h.entry_bytes - first)))
	end
	f:close()
	local sum = 0
	for _, _, estimate in p:each() do
		sum = sum + estimate
	end
	local none, without = run(path, 0)
	local once, estimated = run(path, 1)
	assert(without == 0 and math.abs(estimated - sum) < 1e-6, ("%s estimates %.9f in all, cyclops.values %.9f"):format(estimation.program,
		estimated, sum))
	return once - none
end

return estimation
