-- Strides: how far apart an instruction's accesses to memory lie, one after the other.
--
-- Within one interpretation, for loops that it goes around more than once: -o vsample.length=128 -o
-- vsample.every=32 costs about as much as 4 instructions in every second interrupt, and sees loops
-- of up to 64. A stride that dominates is what a prefetch can be made of.

return {
	name = "strides",
	capture = { load = "address", store = "address" },
	column = "strides",
	sequence = function(seq, add)
		local last = {}
		for _, t in ipairs(seq) do
			if t.address then
				if last[t.pc] then
					add(t.pc, t.address - last[t.pc])
				end
				last[t.pc] = t.address
			end
		end
	end,
	format = function(value)
		return ("%+d"):format(value)
	end,
}
