-- Counters of whole tuples in sets of two, as a stage of the stream sampler's compressor: far
-- cheaper to search than A(128), and as exact. A new tuple in a full set replaces the one with the
-- lower count, which is sent:
--   cyclops run --plugin demos/plugins/two_way.lua --stats - build/demos/branchy
local SETS <const>, MOST <const> = 64, 255

local function set_of(pc, value)
	local h = pc >> 1 ~ value ~ value >> 6
	return h & SETS - 1
end

return {
	description = "64 sets of two counters of 8 bits",
	state = {
		pcs = { 2 * SETS, bits = 64 },
		values = { 2 * SETS, bits = 64 },
		counts = { 2 * SETS, bits = 8 },
	},
	take = function(s, pc, value, count)
		local first = 2 * set_of(pc, value)
		local way = s.counts[first] <= s.counts[first + 1] and first or first + 1
		for i = first, first + 1 do
			if s.counts[i] > 0 and s.pcs[i] == pc and s.values[i] == value then
				if s.counts[i] + count < MOST then
					s.counts:add(i, count)
					return
				end
				local all = s.counts[i] + count
				s.counts[i] = 0
				return pc, value, all
			end
		end
		if count >= MOST then
			return pc, value, count
		end
		local old_pc, old_value, old = s.pcs[way], s.values[way], s.counts[way]
		s.pcs[way], s.values[way], s.counts[way] = pc, value, count
		if old > 0 then
			return old_pc, old_value, old
		end
	end,
	drain = function(s)
		for i = 0, 2 * SETS - 1 do
			local count = s.counts[i]
			if count > 0 then
				s.counts[i] = 0
				return s.pcs[i], s.values[i], count
			end
		end
	end,
}
