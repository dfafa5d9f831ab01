-- Least recently used, as the caches have it without a plug-in; a policy of your own begins here.
--   cyclops run --plugin l1d.replacement=demos/plugins/lru.lua --summary build/demos/matmul
return {
	description = "least recently used",
	victim = function(s, set, ways)
		local oldest = 0
		for way = 1, ways.n - 1 do
			if ways[way].used < ways[oldest].used then
				oldest = way
			end
		end
		return oldest
	end,
}
