-- Two-bit counters, chosen by address and by the last six outcomes.
return {
	state = { counters = { 1024, bits = 2, init = 2 } },
	predict = function(s, pc, history)
		return s.counters[(pc >> 1 ~ (history & 63) << 4) & 1023] >= 2
	end,
	update = function(s, pc, taken, history)
		s.counters:add((pc >> 1 ~ (history & 63) << 4) & 1023, taken and 1 or -1)
	end,
}
