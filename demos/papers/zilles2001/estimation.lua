-- The cost of the estimation at the end, executed by the machine (estimate.c).
local guest, inputs, values = require "guest", require "inputs", require "cyclops.values"

local estimation = { program = "build/demos/papers/zilles2001/estimate" }

local BLOCK <const> = 1 << 16

local function run(o, name, passes)
	local m <close> = guest.machine(o, { args = { name, passes } },
		{ program = estimation.program, config = "zilles2001", name = "estimate of " ..
		name })
	m:finish()
	guest.whole(m)
	local said = m:output()
	return m.cycle, tonumber(said) or error(("%s printed: %s"):format(estimation.program, said))
end

--- estimation.cycles(o, MACHINE, NAME) -> CYCLES
-- For the value profile of this machine's firmware; its table becomes a file of o.input,
-- NAME.table. The program estimates as cyclops.values does.
function estimation.cycles(o, m, name)
	local p = values.profile(m)
	local h, path = p.counts, ("%s/%s.table"):format(o.input, name)
	local f = assert(io.open(inputs.file(o, path), "wb"))
	for first = 0, h.capacity * h.entry_bytes - 1, BLOCK do
		f:write(
			m.mem:bytes(h.table + first,
			math.min(BLOCK, h.capacity * h.entry_bytes - first)))
	end
	f:close()
	local sum = 0
	for _, _, estimate in p:each() do
		sum = sum + estimate
	end
	local none, without = run(o, path, 0)
	local once, estimated = run(o, path, 1)
	assert(without == 0 and math.abs(estimated - sum) < 1e-6,
		("%s estimates %.9f in all, cyclops.values %.9f"):format(estimation.program,
		estimated, sum))
	return once - none
end

return estimation
