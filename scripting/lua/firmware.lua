-- Read what firmware keeps in its memory.
--
-- The handler of demos/firmware/sampler.c folds the sampler's messages into a table of tuples. Read
-- it with
--
--     local profile, counts = require "cyclops.firmware".profile(m)
--
-- which returns a cyclops.profile of the tuples folded so far, and the handler's other counts.

local firmware = {}

local MAGIC = 0x6c7075742e637963
local WORDS = { "entries", "capacity", "interrupts", "messages", "tuples", "dropped_messages",
	"dropped_tuples", "table" }
local ENTRY = 32

local function header(m)
	local ok, at = pcall(function() return m.sampler_profile end)
	if not ok or math.type(at) ~= "integer" or m.mem:u64(at) ~= MAGIC then
		error("the firmware keeps no profile of tuples: it has no `sampler_profile` " ..
			"(demos/firmware/firmware.h)", 3)
	end
	local h = {}
	for i, name in ipairs(WORDS) do
		h[name] = m.mem:u64(at + 8 * i)
	end
	return h
end

--- firmware.profile(MACHINE) -> PROFILE, { entries =, capacity =, interrupts =, messages =, tuples =, ... }
-- The tuples that the handler has folded so far, and its own counts, including dropped_messages and
-- dropped_tuples.
function firmware.profile(m)
	local h, p = header(m), cyclops.profile()
	local bytes = h.table ~= 0 and m.mem:bytes(h.table, h.capacity * ENTRY) or ""
	for at = 1, #bytes, ENTRY do
		local pc, value, n = string.unpack("<i8i8i8", bytes, at)
		if pc ~= 0 then
			p:add(pc & (1 << 56) - 1, value, pc >> 56, n)
		end
	end
	return p, h
end

return firmware
