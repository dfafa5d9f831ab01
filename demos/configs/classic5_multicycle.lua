-- classic5 with multi-cycle units that are not pipelined: multiplier and floating-point adder take
-- the next instruction when the last one has left them, as the divider does in any case.
return {
	base = "classic5",
	description = "classic5 with multiplier and floating-point units that are not pipelined",
	occ = { imul = 7, fadd = 4, fmul = 7, fma = 11 },
}
