-- Static re-reference interval prediction of Jaleel et al. (ISCA 2010): lines that are not used
-- again leave early, so that a long walk does not drive out what is used often. For caches of up to
-- 1024 sets of 16 ways:
--   cyclops run --plugin l2.replacement=demos/plugins/srrip.lua -o l2.size=64K --summary \
--     build/demos/linked
local WAYS <const>, FAR <const> = 16, 3

return {
	description = "SRRIP with two bits a line",
	state = {
		intervals = { 1024 * WAYS, bits = 2, init = FAR },
	},
	used = function(s, set, way, fill)
		s.intervals[set * WAYS + way] = fill and FAR - 1 or 0
	end,
	victim = function(s, set, ways)
		while true do
			for way = 0, ways.n - 1 do
				if s.intervals[set * WAYS + way] == FAR then
					return way
				end
			end
			for way = 0, ways.n - 1 do
				s.intervals:add(set * WAYS + way, 1)
			end
		end
	end,
}
