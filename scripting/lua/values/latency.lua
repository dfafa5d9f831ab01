-- Latencies of loads in bins: D is the primary cache, B the secondary (board) cache, M memory. d is
-- the primary cache, too, but the line was brought by a load so little before that both would be in
-- the window at once: if this one doesn't wait for that one's data, it waits for the line.
--
-- More latencies than a hotlist holds come from few causes, so they are put into bins between the
-- latencies that a probe program measures on this machine before the run: it follows pointers
-- through lines that are in L1D, in L2 or in neither. A bin reaches to the middle between two of
-- them.

local names <const> = { "D", "B", "M", "d" }
local measured = machine.latencies()

local function bin_of(cycles)
	for i = 1, #measured - 1 do
		if 2 * cycles <= measured[i] + measured[i + 1] then
			return i
		end
	end
	return #measured
end

return {
	name = "latency",
	capture = { load = "latency", atomic = "latency" },
	column = "latencies",
	sequence = function(seq, add)
		for _, t in ipairs(seq) do
			if t.latency then
				add(t.pc, t.delayed and 4 or bin_of(t.latency))
			end
		end
	end,
	format = function(value)
		return names[value] or tostring(value)
	end,
}
