-- name:
-- answer seven ?
-- answer bits ?
--
-- A bimodal predictor: two-bit counters by address. Make it as good as the built-in `combined`, in
-- 16,384 bits of state at most.
local SIZE <const> = 2048

local function index(pc)
	return pc >> 1 & SIZE - 1
end

return {
	description = "two-bit counters",
	state = { counters = { SIZE, bits = 2, init = 2 } },
	predict = function(s, pc, history)
		return s.counters[index(pc)] >= 2
	end,
	update = function(s, pc, taken, history)
		s.counters:add(index(pc), taken and 1 or -1)
	end,
}
