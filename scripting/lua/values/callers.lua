-- Callers: from where the procedure of an instruction was called.
--
-- The return address of the procedure that is running is in ra or at the top of the stack, or in
-- neither; which of them is decided behind the run, from call frame information, so that two words
-- are all that the handler records. A value is the address of the call.

return {
	name = "callers",
	capture = { all = "context" },
	column = "callers",
	sequence = function(seq, add)
		for _, t in ipairs(seq) do
			local behind = t.ra and machine.caller(t.pc, t.ra, t.top or 0)
			if behind then
				add(t.pc, machine.call(behind) or behind)
			end
		end
	end,
	format = function(value)
		return machine.place(value)
	end,
}
