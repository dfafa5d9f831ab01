-- classic5 without forwarding: an instruction stays in decode until its operands are
-- in the registers, which it reads in the cycle in which they are written.
return {
	base = "classic5",
	description = "classic5 without forwarding: operands come from the registers only",
	pipe = { forwarding = false },
}
