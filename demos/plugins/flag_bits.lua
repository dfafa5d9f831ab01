-- Fetch's expectation of profile flags without a plug-in (Vaswani, IV.A): a bit for each block
-- descriptor, the flag when decode last met the block; and for a branch the last setpf or resetpf.
-- A predictor of your own begins here.
--   cyclops run --plugin demos/plugins/flag_bits.lua --stats - build/demos/xprof/checks
--   cyclops run --stats - build/demos/xprof/checks
local ENTRIES <const> = 64 * 2 -- bdt.sets * bdt.ways; a larger table shares them

return {
	description = "a prediction bit for each block descriptor",
	state = {
		on = { ENTRIES, bits = 1 },
	},
	flag = function(s, a)
		if a.entry then
			return s.on[a.entry & ENTRIES - 1] == 1
		end
		return a.bit
	end,
	decoded = function(s, a)
		if a.entry then
			s.on[a.entry & ENTRIES - 1] = a.on and 1 or 0
		end
	end,
}
