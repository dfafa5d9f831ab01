-- Callers: the call sites of an instruction's procedure.
--
-- The return address of the running procedure is in ra, at the top of the stack, or in neither;
-- call frame information decides that after the run, so the handler records only two words. A value
-- is the address of the call.

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
