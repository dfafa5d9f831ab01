-- name:
-- answer sastry ?
-- answer random ?
-- answer bits ?
--
-- A profiler of branches and calls: each taken edge comes as a tuple <pc, target>, and a returned
-- tuple goes to software as a message. This one returns every 64th tuple, which stands for all 64.
-- Be as near to the truth as you can with 4,096 bits of hardware, and as few messages.
local EVERY <const> = 64

return {
	description = "one tuple in 64",
	state = {
		counter = { 1, bits = 6 },
	},
	take = function(s, pc, value, count)
		if s.counter[0] < EVERY - 1 then
			s.counter[0] = s.counter[0] + 1
			return
		end
		s.counter[0] = 0
		return pc, value, EVERY
	end,
}
