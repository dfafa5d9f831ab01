-- The simplest predictor of profile flags: each flag is what decode found it to be when it last met
-- an instruction of its type. It has eight bits, and ignores setpf and resetpf, which fetch sees
-- earlier. If a program switches a flag for a whole piece of work, it is wrong once, not once for
-- each block:
--   cyclops run --plugin demos/plugins/flag_last.lua --stats - build/demos/xprof/checks
return {
	description = "the last value of each flag",
	state = {
		last = { 8, bits = 1 },
	},
	flag = function(s, a)
		return s.last[a.type] == 1
	end,
	decoded = function(s, a)
		s.last[a.type] = a.on and 1 or 0
	end,
}
