-- name: Dora Solution
-- answer seven 2341
-- answer bits 4096
--
-- A tournament: two-bit counters by address, others by address and history, and a chooser.
local SIZE <const> = 1024

local function local_index(pc)
	return pc >> 1 & SIZE - 1
end
local function global_index(pc, history)
	return (pc >> 1 & 1 | (history & 255) << 2) & SIZE - 1
end

return {
	description = "a tournament of two predictors",
	state = {
		near = { SIZE, bits = 2, init = 2 },
		far = { SIZE, bits = 2, init = 2 },
		chooser = { SIZE, bits = 2, init = 2 },
	},
	predict = function(s, pc, history)
		if s.chooser[local_index(pc)] >= 2 then
			return s.far[global_index(pc, history)] >= 2
		end
		return s.near[local_index(pc)] >= 2
	end,
	update = function(s, pc, taken, history)
		local i, k = local_index(pc), global_index(pc, history)
		local a, b = s.near[i] >= 2 == taken, s.far[k] >= 2 == taken
		if a ~= b then
			s.chooser:add(i, b and 1 or -1)
		end
		s.near:add(i, taken and 1 or -1)
		s.far:add(k, taken and 1 or -1)
	end,
}
