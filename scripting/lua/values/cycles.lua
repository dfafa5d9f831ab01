-- Latencies of loads as they were, in cycles.
--
-- For profiles of how long loads take: a hotlist's shares make a mean. `latency` names the cache.

return {
	name = "cycles",
	capture = { load = "latency", atomic = "latency" },
	column = "cycles",
	sequence = function(seq, add)
		for _, t in ipairs(seq) do
			if t.latency then
				add(t.pc, t.latency)
			end
		end
	end,
}
