-- name: Lena Solution
-- answer sastry 5.4
-- answer random 11.1
-- answer bits 3072
--
-- Strata: a counter for each of 512 hashes of the tuple.
local EVERY <const>, STRATA <const> = 64, 512

local function stratum(pc, value)
	local x = (pc >> 1) * 2654435761 ~ (value >> 1) * 40503
	return (x ~ x >> 15 ~ x >> 27) & STRATA - 1
end

return {
	description = "512 strata, one tuple in 64 of each",
	state = {
		counters = { STRATA, bits = 6, init = { 0, 32, 16, 48, 8, 40, 24, 56 } },
	},
	take = function(s, pc, value, count)
		local i = stratum(pc, value)
		if s.counters[i] < EVERY - 1 then
			s.counters[i] = s.counters[i] + 1
			return
		end
		s.counters[i] = 0
		return pc, value, EVERY
	end,
}
