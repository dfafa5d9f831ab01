-- Runs do not end at a procedure whose calls differ in the program laid out again.
--
--     cyclops lua tests/bakeoff/stop.lua N      segments of the program, as readelf counts them
local bakeoff = require "cyclops.bakeoff"
local PROGRAM <const> = "build/tests/bakeoff/segments"
local segments = assert(math.tointeger(tonumber(arg[1])))

local function stop(most)
	return bakeoff.find_stop{ program = PROGRAM, name = "segments", args = { tostring(most) },
		max_insts = 300000 }
end

local function insts(at, most, instrument)
	local m <close> = cyclops.machine{ program = PROGRAM, args = { tostring(most) },
		instrument = instrument, history = false }
	local ended = bakeoff.stop_there(m, at)
	repeat
		m:run()
	until ended()
	return m.insts
end

local same, other = stop(9), stop(segments)
assert(same.name == "noise", same.name)
assert(other.name ~= "noise", "it ends where the other program has come three times as often")
for most, at in pairs{ [segments] = other, [9] = same } do
	local alone, moved = insts(at, most), insts(at, most, "nothing")
	assert(math.abs(moved / alone - 1) <= 0.05, ("%d and %d instructions"):format(alone, moved))
end
