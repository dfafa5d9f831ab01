-- Targets of indirect jumps and calls.
--
-- Where a switch, a function pointer or a virtual method leads: one target in nearly all samples is
-- a call that can be made direct, or inlined after a test. Returns are left out, for they are
-- predicted by a stack.

return {
	name = "jumps",
	capture = { jalr = "operands" },
	column = "targets",
	sequence = function(seq, add)
		for _, t in ipairs(seq) do
			local is_return = not t.rd and (t.source1 == "ra" or t.source1 == "t0")
			if t.rs1 and not is_return then
				add(t.pc, (t.rs1 + t.imm) & ~1)
			end
		end
	end,
	format = function(value)
		return machine.place(value)
	end,
}
