-- The machine of an empty configuration: the defaults of all parameters (`view config`). It has the
-- sizes of vaswani2003.lua; its fetch reads one line of the instruction cache a cycle, as most
-- machines do.
return {
	description = "the default: 4-wide out of order, RUU 64, LSQ 64 (Vaswani 2003, Table I, " ..
		"but one line a fetch)",
	pipe = { fetch_lines = 1 },
}
