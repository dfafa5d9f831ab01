-- Strides: the distances between an instruction's consecutive memory accesses.
--
-- Within one interpretation, for loops of which it covers several iterations: -o vsample.length=128
-- -o vsample.every=32 costs about as much as 4 instructions in every second interrupt, and covers
-- loops of up to 64 instructions. A dominant stride can be prefetched.

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
