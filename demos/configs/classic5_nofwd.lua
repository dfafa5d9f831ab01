-- classic5 without forwarding: an instruction stays in decode until the registers have its operands;
-- it reads a register in the cycle in which it is written.
return {
	base = "classic5",
	description = "classic5 without forwarding: operands come from the registers only",
	pipe = { forwarding = false },
}
