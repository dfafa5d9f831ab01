-- McFarling's gshare: 1024 two-bit counters, chosen by branch address and history together. It
-- predicts what the built-in one does:
--   cyclops run -o bpred.update=commit --plugin demos/plugins/gshare.lua --summary \
--     build/demos/branchy
--   cyclops run -o bpred.update=commit -o bpred.kind=gshare --summary build/demos/branchy
local SIZE <const> = 1024

local function index(pc, history)
	return (pc >> 1 ~ history) & SIZE - 1
end

return {
	description = "gshare with 1024 counters",
	state = {
		-- weakly taken and weakly not taken by turns
		counters = { SIZE, bits = 2, init = { 1, 2 } },
	},
	predict = function(s, pc, history)
		return s.counters[index(pc, history)] >= 2
	end,
	update = function(s, pc, taken, history)
		s.counters:add(index(pc, history), taken and 1 or -1)
	end,
}
