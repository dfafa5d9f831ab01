-- Results of instructions: the values of their destination registers.
--
-- The profile that value profilers have kept since Calder, Feller and Eustace: for each instruction
-- that writes a register, the values that it wrote most often. An instruction with one value in
-- nearly all samples is semi-invariant: code can be specialised for that value.

return {
	name = "results",
	capture = { all = "result" },
	sequence = function(seq, add)
		for _, t in ipairs(seq) do
			if t.result then
				add(t.pc, t.result)
			end
		end
	end,
}
